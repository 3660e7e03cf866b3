#include "feedback/capabilities.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <initializer_list>

#include "core/text.h"

namespace wright::feedback {
namespace {

constexpr std::size_t kMostNames = 200;
constexpr std::size_t kDeepestSchema = 8;
constexpr std::size_t kLongestDescription = 600;

using Names = std::initializer_list<std::string_view>;

// Collects the names of properties and the values of enums from a JSON schema.
class SchemaWalk {
 public:
  explicit SchemaWalk(ToolFacts& facts) : facts_(facts) {}

  void visit(const Json& schema, std::size_t depth = 0) {
    if (depth > kDeepestSchema || facts_.parameters.size() + facts_.choices.size() > kMostNames)
      return;
    if (const JsonArray* list = schema.if_array()) {
      for (const Json& each : *list) visit(each, depth + 1);
      return;
    }
    const JsonObject* object = schema.if_object();
    if (object == nullptr) return;
    for (const auto& [key, value] : *object) {
      const std::string_view keyword = key;
      if (keyword == "properties" && value.is_object()) {
        for (const auto& [name, inner] : value.get_object()) {
          facts_.parameters.push_back(lower(name));
          visit(inner, depth + 1);
        }
      } else if (keyword == "enum" && value.is_array()) {
        for (const Json& choice : value.get_array()) {
          if (choice.is_string()) facts_.choices.push_back(lower(choice.get_string()));
        }
      } else if (keyword == "const" && value.is_string()) {
        facts_.choices.push_back(lower(value.get_string()));
      } else if (keyword == "format") {
        facts_.has_date_format |= value == Json("date") || value == Json("date-time");
      } else if (keyword == "items" || keyword == "anyOf" || keyword == "oneOf" ||
                 keyword == "allOf" || keyword == "prefixItems") {
        visit(value, depth + 1);
      } else if ((keyword == "$defs" || keyword == "definitions") && value.is_object()) {
        for (const auto& [name, inner] : value.get_object()) visit(inner, depth + 1);
      }
    }
  }

 private:
  ToolFacts& facts_;
};

bool is_named(const ToolFacts& tool, Names names) {
  return std::ranges::find(names, std::string_view(tool.lower_name)) != names.end();
}
bool has_parameter(const ToolFacts& tool, Names names) {
  return std::ranges::any_of(names, [&](auto name) { return tool.has_parameter(name); });
}
bool has_choice(const ToolFacts& tool, Names names) {
  return std::ranges::any_of(names, [&](auto name) { return tool.has_choice(name); });
}

// A query language covers all of it.
bool is_sql(const ToolFacts& tool) {
  const bool mentions = tool.lower_name.find("sql") != std::string::npos ||
                        tool.description.find("sql") != std::string::npos;
  return mentions && has_parameter(tool, {"query", "sql", "statement"});
}

bool is_shell(const ToolFacts& tool) {
  return is_named(tool, {"bash", "shell", "sh", "terminal"}) ||
         has_parameter(tool, {"command", "cmd"});
}

// Conditions without a list of operators: presumably all the usual ones.
bool has_open_conditions(const ToolFacts& tool) {
  return tool.has_parameter("conditions") && tool.has_parameter("operator") && tool.choices.empty();
}

// min_x and max_x of the things that are searched.
bool has_range(const ToolFacts& tool) {
  return std::ranges::any_of(tool.parameters, [&](const std::string& name) {
    return name.starts_with("min_") && tool.has_parameter("max_" + name.substr(4));
  });
}

bool can_compare_numbers(const ToolFacts& tool) {
  return is_named(tool, {"number_range_search", "numeric_range_search"}) ||
         has_choice(
             tool, {">", ">=", "<", "<=", "gt", "gte", "lt", "lte", "greater_than", "less_than"}) ||
         has_open_conditions(tool) || has_range(tool);
}

bool can_compare_dates(const ToolFacts& tool) {
  return is_named(tool, {"datetime_range_search", "date_range_search"}) || tool.has_date_format ||
         has_parameter(tool, {"start_date", "end_date", "start_datetime", "end_datetime", "since",
                              "until", "modified_after", "modified_before", "modified_since",
                              "relative_period", "date_from", "date_to", "from_date", "to_date"});
}

// A regular expression can express all the others, a glob all except that one.
bool can_match_regex(const ToolFacts& tool) {
  const bool has_pattern = tool.has_parameter("pattern") && !tool.takes_globs_only;
  return is_named(tool, {"text_pattern_search", "grep"}) || has_pattern ||
         has_parameter(tool, {"regex", "regexp"}) ||
         has_choice(tool, {"regex", "regexp", "matches", "=~", "~"}) || has_open_conditions(tool);
}

bool can_match_glob(const ToolFacts& tool) {
  return can_match_regex(tool) || has_parameter(tool, {"pattern", "glob"}) ||
         has_choice(tool, {"glob", "like", "ilike", "wildcard"});
}

bool can_match_prefix(const ToolFacts& tool) {
  return can_match_glob(tool) || tool.has_parameter("prefix") ||
         has_choice(tool, {"starts_with", "starts with", "startswith", "prefix", "begins_with"});
}

bool can_match_suffix(const ToolFacts& tool) {
  return can_match_glob(tool) || tool.has_parameter("suffix") ||
         has_choice(tool, {"ends_with", "ends with", "endswith", "suffix"});
}

bool can_match_contains(const ToolFacts& tool) {
  return can_match_glob(tool) || has_choice(tool, {"contains", "substring", "includes"});
}

bool can_sort(const ToolFacts& tool) {
  return has_parameter(tool, {"order_by", "orderby", "sort", "sort_by", "sortby", "order"});
}

bool can_aggregate(const ToolFacts& tool) {
  return is_named(tool, {"aggregate_entities"}) ||
         has_parameter(tool, {"group_by", "groupby", "aggregate", "aggregation", "aggregations"}) ||
         has_choice(tool, {"count", "avg", "sum"});
}

bool can_relate(const ToolFacts& tool) {
  return is_named(tool, {"explore_relationships", "find_references", "call_graph"}) ||
         tool.lower_name.find("relationship") != std::string::npos ||
         has_parameter(tool, {"relationship", "relationships", "relationship_type", "relation"});
}

bool can_exclude(const ToolFacts& tool) {
  return is_named(tool, {"enum_filter_search"}) ||
         has_parameter(tool, {"exclude", "exclude_pattern", "excluded", "not", "invert"}) ||
         has_choice(tool, {"!=", "<>", "not_equal", "ne", "not in", "not_in", "not_contains"}) ||
         has_open_conditions(tool);
}

bool can_convert_units(const ToolFacts& tool) {
  return is_named(tool, {"convert_units", "unit_conversion"}) ||
         has_parameter(tool, {"unit", "units", "from_unit", "to_unit"});
}

}  // namespace

bool ToolFacts::has_parameter(std::string_view parameter) const {
  return std::ranges::find(parameters, parameter) != parameters.end();
}

bool ToolFacts::has_choice(std::string_view choice) const {
  return std::ranges::find(choices, choice) != choices.end();
}

ToolFacts facts_of(const ToolSpec& spec) {
  ToolFacts facts;
  facts.name = spec.name;
  facts.lower_name = lower(spec.name);
  facts.description = lower(utf8_prefix(spec.description, kLongestDescription));
  SchemaWalk(facts).visit(spec.parameters);
  facts.takes_globs_only = facts.description.find("glob") != std::string::npos &&
                           facts.description.find("regular expression") == std::string::npos &&
                           facts.description.find("regex") == std::string::npos;
  return facts;
}

std::vector<ToolFacts> facts_of(std::span<const Tool> tools) {
  std::vector<ToolFacts> facts;
  facts.reserve(tools.size());
  for (const Tool& tool : tools) facts.push_back(facts_of(tool.spec));
  return facts;
}

bool can(const ToolFacts& tool, Capability capability) {
  const bool is_query = is_sql(tool);
  switch (capability) {
    case Capability::compare_numbers:
      return is_query || is_shell(tool) || can_compare_numbers(tool);
    case Capability::compare_dates: return is_query || is_shell(tool) || can_compare_dates(tool);
    case Capability::match_contains: return is_query || is_shell(tool) || can_match_contains(tool);
    case Capability::match_prefix: return is_query || is_shell(tool) || can_match_prefix(tool);
    case Capability::match_suffix: return is_query || is_shell(tool) || can_match_suffix(tool);
    case Capability::match_regex: return is_query || is_shell(tool) || can_match_regex(tool);
    case Capability::match_glob: return is_query || is_shell(tool) || can_match_glob(tool);
    case Capability::sort: return is_query || is_shell(tool) || can_sort(tool);
    case Capability::aggregate: return is_query || is_shell(tool) || can_aggregate(tool);
    case Capability::relate: return is_query || can_relate(tool);
    case Capability::exclude: return is_query || is_shell(tool) || can_exclude(tool);
    case Capability::convert_units: return can_convert_units(tool);
  }
  return false;
}

bool can(std::span<const ToolFacts> tools, Capability capability) {
  return std::ranges::any_of(tools, [&](const ToolFacts& tool) { return can(tool, capability); });
}

bool is_text_match(Capability capability) {
  return !operator_for(capability).empty();
}

std::string_view operator_for(Capability text_match) {
  switch (text_match) {
    case Capability::match_contains: return "contains";
    case Capability::match_prefix: return "starts_with";
    case Capability::match_suffix: return "ends_with";
    case Capability::match_regex: return "regex";
    case Capability::match_glob: return "glob";
    default: return {};
  }
}

bool searches_by_meaning(const ToolFacts& tool) {
  return tool.lower_name.find("semantic") != std::string::npos ||
         tool.lower_name.find("vector") != std::string::npos ||
         tool.lower_name.find("similar") != std::string::npos ||
         tool.lower_name.find("embedding") != std::string::npos;
}

}  // namespace wright::feedback
