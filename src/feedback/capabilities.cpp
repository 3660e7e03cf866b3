#include "feedback/capabilities.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/json_members.h"
#include "core/text.h"

namespace wright::feedback {
namespace {

constexpr std::size_t kMostNames = 200;
constexpr std::size_t kDeepestSchema = 8;
constexpr std::size_t kMostVisited = 4'000;
constexpr std::size_t kLongestDescription = 600;

using Names = std::initializer_list<std::string_view>;

// Whether what is asked for stands below a property of this name: conditions, start_conditions,
// filter. What stands below others, such as the rules for answers to questions, is about something
// else.
bool is_condition(std::string_view property) {
  constexpr auto kConditions =
      std::to_array<std::string_view>({"condition", "conditions", "filter", "filters", "where",
                                       "criteria", "predicate", "predicates"});
  return std::ranges::any_of(kConditions, [&](std::string_view name) {
    return property == name || property.ends_with("_" + std::string(name));
  });
}

// Collects the names of properties and the values of enums from a JSON schema: of the tool's own
// parameters, and of conditions in them.
class SchemaWalk {
 public:
  SchemaWalk(const Json& root, ToolFacts& facts) : root_(root), facts_(facts) {
    visit(root, Place::tool, 0);
  }

 private:
  // Where a schema stands. Names of properties elsewhere do not say what the tool can do.
  enum class Place : std::uint8_t { tool, condition, elsewhere };

  void visit(const Json& schema, Place place, std::size_t depth) {
    if (depth > kDeepestSchema || ++visited_ > kMostVisited ||
        facts_.parameters.size() + facts_.choices.size() > kMostNames) {
      return;
    }
    if (const JsonArray* list = schema.if_array()) {
      for (const Json& each : *list) visit(each, place, depth + 1);
      return;
    }
    const JsonObject* object = schema.if_object();
    if (object == nullptr) return;
    for (const auto& [key, value] : *object) {
      const std::string_view keyword = key;
      if (keyword == "properties" && value.is_object()) {
        if (place != Place::elsewhere) visit_properties(value.get_object(), place, depth);
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
        visit(value, place, depth + 1);
      } else if (keyword == "$ref" && value.is_string()) {
        if (const Json* meant = referenced(value.get_string())) visit(*meant, place, depth + 1);
      }
    }
  }

  void visit_properties(const JsonObject& properties, Place place, std::size_t depth) {
    for (const auto& [name, inner] : properties) {
      facts_.parameters.push_back(lower(name));
      const bool is_in_condition =
          place == Place::condition || is_condition(facts_.parameters.back());
      visit(inner, is_in_condition ? Place::condition : Place::elsewhere, depth + 1);
    }
  }

  // "#", "#/$defs/NAME" or "#/definitions/NAME"; null for others.
  const Json* referenced(std::string_view reference) const {
    if (reference == "#") return &root_;
    for (const std::string_view group : {"$defs", "definitions"}) {
      const std::string start = "#/" + std::string(group) + "/";
      if (!reference.starts_with(start)) continue;
      const Json* all = member(root_, group);
      return all != nullptr ? member(*all, reference.substr(start.size())) : nullptr;
    }
    return nullptr;
  }

  const Json& root_;
  ToolFacts& facts_;
  std::size_t visited_ = 0;
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

// What it asks of a person says nothing about what can be searched.
bool asks_people(const ToolFacts& tool) {
  return is_named(tool, {"ask_user", "ask_human", "ask_person", "ask_followup_question",
                         "request_user_input", "askuserquestion"});
}

// Tells of names, sizes and times of files, and nothing of what is in them.
bool knows_files_only(const ToolFacts& tool) {
  return is_named(tool, {"list_files", "find_files", "list_directory", "glob", "ls"}) ||
         (tool.takes_globs_only && tool.description.find("file") != std::string::npos);
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
  SchemaWalk(spec.parameters, facts);
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

bool can(const ToolFacts& tool, Capability capability, Subject subject) {
  if (asks_people(tool) || (subject != Subject::files && knows_files_only(tool))) return false;
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

bool can(std::span<const ToolFacts> tools, Capability capability, Subject subject) {
  return std::ranges::any_of(tools,
                             [&](const ToolFacts& tool) { return can(tool, capability, subject); });
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
