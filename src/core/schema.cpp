// The parts of schema.h that do not depend on a type: building schemas and naming what is wrong.
#include "wright/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/counted.h"
#include "core/json_kind.h"
#include "core/text.h"

namespace wright::detail {
namespace {

// "Parameter place.city", or "The arguments" for the document itself.
std::string subject(const Path& path) {
  const std::string text = path.text();
  return text.empty() ? "The arguments" : "Parameter " + text;
}

void report(const Path& path, Problems& problems, std::string_view what) {
  problems.found.push_back(fmt::format("{} {}", subject(path), what));
}

void report_type(const Json& json, std::string_view expected, const Path& path,
                 Problems& problems) {
  report(path, problems, fmt::format("must be {}, not {}", expected, kind_name(json)));
}

// A bound as JSON: an integer where it is one, so that schemas say 7 and not 7.0.
Json bound(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

struct CountedThing {
  std::string_view one;
  std::string_view several;
};
constexpr CountedThing kCharacters{"character", "characters"};
constexpr CountedThing kItems{"item", "items"};

// Reports that `count` lies outside the bounds.
void check_bounds(std::size_t count, const std::optional<std::size_t>& low,
                  const std::optional<std::size_t>& high, const CountedThing& thing,
                  const Path& path, Problems& problems) {
  const auto must_have = [&](std::string_view side, std::size_t bound) {
    report(path, problems,
           fmt::format("must have {} {}, not {}", side, counted(bound, thing.one, thing.several),
                       count));
  };
  if (low && count < *low) must_have("at least", *low);
  if (high && count > *high) must_have("at most", *high);
}

// Whether the bytes alone say that the bounds hold: a character has one to four.
bool has_length_surely(std::string_view text, const FieldRules& rules) {
  return (!rules.max_length || text.size() <= *rules.max_length) &&
         (!rules.min_length || text.size() / 4 >= *rules.min_length);
}

}  // namespace

std::string Path::text() const {
  if (parent == nullptr) return {};
  std::string before = parent->text();
  if (key.data() == nullptr) return fmt::format("{}[{}]", before, index);
  if (before.empty()) return std::string(key);
  return fmt::format("{}.{}", before, key);
}

std::optional<Json> SchemaBuilder::enter(const void* key, std::string_view name) {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (open_[i].key != key) continue;
    open_[i].is_referenced = true;
    if (i == 0) return JsonObject{{"$ref", "#"}};
    return JsonObject{{"$ref", "#/$defs/" + open_[i].name}};
  }
  open_.push_back({key, std::string(name)});
  return std::nullopt;
}

Json SchemaBuilder::leave(Json schema) {
  Open finished = std::move(open_.back());
  open_.pop_back();
  if (!finished.is_referenced || open_.empty()) return schema;
  definitions_[finished.name] = std::move(schema);
  return JsonObject{{"$ref", "#/$defs/" + finished.name}};
}

Json SchemaBuilder::finish(Json root) {
  if (!definitions_.empty()) root.as_object()["$defs"] = std::move(definitions_);
  return root;
}

void add_rules(JsonObject& schema, const FieldRules& rules) {
  if (!rules.description.empty()) schema["description"] = rules.description;
  if (rules.minimum) schema["minimum"] = bound(*rules.minimum);
  if (rules.maximum) schema["maximum"] = bound(*rules.maximum);
  if (rules.min_length) schema["minLength"] = *rules.min_length;
  if (rules.max_length) schema["maxLength"] = *rules.max_length;
  if (rules.min_items) schema["minItems"] = *rules.min_items;
  if (rules.max_items) schema["maxItems"] = *rules.max_items;
}

const JsonObject* expect_object(const Json& json, const Path& path, Problems& problems) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) report_type(json, "an object", path, problems);
  return object;
}

const JsonArray* expect_array(const Json& json, const Path& path, Problems& problems) {
  const JsonArray* array = json.if_array();
  if (array == nullptr) report_type(json, "an array", path, problems);
  return array;
}

void check_count(std::size_t count, const FieldRules* rules, const Path& path, Problems& problems) {
  if (rules == nullptr || problems.rules == Rules::ignored) return;
  check_bounds(count, rules->min_items, rules->max_items, kItems, path, problems);
}

void check_range(double value, const FieldRules* rules, const Path& path, Problems& problems) {
  if (rules == nullptr || problems.rules == Rules::ignored) return;
  if (rules->minimum && value < *rules->minimum) {
    report(path, problems, fmt::format("must be at least {}, not {}", *rules->minimum, value));
  }
  if (rules->maximum && value > *rules->maximum) {
    report(path, problems, fmt::format("must be at most {}, not {}", *rules->maximum, value));
  }
}

const Json* find_member(const JsonObject& object, std::string_view name,
                        std::size_t probable_place) {
  if (probable_place < object.size()) {
    const auto& probable = *(object.begin() + static_cast<std::ptrdiff_t>(probable_place));
    if (std::string_view(probable.key()) == name) return &probable.value();
  }
  return object.if_contains(name);
}

void refuse_unknown(const JsonObject& object, std::span<const std::string_view> known,
                    const Path& path, Problems& problems) {
  if (problems.rules == Rules::ignored) return;
  for (const auto& member : object) {
    if (std::ranges::find(known, std::string_view(member.key())) != known.end()) continue;
    problems.found.push_back(fmt::format("Unknown parameter: {} (known: {})",
                                         Path{&path, member.key()}.text(), fmt::join(known, ", ")));
  }
}

void report_missing(const Path& path, Problems& problems) {
  problems.found.push_back("Missing required parameter: " + path.text());
}

void report_out_of_range(std::int64_t least, std::uint64_t most, const FieldRules* rules,
                         const Path& path, Problems& problems) {
  std::string low = fmt::format("{}", least);
  std::string high = fmt::format("{}", most);
  if (rules != nullptr && problems.rules == Rules::kept) {
    if (rules->minimum && *rules->minimum > static_cast<double>(least)) {
      low = to_text(bound(*rules->minimum));
    }
    if (rules->maximum && *rules->maximum < static_cast<double>(most)) {
      high = to_text(bound(*rules->maximum));
    }
  }
  report(path, problems, fmt::format("must be from {} to {}", low, high));
}

bool read(const Json& json, bool& value, const Path& path, Problems& problems) {
  if (!json.is_bool()) {
    report_type(json, "a boolean", path, problems);
    return false;
  }
  value = json.get_bool();
  return true;
}

bool read(const Json& json, double& value, const Path& path, Problems& problems) {
  if (!json.is_number()) {
    report_type(json, "a number", path, problems);
    return false;
  }
  value = json.to_number<double>();
  return true;
}

bool read(const Json& json, std::string& value, const FieldRules* rules, const Path& path,
          Problems& problems) {
  if (!json.is_string()) {
    report_type(json, "a string", path, problems);
    return false;
  }
  value = std::string_view(json.get_string());
  if (rules != nullptr && problems.rules == Rules::kept && !has_length_surely(value, *rules)) {
    check_bounds(count_characters(value), rules->min_length, rules->max_length, kCharacters, path,
                 problems);
  }
  return true;
}

std::optional<WideInteger> read_integer(const Json& json, const Path& path, Problems& problems) {
  if (json.is_uint64()) return WideInteger{false, json.get_uint64()};
  if (json.is_int64()) {
    const std::int64_t value = json.get_int64();
    const auto bits = static_cast<std::uint64_t>(value);
    return value < 0 ? WideInteger{true, 0 - bits} : WideInteger{false, bits};
  }
  if (json.is_double()) {
    const double value = json.get_double();
    // 2^63: every smaller magnitude fits, and its conversion is exact.
    if (value == std::trunc(value) && std::abs(value) < 9223372036854775808.0) {
      return WideInteger{value < 0, static_cast<std::uint64_t>(std::abs(value))};
    }
    if (value == std::trunc(value)) return WideInteger{.is_negative = value < 0, .is_beyond = true};
  }
  report_type(json, "an integer", path, problems);
  return std::nullopt;
}

std::optional<std::size_t> read_choice(const Json& json, std::span<const std::string_view> names,
                                       const Path& path, Problems& problems) {
  if (!json.is_string()) {
    report_type(json, "a string", path, problems);
    return std::nullopt;
  }
  const auto found = std::ranges::find(names, std::string_view(json.get_string()));
  if (found == names.end()) {
    report(path, problems, fmt::format("must be one of: {}", fmt::join(names, ", ")));
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace wright::detail

namespace wright {

constexpr std::string_view kViolations = "violations";

// Of a thousand problems, the model needs to know the first ones, and that there are more.
Error refused_arguments(std::span<const std::string> problems) {
  constexpr std::size_t kMostTold = 20;
  constexpr std::size_t kLongestTold = 2'000;
  JsonArray list;
  std::vector<std::string> told;
  for (const std::string& problem : problems.first(std::min(problems.size(), kMostTold))) {
    const std::string_view begin = utf8_prefix(problem, kLongestTold);
    told.push_back(fmt::format("{}{}", begin, begin.size() < problem.size() ? "…" : ""));
    list.emplace_back(told.back());
  }
  if (problems.size() > kMostTold) {
    told.push_back(fmt::format("and {} more", problems.size() - kMostTold));
  }
  return Error{ErrorCode::invalid_argument, fmt::format("{}", fmt::join(told, "; ")),
               JsonObject{{kViolations, std::move(list)}}};
}

bool is_refused_arguments(const Error& error) {
  return error.code == ErrorCode::invalid_argument && error.find(kViolations) != nullptr;
}

}  // namespace wright
