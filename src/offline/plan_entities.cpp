// Questions that an index of entities answers: the largest, those with more than, those changed in
// the last week, those whose name starts with, how many per.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "core/iso_time.h"
#include "offline/entity_question.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

constexpr auto kEntityTools = std::to_array<std::string_view>(
    {"query_entities", "number_range_search", "datetime_range_search", "text_pattern_search",
     "enum_filter_search", "aggregate_entities", "get_schema", "describe_entity",
     "explore_relationships", "semantic_search"});

struct FoundEntity {
  std::string name;
  std::string type;
  std::string file;
  int line = 0;
  std::int64_t line_count = 0;
  std::optional<std::int64_t> method_count;
  std::string last_modified;
  std::string parent;
};

struct FoundEntities {
  std::vector<FoundEntity> entities;
  std::int64_t total = 0;
  std::string from;  // of a search by time
  std::string until;
};

std::string text_in(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::optional<std::int64_t> number_in(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}

FoundEntities read_entities(const Json& json) {
  FoundEntities found;
  const JsonObject* answer = json.if_object();
  if (answer == nullptr) return found;
  found.total = number_in(*answer, "total").value_or(0);
  found.from = text_in(*answer, "from");
  found.until = text_in(*answer, "until");
  const Json* entities = answer->if_contains("entities");
  if (entities == nullptr || !entities->is_array()) return found;
  for (const Json& each : entities->get_array()) {
    const JsonObject* entity = each.if_object();
    if (entity == nullptr) continue;
    found.entities.push_back(
        {.name = text_in(*entity, "name"),
         .type = text_in(*entity, "type"),
         .file = text_in(*entity, "file"),
         .line = static_cast<int>(number_in(*entity, "start_line").value_or(0)),
         .line_count = number_in(*entity, "line_count").value_or(0),
         .method_count = number_in(*entity, "method_count"),
         .last_modified = text_in(*entity, "last_modified"),
         .parent = text_in(*entity, "parent")});
  }
  return found;
}

JsonObject condition(std::string_view field, std::string_view sign, Json value) {
  return {{"field", field}, {"operator", sign}, {"value", std::move(value)}};
}

// Milliseconds of "2025-06-15T12:00:00.000Z"; nothing for anything else.
std::optional<std::int64_t> time_of(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (std::sscanf(text.c_str(), "%d-%u-%uT%d:%d:%d", &year, &month, &day, &hour, &minute,
                  &second) != 6) {
    return std::nullopt;
  }
  const auto date = std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(day);
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return (((std::int64_t{days} * 24 + hour) * 60 + minute) * 60 + second) * 1000;
}

std::int64_t length_of(std::string_view period) {
  constexpr std::int64_t kMinute = 60'000;
  constexpr std::int64_t kDay = 24 * 60 * kMinute;
  if (period == "last_minute") return kMinute;
  if (period == "last_hour") return 60 * kMinute;
  if (period == "last_day") return kDay;
  if (period == "last_week") return 7 * kDay;
  if (period == "last_month") return 30 * kDay;
  return period == "last_quarter" ? 91 * kDay : 365 * kDay;
}

class EntityPlan {
 public:
  EntityPlan(EntityQuestion question, Investigation& look)
      : question_(std::move(question)), look_(look) {}

  std::string answer() {
    if (!question_.group_by.empty() && question_.is_count && !question_.time) return by_groups();
    std::string note;
    FoundEntities found = search();
    if (look_.is_waiting()) return activity();
    if (look_.has_failed()) return fmt::format("I could not look for {}.", question_.noun);
    if (found.total == 0 && question_.type == "class") {
      // In C, Go and Rust people mean structs.
      const Json counted_classes =
          look_.call("aggregate_entities", {{"entity_type", "class"}, {"operation", "COUNT"}});
      if (look_.is_waiting()) return activity();
      const JsonObject* figures = counted_classes.if_object();
      if (figures != nullptr && number_in(*figures, "value") == 0) {
        question_.type = "struct";
        question_.noun = "structs";
        found = search();
        if (look_.is_waiting()) return activity();
        note = "There are no classes here; this is about structs.";
      }
    }
    return told(found, note);
  }

 private:
  std::string activity() const {
    return fmt::format("Looking for {} in the index.", question_.noun);
  }

  // What must hold beside the clause that a special tool takes.
  JsonArray conditions() const {
    JsonArray made;
    if (!question_.language.empty())
      made.push_back(condition("language", "=", Json(question_.language)));
    if (!question_.visibility.empty()) {
      made.push_back(condition("visibility", "=", Json(question_.visibility)));
    }
    if (!question_.path.empty()) {
      made.push_back(condition("file", "STARTS WITH", Json(question_.path + "/")));
    }
    return made;
  }

  FoundEntities search() {
    JsonArray others = conditions();
    if (question_.time) return search_by_time(std::move(others));
    const bool is_simple = others.empty() && !question_.order;
    if (is_simple && question_.number && !question_.name) {
      const NumberClause& number = *question_.number;
      JsonObject arguments{{"entity_type", question_.type},
                           {"field", number.field},
                           {"operator", number.comparison},
                           {"value", number.value}};
      if (number.comparison == "between") arguments["upper_value"] = number.upper_value;
      return call("number_range_search", std::move(arguments));
    }
    if (is_simple && question_.name && !question_.number) {
      return call("text_pattern_search", {{"entity_type", question_.type},
                                          {"field", "name"},
                                          {"pattern", question_.name->pattern},
                                          {"mode", question_.name->mode},
                                          {"case_sensitive", question_.name->mode != "regex"}});
    }
    if (question_.number) add_number(others);
    if (question_.name) add_name(others);
    JsonObject arguments{{"entity_type", question_.type}};
    if (!others.empty()) arguments["conditions"] = std::move(others);
    if (question_.order) {
      arguments["order_by"] =
          JsonObject{{"field", question_.order->field},
                     {"direction", question_.order->is_descending ? "DESC" : "ASC"}};
    } else if (question_.number) {
      arguments["order_by"] = JsonObject{{"field", question_.number->field}, {"direction", "DESC"}};
    }
    return call("query_entities", std::move(arguments));
  }

  void add_number(JsonArray& conditions) const {
    const NumberClause& number = *question_.number;
    const auto add = [&](std::string_view sign, std::int64_t value) {
      conditions.push_back(condition(number.field, sign, Json(value)));
    };
    if (number.comparison == "gt") add(">", number.value);
    if (number.comparison == "gte") add(">=", number.value);
    if (number.comparison == "lt") add("<", number.value);
    if (number.comparison == "lte") add("<=", number.value);
    if (number.comparison == "equal") add("=", number.value);
    if (number.comparison == "between" || number.comparison == "approximately") {
      const bool is_near = number.comparison == "approximately";
      add(">=", is_near ? number.value - number.value / 10 : number.value);
      add("<=", is_near ? number.value + number.value / 10 : number.upper_value);
    }
  }

  void add_name(JsonArray& conditions) const {
    const NameClause& name = *question_.name;
    const std::string_view sign = name.mode == "starts_with" ? "STARTS WITH"
                                  : name.mode == "ends_with" ? "ENDS WITH"
                                  : name.mode == "regex"     ? "REGEX"
                                                             : "CONTAINS";
    conditions.push_back(condition("name", sign, Json(name.pattern)));
  }

  // This planner has no clock: the tool says what the period is, and what time it is now.
  FoundEntities search_by_time(JsonArray others) {
    const TimeClause& time = *question_.time;
    if (question_.number) add_number(others);
    if (question_.name) add_name(others);
    JsonObject arguments{{"entity_type", question_.type}, {"field", "last_modified"}};
    if (time.mode == "relative") {
      arguments["mode"] = "relative";
      arguments["relative_period"] = time.period;
    } else {
      arguments["mode"] = time.mode;
      arguments[time.mode == "between" ? "start_datetime" : "datetime"] = time.datetime;
      if (time.mode == "between") arguments["end_datetime"] = time.end;
      if (time.is_whole_days) arguments["precision"] = "day";
    }
    FoundEntities found = call("datetime_range_search", std::move(arguments));
    if (look_.is_waiting() || look_.has_failed() || (others.empty() && time.times == 1))
      return found;
    if (time.times > 1) {
      if (const auto now = time_of(found.until)) {
        found.from = IsoTime(*now - time.times * length_of(time.period)).text();
      }
    }
    if (!found.from.empty()) others.push_back(condition("last_modified", ">=", Json(found.from)));
    if (!found.until.empty()) others.push_back(condition("last_modified", "<", Json(found.until)));
    FoundEntities narrowed =
        call("query_entities",
             {{"entity_type", question_.type},
              {"conditions", std::move(others)},
              {"order_by", JsonObject{{"field", "last_modified"}, {"direction", "DESC"}}}});
    narrowed.from = found.from;
    narrowed.until = found.until;
    return narrowed;
  }

  FoundEntities call(std::string_view tool, JsonObject arguments) {
    arguments["limit"] = question_.limit;
    return read_entities(look_.call(tool, std::move(arguments)));
  }

  std::string by_groups() {
    JsonArray others = conditions();
    if (question_.number) add_number(others);
    if (question_.name) add_name(others);
    JsonObject arguments{{"entity_type", question_.type},
                         {"operation", "COUNT"},
                         {"group_by", question_.group_by},
                         {"limit", 50}};
    if (!others.empty()) arguments["conditions"] = std::move(others);
    const Json found = look_.call("aggregate_entities", std::move(arguments));
    if (look_.is_waiting()) return fmt::format("Counting {}.", question_.noun);
    const JsonObject* answer = found.if_object();
    const Json* groups = answer == nullptr ? nullptr : answer->if_contains("groups");
    if (groups == nullptr || !groups->is_array()) {
      return fmt::format("I could not count {}.", question_.noun);
    }
    std::int64_t total = 0;
    std::vector<std::string> items;
    for (const Json& group : groups->get_array()) {
      const JsonObject* object = group.if_object();
      if (object == nullptr) continue;
      const std::int64_t count = number_in(*object, "count").value_or(0);
      const std::string name = text_in(*object, "group");
      total += count;
      items.push_back(
          fmt::format("{}: {}", name.empty() ? "(none)" : name, with_separators(count)));
    }
    Answer made;
    made.paragraph(fmt::format("{} {}{}, by {}:", with_separators(total), qualified(total), where(),
                               question_.group_by));
    return made.items(items, 30, "groups").text();
  }

  // "Python classes", "private method".
  std::string qualified(std::int64_t count) const {
    std::string noun = question_.noun;
    if (count == 1) {
      noun = noun.ends_with("sses") || noun.ends_with("ches") ? noun.substr(0, noun.size() - 2)
             : noun == "entities"                             ? "entity"
             : noun.ends_with('s')                            ? noun.substr(0, noun.size() - 1)
                                                              : noun;
    }
    return fmt::format(
        "{}{}{}{}{}", question_.visibility, question_.visibility.empty() ? "" : " ",
        question_.language, question_.language.empty() ? "" : " ",
        noun == "code" || noun == "sources" ? (count == 1 ? "file" : "files") : noun);
  }

  std::string where() const {
    return question_.path.empty() ? std::string() : " below " + code_span(question_.path);
  }

  // "with more than 200 lines, whose names start with `parse`"
  std::string clauses(const FoundEntities& found) const {
    std::vector<std::string> parts;
    if (question_.number) {
      const NumberClause& number = *question_.number;
      const std::string unit = number.field == "method_count" ? "methods" : "lines";
      const std::string_view words = number.comparison == "gt"              ? "more than"
                                     : number.comparison == "gte"           ? "at least"
                                     : number.comparison == "lt"            ? "less than"
                                     : number.comparison == "lte"           ? "at most"
                                     : number.comparison == "approximately" ? "about"
                                     : number.comparison == "between"       ? "between"
                                                                            : "exactly";
      parts.push_back(
          number.comparison == "between"
              ? fmt::format("with between {} and {} {}", number.value, number.upper_value, unit)
              : fmt::format("with {} {} {}", words, number.value, unit));
    }
    if (question_.name) {
      const std::string_view words = question_.name->mode == "starts_with" ? "starts with"
                                     : question_.name->mode == "ends_with" ? "ends with"
                                     : question_.name->mode == "regex"     ? "matches"
                                                                           : "contains";
      parts.push_back(fmt::format("whose name {} {}", words, code_span(question_.name->pattern)));
    }
    if (question_.time) {
      const bool has_end = question_.time->mode == "between" && question_.time->end != "9999-12-31";
      parts.push_back(found.from.empty()
                          ? fmt::format("changed before {}", question_.time->datetime)
                      : has_end ? fmt::format("changed from {} until {}", found.from.substr(0, 10),
                                              question_.time->end)
                                : fmt::format("changed since {} UTC", minute_of(found.from)));
    }
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? " " : ", ") + part;
    return text;
  }

  static std::string minute_of(const std::string& time) {
    std::string text = time.substr(0, 16);
    std::ranges::replace(text, 'T', ' ');
    return text;
  }

  std::string item(const FoundEntity& entity) const {
    std::string text =
        entity.type == "file"
            ? fmt::format("{}: {}", place(entity.file, 1),
                          counted(entity.line_count, "line", "lines"))
            : fmt::format("{} ({}): {}", code_span(entity.name), place(entity.file, entity.line),
                          counted(entity.line_count, "line", "lines"));
    const bool is_about_methods = (question_.order && question_.order->field == "method_count") ||
                                  (question_.number && question_.number->field == "method_count");
    if (is_about_methods && entity.method_count) {
      text += ", " + counted(*entity.method_count, "method", "methods");
    }
    if (question_.type == "method" && !entity.parent.empty()) {
      text += fmt::format(", of {}", code_span(entity.parent));
    }
    const bool is_about_time =
        question_.time || (question_.order && question_.order->field == "last_modified");
    if (is_about_time) text += fmt::format(", changed {}", minute_of(entity.last_modified));
    return text;
  }

  std::string_view superlative() const {
    const bool is_down = question_.order->is_descending;
    if (question_.order->field == "method_count") {
      return is_down ? "those with the most methods" : "those with the fewest methods";
    }
    if (question_.order->field == "last_modified") {
      return is_down ? "those that were changed last" : "those that were not changed for longest";
    }
    return is_down ? "those with the most lines" : "those with the fewest lines";
  }

  std::string told(const FoundEntities& found, const std::string& note) const {
    Answer answer;
    if (!note.empty()) answer.paragraph(note);
    const std::string what = qualified(found.total) + clauses(found) + where();
    if (found.total == 0) {
      answer.paragraph(fmt::format("There are no {}.", qualified(0) + clauses(found) + where()));
      return answer.text();
    }
    const std::string total = with_separators(found.total);
    if (question_.order) {
      answer.paragraph(fmt::format("Of {} {}, {}:", total, what, superlative()));
    } else {
      answer.paragraph(fmt::format("There {} {} {}{}", found.total == 1 ? "is" : "are", total, what,
                                   found.entities.empty() ? "." : ":"));
    }
    for (const FoundEntity& entity : found.entities) answer.item(item(entity));
    const auto left = found.total - std::ssize(found.entities);
    if (left > 0) answer.item(fmt::format("… and {} more", with_separators(left)));
    return answer.text();
  }

  EntityQuestion question_;
  Investigation& look_;
};

}  // namespace

bool is_entity_tool(std::string_view name) {
  return std::ranges::find(kEntityTools, name) != kEntityTools.end();
}

std::optional<std::string> plan_entities(const Question& question, Investigation& look) {
  const bool is_possible = look.offers_file_tools() && look.offers("query_entities") &&
                           look.offers("number_range_search") &&
                           look.offers("datetime_range_search") &&
                           look.offers("text_pattern_search") && look.offers("aggregate_entities");
  if (!is_possible) return std::nullopt;
  auto asked = understand_entities(question.prompt);
  if (!asked) return std::nullopt;
  return EntityPlan(std::move(*asked), look).answer();
}

}  // namespace wright::offline
