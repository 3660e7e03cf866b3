#include "feedback/feedback_repair.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "core/text.h"
#include "feedback/lenient_reading.h"

namespace wright::feedback {
namespace {

using Names = std::initializer_list<std::string_view>;

Json* member_of(JsonObject& object, std::string_view name) {
  return object.if_contains(name);
}

// "95", "95 %", "95.5%"
std::optional<double> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.ends_with('%')) text = trimmed(text.substr(0, text.size() - 1));
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string as_identifier(std::string_view text) {
  std::string made = lower(trimmed(text));
  for (char& c : made) {
    if (c == ' ' || c == '-') c = '_';
  }
  return made;
}

// "None.": a text where an empty list was meant.
bool means_nothing(const Json& value) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"", "none", "n/a", "na", "nothing", "no", "-", "null", "keine", "aucune", "ninguna", "无"});
  const JsonString* text = value.if_string();
  return text != nullptr && is_one_of(trimmed(lower(*text), " \t\r\n."), kWords);
}

class Repair {
 public:
  RepairedFeedback finish(Json feedback) && {
    if (JsonObject* object = feedback.if_object()) repair(*object);
    return {std::move(feedback), std::move(notes_)};
  }

 private:
  void note(std::string text) {
    if (notes_.size() < kMostNotes) notes_.push_back(std::move(text));
  }

  void repair(JsonObject& feedback) {
    items(feedback, "tools_used", "name", [&](JsonObject& tool, const std::string&) {
      text(tool, "purpose", {"reason", "why", "description"});
      if (Json* success = member_of(tool, "success"); success != nullptr && success->is_string()) {
        const std::string word = as_identifier(success->get_string());
        if (word == "true" || word == "yes") *success = true;
        if (word == "false" || word == "no") *success = false;
      }
      lower_choice(tool, "result_quality");
    });
    items(feedback, "tools_considered", "name", [&](JsonObject& tool, const std::string&) {
      text(tool, "reason_not_used", {"reason", "why", "description"});
    });
    items(feedback, "limitations", "description", [&](JsonObject& each, const std::string& path) {
      choice(each, "impact", {"critical", "high", "medium", "low"}, "medium", path);
      lower_choice(each, "missing_capability");
    });
    items(feedback, "suggestions", "description", [&](JsonObject& each, const std::string& path) {
      const bool has_tool = each.contains("tool_spec") && each.at("tool_spec").is_object();
      choice(each, "type", {"new_tool", "expose_field", "add_relationship", "improve_existing"},
             has_tool ? "new_tool" : "improve_existing", path);
      choice(each, "priority", {"critical", "high", "medium", "low"}, "medium", path);
      if (has_tool) tool_spec(each);
      if (Json* change = member_of(each, "config_change"); change && change->is_object()) {
        for (const char* part : {"entity", "change", "example"}) {
          text(change->get_object(), part, {});
        }
      }
    });
    items(feedback, "alternatives", "approach", [&](JsonObject& each, const std::string&) {
      for (const char* list : {"pros", "cons", "requires"}) texts(each, list);
    });
    texts(feedback, "construction");
    if (Json* reasoning = member_of(feedback, "reasoning"); reasoning && reasoning->is_array()) {
      std::string joined;
      for (const Json& each : reasoning->get_array()) {
        if (each.is_string()) {
          joined +=
              fmt::format("{}{}", joined.empty() ? "" : " ", std::string_view(each.get_string()));
        }
      }
      *reasoning = std::move(joined);
    }
    quality(feedback);
  }

  // A list of objects. A text among them is taken as the name or description of one.
  template <class Each>
  void items(JsonObject& feedback, std::string_view name, std::string_view main, Each&& repair) {
    Json* list = member_of(feedback, name);
    if (list == nullptr) return;
    if (list->is_null() || means_nothing(*list)) {
      feedback.erase(name);
      return;
    }
    if (list->is_object() || list->is_string()) *list = JsonArray{std::move(*list)};
    if (!list->is_array()) return;
    JsonArray& array = list->get_array();
    if (array.size() == 1 && means_nothing(array[0])) array.clear();
    std::size_t place = 0;
    for (Json& item : array) {
      const std::string path = fmt::format("{}[{}]", name, place++);
      if (place > kMostItems) break;
      const bool is_text = item.is_string() && !trimmed(item.get_string()).empty();
      if (is_text && name != "tools_used") item = JsonObject{{main, std::move(item)}};
      if (JsonObject* object = item.if_object()) repair(*object, path);
    }
  }

  static void text(JsonObject& object, std::string_view name, Names others) {
    if (object.contains(name) && !object.at(name).is_null()) return;
    for (const std::string_view other : others) {
      const Json* found = object.if_contains(other);
      if (found == nullptr || !found->is_string()) continue;
      Json value = *found;
      object.erase(other);
      object[name] = std::move(value);
      return;
    }
    object[name] = "";
  }

  static void texts(JsonObject& object, std::string_view name) {
    Json* list = member_of(object, name);
    if (list == nullptr) return;
    if (list->is_string()) *list = JsonArray{std::move(*list)};
    if (list->is_null()) object.erase(name);
  }

  static void lower_choice(JsonObject& object, std::string_view name) {
    Json* value = member_of(object, name);
    if (value != nullptr && value->is_string()) *value = as_identifier(value->get_string());
  }

  void choice(JsonObject& object, std::string_view name, Names known, std::string_view usual,
              const std::string& path) {
    lower_choice(object, name);
    const Json* value = object.if_contains(name);
    if (value != nullptr && value->is_string()) {
      const std::string_view word = value->get_string();
      if (std::ranges::find(known, word) != known.end()) return;
      note(fmt::format("{}.{} '{}' is not known; taken as {}", path, name, utf8_prefix(word, 40),
                       usual));
    }
    object[name] = usual;
  }

  static void tool_spec(JsonObject& suggestion) {
    // Before anything refers to the members: adding one moves the others.
    if (!suggestion.contains("description")) {
      const Json* name = suggestion.at("tool_spec").get_object().if_contains("name");
      if (name != nullptr && name->is_string()) {
        suggestion["description"] = fmt::format("Add {}", std::string_view(name->get_string()));
      }
    }
    JsonObject& spec = suggestion.at("tool_spec").get_object();
    text(spec, "purpose", {"description"});
    JsonArray names;
    const Json* parameters = spec.if_contains("parameters");
    if (parameters == nullptr || parameters->is_null()) {
      spec["parameters"] = std::move(names);
    } else if (const JsonObject* schema = parameters->if_object()) {
      const Json* inner = schema->if_contains("properties");
      const JsonObject& properties =
          inner != nullptr && inner->is_object() ? inner->get_object() : *schema;
      for (const auto& [key, value] : properties) names.emplace_back(key);
      spec["parameters"] = std::move(names);
    } else if (Json* list = spec.if_contains("parameters"); list->is_array()) {
      for (Json& each : list->get_array()) {
        const Json* name = each.is_object() ? each.get_object().if_contains("name") : nullptr;
        if (name != nullptr) each = Json(*name);
      }
    }
  }

  void quality(JsonObject& feedback) {
    Json* rating = member_of(feedback, "answer_quality");
    if (rating == nullptr || !rating->is_object()) return;
    JsonObject& object = rating->get_object();
    std::array<Json*, 2> values{member_of(object, "completeness"), member_of(object, "confidence")};
    bool are_fractions = true;
    bool has_fraction = false;
    for (Json* value : values) {
      if (value == nullptr) return;
      if (value->is_string()) {
        if (const auto number = number_in(value->get_string())) *value = *number;
      }
      const double number = value->is_double()  ? value->get_double()
                            : value->is_int64() ? static_cast<double>(value->get_int64())
                                                : -1;
      are_fractions &= number >= 0 && number <= 1;
      has_fraction |= number > 0 && number < 1;
    }
    if (!are_fractions || !has_fraction) return;
    note("answer_quality is in fractions of one; taken as such");
    for (Json* value : values) *value = value->to_number<double>() * 100;
  }

  std::vector<std::string> notes_;
};

}  // namespace

RepairedFeedback repaired(Json feedback) {
  return Repair().finish(std::move(feedback));
}

}  // namespace wright::feedback
