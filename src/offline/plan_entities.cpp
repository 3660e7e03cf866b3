// Questions about sets: the largest, those with more than, those changed in the last week, those
// whose name starts with, how many per. Files by name and size are listed; the rest is asked of the
// index.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/iso_time.h"
#include "offline/entity_prompt.h"
#include "offline/index.h"
#include "offline/languages.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

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
  constexpr std::int64_t kHour = 3'600'000;
  constexpr std::int64_t kDay = 24 * kHour;
  if (period == "last_hour") return kHour;
  if (period == "last_day") return kDay;
  if (period == "last_week") return 7 * kDay;
  if (period == "last_month") return 30 * kDay;
  return period == "last_quarter" ? 91 * kDay : 365 * kDay;
}

std::string minute_of(const std::string& time) {
  std::string text = time.substr(0, 16);
  std::ranges::replace(text, 'T', ' ');
  return text;
}

// A pattern for the paths of files of a type.
std::string pattern_of(const std::vector<std::string>& globs) {
  std::string pattern;
  for (const std::string& glob : globs) {
    if (!pattern.empty()) pattern += '|';
    pattern += glob.starts_with("*.") ? quote_for_regex(glob.substr(1))
                                      : "(?:^|/)" + quote_for_regex(glob);
  }
  return fmt::format("(?i)(?:{})$", pattern);
}

class SetPlan {
 public:
  SetPlan(EntityPrompt question, Investigation& look)
      : question_(std::move(question)), look_(look), globs_(globs_for_type(question_.file_type)) {}

  std::string answer() {
    const bool is_listed = question_.type == "file" && !question_.time && !question_.number &&
                           !question_.name && question_.group_by.empty();
    const bool by_size = !question_.order || question_.order->field == "size";
    std::string text = is_listed && by_size          ? listed()
                       : !has_index(look_)           ? without_index()
                       : !question_.group_by.empty() ? by_groups()
                                                     : searched();
    if (look_.is_waiting() || !is_empty_ || question_.path.empty()) return text;
    // Nothing below a folder that is not there says nothing.
    if (looks_like_file(question_.path)) return text;
    const Listing folder = look_.list_files({.path = question_.path, .limit = 1});
    if (look_.is_waiting()) return fmt::format("Looking at {}.", code_span(question_.path));
    return folder.total == 0 ? fmt::format("There is no folder {} here, or it holds no files.",
                                           code_span(question_.path))
                             : text;
  }

 private:
  std::string activity() const { return fmt::format("Looking for {}.", qualified(2)); }

  std::string without_index() const {
    return fmt::format(
        "I cannot answer this here: finding {} by what they are takes the index of the code, which "
        "this agent does not offer.",
        question_.noun);
  }

  // --- files, from a listing

  static std::string not_counted(const Listing& found) {
    std::vector<std::string> parts;
    if (found.hidden > 0) {
      parts.push_back(
          fmt::format("what is hidden ({})", counted(found.hidden, "entry", "entries")));
    }
    if (found.ignored > 0) {
      parts.push_back(
          fmt::format("what .gitignore names ({})", counted(found.ignored, "entry", "entries")));
    }
    return parts.empty() ? std::string()
                         : fmt::format("Not counted: {}.", fmt::join(parts, " and "));
  }

  std::string listed() {
    std::string glob = "*";
    if (globs_.size() == 1) glob = globs_.front();
    if (globs_.size() > 1) glob = fmt::format("{{{}}}", fmt::join(globs_, ","));
    const bool is_ranked = question_.order.has_value();
    ListRequest request{.pattern = glob, .path = question_.path};
    request.with_details = is_ranked;
    if (is_ranked) request.sort = "size";
    request.limit = is_ranked || !question_.is_count ? 1000 : 1;
    const Listing found = look_.list_files(request);
    if (look_.is_waiting()) return activity();
    if (look_.has_failed()) return fmt::format("I could not list {}.", qualified(2));
    is_empty_ = found.total == 0;
    const std::string what = counted_kind(found.total);
    AnswerText answer;
    if (!is_ranked) {
      answer.paragraph(fmt::format("There {} {}{}", found.total == 1 ? "is" : "are", what,
                                   question_.is_count || found.total == 0 ? "." : ":"));
      if (!question_.is_count) {
        for (std::size_t i = 0; i < found.files.size() && i < 40; ++i)
          answer.item(found.files[i].path);
        if (found.total > 40) answer.item(fmt::format("… and {} more", found.total - 40));
      }
      if (const std::string others = not_counted(found); !others.empty()) answer.paragraph(others);
      return answer.text();
    }
    std::vector<FileEntry> files = found.files;
    const bool is_down = question_.order->is_descending;
    if (!is_down) std::ranges::reverse(files);
    if (!is_down && found.is_truncated) {
      return fmt::format("I cannot say: only the largest {} of {} were listed.", files.size(),
                         what);
    }
    answer.paragraph(
        fmt::format("The {} of {}, by bytes:", is_down ? "largest" : "smallest", what));
    for (std::size_t i = 0; i < files.size() && i < static_cast<std::size_t>(question_.limit);
         ++i) {
      answer.item(fmt::format("{} ({})", files[i].path, human_size(files[i].size)));
    }
    return answer.text();
  }

  // --- everything else, from the index

  // Languages have a visibility that ctags tells, or none.
  enum class Visibility : std::uint8_t { asked_for, unknown };

  JsonArray conditions(Visibility visibility = Visibility::asked_for) const {
    JsonArray made;
    if (!globs_.empty()) made.push_back(condition("file", "REGEX", Json(pattern_of(globs_))));
    if (visibility == Visibility::unknown) {
      made.push_back(condition("visibility", "=", Json(nullptr)));
    } else if (!question_.visibility.empty()) {
      made.push_back(condition("visibility", "=", Json(question_.visibility)));
    }
    if (!question_.path.empty()) made.push_back(within(question_.path));
    if (question_.number) {
      const NumberClause& number = *question_.number;
      const bool is_between = number.comparison == "between";
      made.push_back(
          condition(number.field, is_between ? ">=" : number.comparison, Json(number.value)));
      if (is_between) made.push_back(condition(number.field, "<=", Json(number.upper_value)));
    }
    if (question_.name)
      made.push_back(condition("name", question_.name->sign, Json(question_.name->pattern)));
    return made;
  }

  std::optional<EntityOrder> order() const {
    if (question_.order) return EntityOrder{question_.order->field, question_.order->is_descending};
    if (question_.number) return EntityOrder{question_.number->field, true};
    return std::nullopt;
  }

  Entities search(Visibility visibility = Visibility::asked_for) {
    if (question_.time) return search_by_time(*question_.time, visibility);
    return find_entities(look_, question_.type, conditions(visibility), order(), question_.limit);
  }

  // All that fits but for a visibility, which the index does not know.
  Entities search_unknown() {
    return question_.visibility.empty() ? Entities{} : search(Visibility::unknown);
  }

  // This planner has no clock: the tool says what the period is, and what time it is now.
  Entities search_by_time(const TimeClause& time, Visibility visibility) {
    JsonObject arguments{
        {"entity_type", question_.type}, {"field", "last_modified"}, {"mode", time.mode}};
    if (time.mode == "relative") {
      arguments["relative_period"] = time.period;
    } else if (time.mode == "before") {
      arguments["datetime"] = time.datetime;
    } else {
      arguments["start_datetime"] = time.datetime;
      arguments["end_datetime"] = time.end.empty() ? "9999-12-31" : time.end;
    }
    if (time.mode != "relative") {
      const std::size_t length = std::max(time.datetime.size(), time.end.size());
      arguments["precision"] = length == 4 ? "year" : length == 7 ? "month" : "day";
    }
    arguments["limit"] = question_.limit;
    Entities found = read_entities(look_.call("datetime_range_search", std::move(arguments)));
    JsonArray others = conditions(visibility);
    if (look_.is_waiting() || look_.has_failed() || (others.empty() && time.times == 1))
      return found;
    if (time.times > 1) {
      if (const auto now = time_of(found.until)) {
        found.from = IsoTime(*now - time.times * length_of(time.period)).text();
      }
    }
    if (!found.from.empty()) others.push_back(condition("last_modified", ">=", Json(found.from)));
    if (!found.until.empty()) others.push_back(condition("last_modified", "<", Json(found.until)));
    Entities narrowed = find_entities(look_, question_.type, std::move(others),
                                      EntityOrder{"last_modified", true}, question_.limit);
    narrowed.from = found.from;
    narrowed.until = found.until;
    return narrowed;
  }

  std::string searched() {
    Entities found = search();
    if (look_.is_waiting()) return activity();
    if (look_.has_failed()) return fmt::format("I could not look for {}.", qualified(2));
    std::string note;
    if (found.total == 0 && question_.type == "class") {
      // In C, Go and Rust people mean structs; but only where there is no class at all.
      const Entities any = find_entities(look_, "class", {}, {}, 1);
      if (look_.is_waiting()) return activity();
      if (any.total == 0) {
        question_.type = "struct";
        question_.noun = "structs";
        found = search();
        if (look_.is_waiting()) return activity();
        note = "There are no classes here; this is about structs.";
      }
    }
    const Entities unknown = search_unknown();
    if (look_.is_waiting()) return activity();
    is_empty_ = found.total == 0 && unknown.total == 0;
    return text_of_entities(found, note, unknown);
  }

  std::string by_groups() {
    JsonObject arguments{{"entity_type", question_.type},
                         {"operation", question_.adds_up_lines ? "SUM" : "COUNT"}};
    if (question_.adds_up_lines) arguments["field"] = "line_count";
    arguments["group_by"] = question_.group_by;
    if (JsonArray others = conditions(); !others.empty()) arguments["conditions"] = others;
    arguments["limit"] = 1000;
    const Json found = look_.call("aggregate_entities", std::move(arguments));
    const Entities unknown = search_unknown();
    if (look_.is_waiting()) return fmt::format("Counting {}.", qualified(2));
    const JsonObject* answer = found.if_object();
    const Json* groups = answer == nullptr ? nullptr : answer->if_contains("groups");
    if (groups == nullptr || !groups->is_array())
      return fmt::format("I could not count {}.", qualified(2));
    struct Group {
      std::string name;
      std::int64_t value = 0;
    };
    std::vector<Group> figures;
    std::int64_t total = 0;
    std::int64_t files = 0;
    for (const Json& group : groups->get_array()) {
      const JsonObject* object = group.if_object();
      if (object == nullptr) continue;
      const Json* name = object->if_contains("group");
      const Json* value = object->if_contains(question_.adds_up_lines ? "value" : "count");
      const Json* count = object->if_contains("count");
      if (value == nullptr || !value->is_number()) continue;
      if (count != nullptr && count->is_int64()) files += count->get_int64();
      figures.push_back(
          {name != nullptr && name->is_string() ? std::string(name->get_string()) : "(unknown)",
           value->to_number<std::int64_t>()});
      total += figures.back().value;
    }
    is_empty_ = figures.empty();
    std::ranges::stable_sort(figures, std::ranges::greater{}, &Group::value);
    AnswerText made;
    made.paragraph(question_.adds_up_lines
                       ? fmt::format("{} in {}, blank lines and comments included; by language:",
                                     counted(total, "line", "lines"), counted_kind(files))
                       : fmt::format("{}, by {}:", counted_kind(total), question_.group_by));
    std::vector<std::string> items;
    items.reserve(figures.size());
    for (const Group& group : figures)
      items.push_back(fmt::format("{}: {}", group.name, with_separators(group.value)));
    made.items(items, 30, "groups");
    add_unknown(made, unknown);
    return made.text();
  }

  // --- words

  // "private Python classes"
  std::string qualified(std::int64_t count) const {
    return fmt::format("{}{}{}", question_.visibility, question_.visibility.empty() ? "" : " ",
                       count == 1 ? singular() : question_.noun);
  }

  std::string singular() const {
    const std::string& noun = question_.noun;
    return noun == "classes" ? "class" : noun.substr(0, noun.size() - 1);
  }

  // "12 functions in files named *.c or *.h, below `src`"
  std::string counted_kind(std::int64_t count) const {
    std::string text =
        fmt::format("{} {}", count == 0 ? "no" : with_separators(count), qualified(count));
    if (!globs_.empty()) {
      text += fmt::format("{} named {}", question_.type == "file" ? "" : " in files",
                          fmt::join(globs_, ", "));
    }
    if (question_.path.empty()) return text;
    return text + fmt::format(" {} {}", looks_like_file(question_.path) ? "in" : "below",
                              code_span(question_.path));
  }

  std::string clauses(const Entities& found) const {
    std::vector<std::string> parts;
    if (question_.number) {
      const NumberClause& number = *question_.number;
      const std::string unit = number.field == "method_count" ? "methods" : "lines";
      const std::string_view words = number.comparison == ">"    ? "more than "
                                     : number.comparison == ">=" ? "at least "
                                     : number.comparison == "<"  ? "less than "
                                     : number.comparison == "<=" ? "at most "
                                                                 : "";
      parts.push_back(number.comparison == "between"
                          ? fmt::format("with {} to {} {}", number.value, number.upper_value, unit)
                          : fmt::format("with {}{} {}", words, number.value, unit));
    }
    if (question_.name) {
      const std::string_view words = question_.name->sign == "STARTS WITH" ? "starts with"
                                     : question_.name->sign == "ENDS WITH" ? "ends with"
                                                                           : "contains";
      parts.push_back(fmt::format("whose name {} {}", words, code_span(question_.name->pattern)));
    }
    if (question_.time) {
      const TimeClause& time = *question_.time;
      parts.push_back(time.mode == "before" ? fmt::format("changed before {}", time.datetime)
                      : time.mode == "relative"
                          ? fmt::format("changed since {} UTC", minute_of(found.from))
                      : time.end.empty() ? fmt::format("changed since {}", time.datetime)
                      : time.end == time.datetime
                          ? fmt::format("changed last in {}", time.datetime)
                          : fmt::format("changed last between {} and {}", time.datetime, time.end));
    }
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? " " : ", ") + part;
    return text;
  }

  std::string item(const Entity& entity) const {
    const auto is_about = [&](std::string_view field) {
      return (question_.order && question_.order->field == field) ||
             (question_.number && question_.number->field == field);
    };
    std::string text =
        entity.type == "file"
            ? fmt::format("{}: {}", entity.file, counted(entity.line_count, "line", "lines"))
            : fmt::format("{} ({}): {}", code_span(entity.name), place(entity.file, entity.line),
                          counted(entity.line_count, "line", "lines"));
    if (is_about("method_count") && entity.method_count)
      text += ", " + counted(*entity.method_count, "method", "methods");
    if (question_.type == "method" && !entity.parent.empty())
      text += fmt::format(", of {}", code_span(entity.parent));
    if (question_.time || is_about("last_modified"))
      text += fmt::format(", changed {}", minute_of(entity.last_modified));
    return text;
  }

  static std::string_view superlative(const OrderClause& order) {
    const bool is_down = order.is_descending;
    if (order.field == "method_count")
      return is_down ? "those with the most methods" : "those with the fewest methods";
    if (order.field == "last_modified")
      return is_down ? "those that were changed last" : "those that were not changed for longest";
    return is_down ? "those with the most lines" : "those with the fewest lines";
  }

  void add_unknown(AnswerText& answer, const Entities& unknown) const {
    if (unknown.total == 0) return;
    const std::string noun = unknown.total == 1 ? singular() : question_.noun;
    answer.paragraph(
        fmt::format("Of {} more {} the index does not know whether {} {}, so {} not among them:",
                    with_separators(unknown.total), noun, unknown.total == 1 ? "it is" : "they are",
                    question_.visibility, unknown.total == 1 ? "it is" : "they are"));
    for (const Entity& entity : unknown.found) {
      answer.item(fmt::format("{} ({})", code_span(entity.name), place(entity.file, entity.line)));
    }
    const auto left = unknown.total - std::ssize(unknown.found);
    if (left > 0) answer.item(fmt::format("… and {} more", with_separators(left)));
  }

  std::string text_of_entities(const Entities& found, const std::string& note,
                               const Entities& unknown) const {
    AnswerText answer;
    answer.paragraph(note);
    const std::string what = counted_kind(found.total) + clauses(found);
    if (question_.order && found.total > 0) {
      answer.paragraph(fmt::format("Of {}, {}:", what, superlative(*question_.order)));
    } else {
      const bool shows = !question_.is_count && !found.found.empty();
      const std::string_view lead = unknown.total > 0  ? "The index knows"
                                    : found.total == 1 ? "There is"
                                                       : "There are";
      answer.paragraph(fmt::format("{} {}{}", lead, what, shows ? ":" : "."));
    }
    if (!question_.is_count || question_.order) {
      for (const Entity& entity : found.found) answer.item(item(entity));
      const auto left = found.total - std::ssize(found.found);
      if (left > 0) answer.item(fmt::format("… and {} more", with_separators(left)));
    }
    add_unknown(answer, unknown);
    if (found.total == 0 && question_.type != "file") {
      answer.paragraph(
          "That is what the index knows: it has what ctags recognises in files that are neither "
          "hidden nor ignored.");
    }
    if (question_.type == "function") {
      answer.paragraph("Methods are not among them; ask for methods to have those.");
    }
    return answer.text();
  }

  EntityPrompt question_;
  Investigation& look_;
  std::vector<std::string> globs_;
  bool is_empty_ = false;
};

// "the methods of project", "lines of total": a word that holds sentences together is a name where
// the code defines a class of that name. Nothing where it does not.
std::optional<std::string> about_one_name(const ParsedPrompt& question, const EntityPrompt& asked,
                                          Investigation& look) {
  static const RE2 kOne(
      R"((?i)(?:\b(?:of|does|do|has|in) (?:(?:class|struct|interface|enum|trait) )?|^(?:class|struct|interface|enum|trait) )(\w+)(?: have| has)?$)");
  std::string name;
  const bool is_about_parts = asked.type == "method" || asked.adds_up_lines;
  if (!has_index(look) || !RE2::PartialMatch(question.prompt, kOne, &name)) return std::nullopt;
  const bool is_only_named =
      RE2::FullMatch(question.prompt, R"((?i)(?:class|struct|interface|enum|trait) \w+)");
  if (!is_about_parts && !is_only_named) return std::nullopt;
  const Entities named = find_entities(
      look, "any",
      {condition("name", "=", Json(name)),
       condition("type", "IN", Json(JsonArray{"class", "struct", "interface", "trait", "enum"}))},
      {}, 1);
  if (look.is_waiting()) return fmt::format("Looking for {}.", code_span(name));
  if (named.found.empty()) return std::nullopt;
  const bool has_more =
      asked.type == "method" && (asked.number || asked.time || asked.name || asked.order ||
                                 !asked.group_by.empty() || !asked.file_type.empty());
  if (has_more) {
    return fmt::format(
        "I cannot answer this of {} alone: I list its methods, all of them or those of one "
        "visibility.",
        code_span(name));
  }
  ParsedPrompt one = question;
  one.subject = name;
  one.visibility = asked.visibility;
  one.topic = asked.type == "method" ? Topic::members : Topic::definition;
  one.qualifier = asked.type == "method" ? "methods" : "";
  return asked.type == "method" ? plan_members(one, look) : plan_definition(one, look);
}

}  // namespace

std::optional<std::string> plan_set(const ParsedPrompt& question, Investigation& look) {
  if (!look.offers_file_tools()) return std::nullopt;
  auto asked = understand_entities(question.prompt);
  if (!asked) return std::nullopt;
  if (auto one = about_one_name(question, *asked, look)) return one;
  return SetPlan(std::move(*asked), look).answer();
}

}  // namespace wright::offline
