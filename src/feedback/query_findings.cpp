// The suggestion engine: needs of the query that no tool of the agent meets, each with a tool that
// would.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "feedback/findings.h"
#include "feedback/query_needs.h"

namespace wright::feedback {
namespace {

std::vector<std::string> fields_in(const Evidence& evidence,
                                   std::vector<std::string> ResultShape::*fields) {
  constexpr std::size_t kMostShown = 5;
  std::vector<std::string> names;
  for (const CallRecord& call : evidence.calls) {
    if (call.state != CallRecord::State::succeeded) continue;
    for (const std::string& name : call.shape.*fields) {
      if (names.size() < kMostShown && std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

// A tool that searches for things of a type.
const ToolFacts* search_tool(const Evidence& evidence) {
  const auto found = std::ranges::find_if(evidence.tools, [](const ToolFacts& tool) {
    return tool.has_parameter("entity_type") || tool.has_parameter("conditions");
  });
  return found == evidence.tools.end() ? nullptr : &*found;
}

// What is searched, for the wording of a config change.
std::string searched_entity(const Evidence& evidence) {
  for (const CallRecord& call : evidence.calls) {
    const auto parsed = parse_json(call.arguments);
    const JsonObject* object = parsed ? parsed->if_object() : nullptr;
    const Json* type = object != nullptr ? object->if_contains("entity_type") : nullptr;
    if (type != nullptr && type->is_string()) {
      return std::string(utf8_prefix(type->get_string(), 64));
    }
  }
  return "entities";
}

class QueryFindings {
 public:
  explicit QueryFindings(const Evidence& evidence)
      : evidence_(evidence),
        subject_(subject_of(evidence.query)),
        has_data_(feedback::has_data(evidence)) {}

  Findings find() && {
    const std::vector<Need> needs = needs_of(evidence_.query);
    for (const Need& need : needs) {
      if (!can(evidence_.tools, need.capability, subject_)) explain(need);
    }
    const bool asked_for_pattern =
        std::ranges::any_of(needs, [](const Need& need) { return is_text_match(need.capability); });
    if (!asked_for_pattern) complement_search_by_meaning();
    for (const auto& [change, switched] : switched_) {
      findings_.suggestions.push_back(
          switch_on(*switched.first, switched.names, evidence_.agent, switched.priority));
    }
    return std::move(findings_);
  }

 private:
  // Nothing at all was found out: then the answer depends on what is missing.
  Impact graver(Impact usual) const { return has_data_ ? usual : Impact::critical; }

  void explain(const Need& need) {
    switch (need.capability) {
      case Capability::compare_numbers: return numbers(need);
      case Capability::compare_dates: return dates(need);
      case Capability::match_contains:
      case Capability::match_prefix:
      case Capability::match_suffix:
      case Capability::match_regex:
      case Capability::match_glob: return patterns(need);
      case Capability::sort: return sorting(need);
      case Capability::aggregate: return aggregation(need);
      case Capability::relate: return relationships(need);
      case Capability::exclude: return exclusion(need);
      case Capability::convert_units: return units(need);
    }
  }

  void limit(std::string description, Impact impact, MissingCapability missing) {
    findings_.limitations.push_back({std::move(description), impact, missing});
  }
  // An existing tool is switched on; only a missing one has to be built.
  enum class Proposed : std::uint8_t { to_build, to_switch_on };
  Proposed propose(Impact priority, std::string description, ProposedTool tool) {
    if (const AvailableTool* there = available_tool(evidence_.available, tool.name)) {
      Switched& switched = switched_.try_emplace(there->change, Switched{there}).first->second;
      switched.priority = std::min(switched.priority, priority);
      if (std::ranges::find(switched.names, there->name) == switched.names.end()) {
        switched.names.push_back(there->name);
        findings_.alternatives.push_back({fmt::format("Switch on {}", there->name),
                                          {"Exact"},
                                          {},
                                          std::vector<std::string>{there->change}});
      }
      return Proposed::to_switch_on;
    }
    findings_.alternatives.push_back(
        {fmt::format("Add {}", tool.name), {"Exact"}, {"Has to be built first"}, {{tool.name}}});
    findings_.suggestions.push_back({SuggestionType::new_tool, priority, std::move(description),
                                     std::move(tool), std::nullopt});
    return Proposed::to_build;
  }
  void expose(Impact priority, std::string_view field, std::string_view example) {
    const ToolFacts* tool = search_tool(evidence_);
    findings_.suggestions.push_back(
        {SuggestionType::expose_field, priority,
         fmt::format("Return a field such as {}, so that it can be compared", field), std::nullopt,
         ConfigChange{searched_entity(evidence_),
                      fmt::format("Add {} to what {} returns", field,
                                  tool != nullptr ? tool->name : "a search tool"),
                      fmt::format("\"{}\": {}", field, example)}});
  }
  void by_hand(std::string approach, std::string drawback) {
    if (!has_data_) return;
    findings_.alternatives.push_back({std::move(approach),
                                      {"Works with the tools there are"},
                                      {std::move(drawback)},
                                      std::vector<std::string>{}});
  }

  void numbers(const Need& need) {
    const auto fields = fields_in(evidence_, &ResultShape::number_fields);
    if (need.certainty == Certainty::maybe && fields.empty()) return;
    const std::string wanted = field_for(need.measure);
    const std::string like = !fields.empty()   ? fmt::format("{}", fmt::join(fields, ", "))
                             : !wanted.empty() ? wanted
                                               : "a count or a size";
    limit(fmt::format("Cannot filter by numbers (\"{}\"): no tool compares {}", need.words, like),
          graver(Impact::high), MissingCapability::comparison);
    const Proposed proposed = propose(
        graver(Impact::high),
        fmt::format("Add number_range_search to filter by numeric fields such as {}", like),
        {"number_range_search",
         "Filter by a numeric field with the operators equal, gt, gte, lt, lte, between and "
         "approximately",
         {"entity_type", "field", "operator", "value", "upper_value?", "tolerance?", "limit?"}});
    const bool is_exposed = std::ranges::find(fields, wanted) != fields.end();
    if (proposed == Proposed::to_build && !wanted.empty() && !is_exposed) {
      expose(Impact::high, wanted, "245");
    }
    by_hand("Read all of it and compare the numbers one by one",
            "Slow, and wrong where results are cut");
  }

  void dates(const Need& need) {
    const auto fields = fields_in(evidence_, &ResultShape::date_fields);
    limit(fmt::format("Cannot filter by time (\"{}\")", need.words), graver(Impact::high),
          MissingCapability::tool);
    const Proposed proposed =
        propose(graver(Impact::high), "Add datetime_range_search to filter by date and time",
                {"datetime_range_search",
                 "Filter by a date field with the modes before, after, between and relative",
                 {"entity_type", "field", "mode", "datetime?", "start_datetime?", "end_datetime?",
                  "relative_period?", "precision?"}});
    if (proposed == Proposed::to_build && fields.empty()) {
      expose(Impact::high, "last_modified", "\"2026-03-01T12:00:00Z\"");
    }
    by_hand("Search for the words of the question",
            "Finds what mentions a time, not what is of it");
  }

  // Each kind of comparison is a need of its own: a tool that finds what a text contains cannot
  // find how it begins.
  void patterns(const Need& need) {
    const std::string_view wanted = operator_for(need.capability);
    const auto partly = std::ranges::find_if(evidence_.tools, [&](const ToolFacts& tool) {
      const bool has_operators = tool.has_parameter("operator") || tool.has_parameter("mode");
      return has_operators && (can(tool, Capability::match_contains, subject_) ||
                               can(tool, Capability::match_prefix, subject_) ||
                               can(tool, Capability::match_suffix, subject_));
    });
    const bool can_improve = partly != evidence_.tools.end();
    limit(fmt::format("Cannot match texts by {} (\"{}\")", wanted, need.words),
          graver(Impact::medium),
          can_improve ? MissingCapability::comparison : MissingCapability::tool);
    const bool is_available = available_tool(evidence_.available, "text_pattern_search") != nullptr;
    if (can_improve && !is_available) {
      findings_.suggestions.push_back(
          {SuggestionType::improve_existing, graver(Impact::medium),
           fmt::format("Let {} compare texts by {}", partly->name, wanted), std::nullopt,
           ConfigChange{partly->name, fmt::format("Add {} to the operators", wanted),
                        fmt::format("\"enum\": [\"=\", \"{}\"]", wanted)}});
    } else {
      propose_pattern_search(
          graver(Impact::medium),
          fmt::format("Add text_pattern_search to match names and texts by {}", wanted));
    }
    by_hand("Read all of it and compare the texts one by one",
            "Slow, and wrong where results are cut");
  }

  void propose_pattern_search(Impact priority, std::string description) {
    propose(priority, std::move(description),
            {"text_pattern_search",
             "Match a text field by contains, starts_with, ends_with, exact or regex",
             {"entity_type", "field", "pattern", "mode?", "case_sensitive?"}});
  }

  // What was found by meaning may not be all there is.
  void complement_search_by_meaning() {
    const auto used = std::ranges::find_if(evidence_.calls, [&](const CallRecord& call) {
      const auto tool = std::ranges::find(evidence_.tools, call.name, &ToolFacts::name);
      return tool != evidence_.tools.end() && searches_by_meaning(*tool) &&
             call.state == CallRecord::State::succeeded;
    });
    if (used == evidence_.calls.end() || !looks_for_things(evidence_.query) ||
        can(evidence_.tools, Capability::match_contains, subject_)) {
      return;
    }
    propose_pattern_search(
        Impact::low,
        fmt::format("text_pattern_search could find what {} misses: names that do not sound alike",
                    used->name));
  }

  void sorting(const Need& need) {
    const std::string field = field_for(need.measure);
    limit(fmt::format("Cannot sort (\"{}\"): no tool has an order{}", need.words,
                      field.empty() ? "" : fmt::format(", for example by {}", field)),
          graver(Impact::high), MissingCapability::comparison);
    const ToolFacts* query = search_tool(evidence_);
    ProposedTool tool{"query_entities",
                      "Find entities by conditions, in the order of a field, the first few of them",
                      {"entity_type", "conditions?", "order_by?", "limit?"}};
    if (query == nullptr || available_tool(evidence_.available, tool.name) != nullptr) {
      propose(graver(Impact::high), "Add query_entities with order_by, for the first few of many",
              std::move(tool));
      return;
    }
    tool.name = query->name;
    findings_.suggestions.push_back(
        {SuggestionType::improve_existing, graver(Impact::high),
         fmt::format("Let {} sort by a field and return the first few", query->name),
         std::move(tool), std::nullopt});
  }

  void aggregation(const Need& need) {
    limit(fmt::format("Cannot count or group (\"{}\"): results have to be counted by hand",
                      need.words),
          Impact::medium, MissingCapability::tool);
    propose(Impact::medium, "Add aggregate_entities to count, sum and group",
            {"aggregate_entities",
             "COUNT, AVG, SUM, MIN or MAX of a field, for all entities or by group",
             {"entity_type", "function", "field?", "group_by?", "conditions?"}});
  }

  void relationships(const Need& need) {
    limit(fmt::format("Cannot follow relationships (\"{}\")", need.words), graver(Impact::high),
          MissingCapability::relationship);
    const Proposed proposed =
        propose(graver(Impact::high),
                "Add explore_relationships to follow what calls, uses or contains what",
                {"explore_relationships",
                 "Follow a relationship from an entity to its neighbours, to a given depth",
                 {"entity_type", "name", "relationship?", "direction?", "depth?"}});
    if (proposed == Proposed::to_switch_on) return;
    findings_.suggestions.push_back(
        {SuggestionType::add_relationship, Impact::medium,
         "Record how the entities relate, so that it can be asked for", std::nullopt,
         ConfigChange{searched_entity(evidence_),
                      fmt::format("Record the relationship of \"{}\"", need.words),
                      R"({"from": "main", "relationship": "calls", "to": "parse"})"}});
  }

  void exclusion(const Need& need) {
    limit(fmt::format("Cannot ask for what is not there (\"{}\")", need.words), Impact::medium,
          MissingCapability::comparison);
    propose(Impact::medium, "Add enum_filter_search with exclude, to leave things out",
            {"enum_filter_search",
             "Keep, or with exclude leave out, entities whose field has one of the values",
             {"entity_type", "field", "values", "exclude?"}});
  }

  void units(const Need& need) {
    limit(fmt::format("Cannot convert units (\"{}\")", need.words), Impact::low,
          MissingCapability::tool);
    propose(Impact::low, "Add convert_units, so that nobody has to calculate in their head",
            {"convert_units",
             "Convert a value from one unit to another",
             {"value", "from_unit", "to_unit"}});
  }

  // Tools that one change switches on.
  struct Switched {
    const AvailableTool* first;
    std::vector<std::string> names = {};
    Impact priority = Impact::low;
  };

  const Evidence& evidence_;
  const Subject subject_;
  const bool has_data_;
  Findings findings_;
  std::map<std::string_view, Switched> switched_;
};

}  // namespace

Findings findings_from_query(const Evidence& evidence) {
  return QueryFindings(evidence).find();
}

}  // namespace wright::feedback
