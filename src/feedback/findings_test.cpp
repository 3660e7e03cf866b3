// The suggestion engine and the needs that it works with, on typical questions.
#include "feedback/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "feedback/findings_testing.h"
#include "feedback/query_needs.h"
#include "wright/people.h"
#include "wright/schema.h"

namespace wright::feedback {
namespace {

using namespace sample;

TEST(Suggestions, ask_for_a_numeric_tool_until_there_is_one) {
  Evidence evidence{.agent = "code-analyzer",
                    .query = "What are the largest classes (over 200 lines)?",
                    .calls = {call_of("query_entities", kClasses)},
                    .tools = {plain_query_entities()}};
  const Findings without = all_findings(evidence);
  const Suggestion* suggestion = tool_suggestion(without, "number_range_search");
  ASSERT_NE(suggestion, nullptr);
  EXPECT_EQ(suggestion->type, SuggestionType::new_tool);
  EXPECT_EQ(suggestion->priority, Impact::high);
  EXPECT_NE(suggestion->description.find("startLine, endLine"), std::string::npos)
      << suggestion->description;
  const std::vector<std::string> parameters{"entity_type",  "field",      "operator", "value",
                                            "upper_value?", "tolerance?", "limit?"};
  EXPECT_EQ(suggestion->tool_spec->parameters, parameters);
  EXPECT_TRUE(has_limitation(without, "Cannot filter by numbers (\"over 200\")", Impact::high,
                             MissingCapability::comparison));
  const Suggestion* field = suggestion_of(without, SuggestionType::expose_field);
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->config_change->change, "Add line_count to what query_entities returns");
  EXPECT_EQ(field->config_change->entity, "class");

  evidence.tools.push_back(tool_named("number_range_search"));
  const Findings with = all_findings(evidence);
  EXPECT_EQ(tool_suggestion(with, "number_range_search"), nullptr);
  EXPECT_FALSE(has_limitation(with, "Cannot filter by numbers", Impact::high,
                              MissingCapability::comparison));
}

TEST(Suggestions, ask_for_a_date_tool_until_there_is_one) {
  Evidence evidence{.query = "Show me code modified in the last week",
                    .tools = {plain_query_entities(), tool_named("semantic_search")}};
  const Findings without = all_findings(evidence);
  const Suggestion* suggestion = tool_suggestion(without, "datetime_range_search");
  ASSERT_NE(suggestion, nullptr);
  EXPECT_EQ(suggestion->priority, Impact::critical) << "nothing at all was found out";
  EXPECT_TRUE(has_limitation(without, "Cannot filter by time (\"last week\")", Impact::critical,
                             MissingCapability::tool));
  const Suggestion* field = suggestion_of(without, SuggestionType::expose_field);
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->config_change->example, R"("last_modified": "2026-03-01T12:00:00Z")");

  evidence.tools.push_back(tool_named("datetime_range_search"));
  EXPECT_EQ(tool_suggestion(all_findings(evidence), "datetime_range_search"), nullptr);
}

TEST(Suggestions, complement_a_search_by_meaning_until_there_is_a_pattern_tool) {
  Evidence evidence{
      .query = "Find authentication functions",
      .calls = {call_of("semantic_search", R"({"results":[{"name":"authenticateUser"}]})")},
      .tools = {tool_named("semantic_search")}};
  const Findings without = all_findings(evidence);
  EXPECT_TRUE(without.limitations.empty());
  ASSERT_EQ(without.suggestions.size(), 1U);
  EXPECT_EQ(without.suggestions[0].tool_spec->name, "text_pattern_search");
  EXPECT_EQ(without.suggestions[0].priority, Impact::low);

  evidence.tools.push_back(tool_named("text_pattern_search"));
  EXPECT_TRUE(all_findings(evidence).suggestions.empty());
}

struct Question {
  const char* query;
  const char* tool;    // that is proposed
  const char* schema;  // of a tool with another name that serves as well
};

class MissingTool : public ::testing::TestWithParam<Question> {};

TEST_P(MissingTool, is_proposed_until_some_tool_serves) {
  const Question& question = GetParam();
  Evidence evidence{
      .query = question.query, .calls = {call_of("look", kClasses)}, .tools = {tool_named("look")}};
  EXPECT_NE(tool_suggestion(all_findings(evidence), question.tool), nullptr) << question.query;
  EXPECT_TRUE(std::ranges::all_of(all_findings(evidence).suggestions, [](const Suggestion& each) {
    return each.tool_spec.has_value() != each.config_change.has_value();
  })) << "each is a tool or a change";

  Evidence by_name = evidence;
  by_name.tools.push_back(tool_named(question.tool, question.schema));
  EXPECT_EQ(tool_suggestion(all_findings(by_name), question.tool), nullptr);
  evidence.tools.push_back(tool_named("something_else", question.schema));
  EXPECT_EQ(tool_suggestion(all_findings(evidence), question.tool), nullptr) << question.schema;
}

constexpr const char* kOperators = R"({"properties":{"operator":{"enum":["gt","lt"]}}})";
constexpr const char* kDates = R"({"properties":{"on":{"type":"string","format":"date"}}})";
constexpr const char* kPatterns = R"({"properties":{"pattern":{"type":"string"}}})";
constexpr const char* kOrder = R"({"properties":{"order_by":{"type":"object"}}})";
constexpr const char* kGroups = R"({"properties":{"group_by":{"type":"string"}}})";
constexpr const char* kRelations = R"({"properties":{"relationship":{"type":"string"}}})";
constexpr const char* kExclude = R"({"properties":{"exclude":{"type":"boolean"}}})";
constexpr const char* kUnits = R"({"properties":{"from_unit":{"type":"string"}}})";

INSTANTIATE_TEST_SUITE_P(
    Questions, MissingTool,
    ::testing::Values(
        Question{"Find classes with more than 200 lines", "number_range_search", kOperators},
        Question{"functions between 10 and 20 lines", "number_range_search", kOperators},
        Question{"Which methods have > 5 parameters?", "number_range_search", kOperators},
        Question{"Which classes are larger?", "number_range_search", kOperators},
        Question{"products cheaper than 1,000.50", "number_range_search",
                 R"({"properties":{"min_price":{},"max_price":{}}})"},
        Question{"files older than 30 days", "datetime_range_search", kDates},
        Question{"What changed recently?", "datetime_range_search", kDates},
        Question{"orders between January and March", "datetime_range_search",
                 R"({"properties":{"since":{}}})"},
        Question{"everything created after 2024", "datetime_range_search", kDates},
        Question{"commits since yesterday", "datetime_range_search", kDates},
        Question{"functions whose name starts with parse", "text_pattern_search", kPatterns},
        Question{"classes with names like Agent", "text_pattern_search", kPatterns},
        Question{"files ending with .ts", "text_pattern_search",
                 R"({"properties":{"mode":{"enum":["CONTAINS","REGEX"]}}})"},
        Question{"the top 5 authors", "query_entities", kOrder},
        Question{"Rank the files by size", "query_entities", kOrder},
        Question{"How many functions are there?", "aggregate_entities", kGroups},
        Question{"average salary grouped by team", "aggregate_entities",
                 R"({"properties":{"function":{"enum":["COUNT","AVG"]}}})"},
        Question{"Which functions are called by main?", "explore_relationships", kRelations},
        Question{"all subclasses of Widget", "explore_relationships", kRelations},
        Question{"classes without tests", "enum_filter_search", kExclude},
        Question{"users that are not active", "enum_filter_search",
                 R"({"properties":{"operator":{"enum":["=","!="]}}})"},
        Question{"files over 10 MB", "convert_units", kUnits},
        Question{"Convert 3 miles", "convert_units", kUnits},
        Question{"requests slower than 250ms", "convert_units", kUnits}));

TEST(Suggestions, are_not_made_for_questions_that_need_nothing) {
  const Evidence evidence{.calls = {call_of("look", kClasses)}, .tools = {tool_named("look")}};
  for (const char* query : {"", "What does this project do?", "Explain the run machine.",
                            "I would like to know what it looks like",
                            "Where is the loop before the call?", "Where is convert defined?"}) {
    Evidence asked = evidence;
    asked.query = query;
    EXPECT_TRUE(all_findings(asked).suggestions.empty()) << query;
  }
}

TEST(Suggestions, see_that_one_language_does_it_all) {
  for (const ToolFacts& tool :
       {tool_named("sqlite_reader", R"({"properties":{"query":{"type":"string"}}})"),
        tool_named("ask_database", R"({"properties":{"sql":{"type":"string"}}})", "Runs SQL")}) {
    const Evidence evidence{
        .query =
            "top 5 customers without orders over 100 euros since 2024, grouped by city, "
            "joined with payments, names starting with A",
        .calls = {call_of(tool.name, kClasses)},
        .tools = {tool}};
    const Findings findings = all_findings(evidence);
    ASSERT_EQ(findings.suggestions.size(), 1U) << tool.name;
    EXPECT_EQ(findings.suggestions[0].tool_spec->name, "convert_units");
  }
  const Evidence shell{.query = "how many files starting with a are larger than 100 bytes?",
                       .tools = {tool_named("bash")}};
  EXPECT_TRUE(all_findings(shell).suggestions.empty());
}

TEST(Suggestions, do_not_take_likeness_of_size_for_numbers_where_there_are_none) {
  Evidence evidence{.query = "Which one is larger?",
                    .calls = {call_of("look", R"({"items":[{"name":"a"}]})")},
                    .tools = {tool_named("look")}};
  EXPECT_EQ(tool_suggestion(all_findings(evidence), "number_range_search"), nullptr);
  evidence.calls = {call_of("look", R"({"items":[{"name":"a","weight":3}]})")};
  EXPECT_NE(tool_suggestion(all_findings(evidence), "number_range_search"), nullptr);
}

TEST(Suggestions, improve_a_search_tool_that_cannot_sort) {
  const Evidence evidence{
      .query = "What are the most complex classes in the codebase? (Based on lines of code)",
      .calls = {call_of("query_entities", kClasses)},
      .tools = {plain_query_entities()}};
  const Findings findings = all_findings(evidence);
  EXPECT_NE(tool_suggestion(findings, "number_range_search"), nullptr);
  const Suggestion* sorting = suggestion_of(findings, SuggestionType::improve_existing);
  ASSERT_NE(sorting, nullptr);
  EXPECT_EQ(sorting->tool_spec->name, "query_entities");
  EXPECT_TRUE(has_limitation(findings, "for example by line_count", Impact::high,
                             MissingCapability::comparison));
}

TEST(Needs, take_conditions_without_a_list_of_operators_for_all_of_them) {
  const ToolFacts open = tool_named("query_entities", R"({"properties":{"conditions":{"items":{
      "properties":{"field":{},"operator":{"type":"string"},"value":{}}}}}})");
  EXPECT_TRUE(can(open, Capability::compare_numbers, Subject::others));
  EXPECT_FALSE(can(plain_query_entities(), Capability::compare_numbers, Subject::others));
}

TEST(Needs, tell_the_ways_to_compare_texts_apart) {
  using enum Capability;
  struct Case {
    const char* schema;
    const char* description;
    std::vector<Capability> served;
  };
  const std::vector<Case> cases{
      {R"({"properties":{"operator":{"enum":["=","CONTAINS"]}}})", "", {match_contains}},
      {R"({"properties":{"operator":{"enum":["=","STARTS WITH"]}}})", "", {match_prefix}},
      {R"({"properties":{"mode":{"enum":["ends_with"]}}})", "", {match_suffix}},
      {R"({"properties":{"mode":{"enum":["regex"]}}})",
       "",
       {match_contains, match_prefix, match_suffix, match_regex, match_glob}},
      {R"({"properties":{"pattern":{"type":"string"}}})",
       "Finds files by a glob",
       {match_contains, match_prefix, match_suffix, match_glob}},
      {R"({"properties":{"query":{"type":"string"}}})", "", {}},
  };
  for (const Case& each : cases) {
    const ToolFacts tool = tool_named("search", each.schema, each.description);
    for (const Capability wanted :
         {match_contains, match_prefix, match_suffix, match_regex, match_glob}) {
      const bool is_served = std::ranges::find(each.served, wanted) != each.served.end();
      EXPECT_EQ(can(tool, wanted, Subject::files), is_served)
          << each.schema << " " << operator_for(wanted);
    }
  }
}

// The specification's own examples.
constexpr std::array<std::pair<const char*, const char*>, 6> kSpecified{{
    {"Find classes with more than 200 lines", "number_range_search"},
    {"functions whose name contains parse", "text_pattern_search"},
    {"functions whose name starts with foo", "text_pattern_search"},
    {"functions whose name ends with Test", "text_pattern_search"},
    {"classes whose name matches Agent", "text_pattern_search"},
    {"classes with a name like Agent", "text_pattern_search"},
}};

TEST(Suggestions, are_not_kept_back_by_a_tool_that_asks_people) {
  const std::string asking = to_text(schema_of<AskUserRequest>());
  for (const auto& [query, tool] : kSpecified) {
    for (const char* name : {"ask_user", "interview"}) {
      const Evidence evidence{.query = query,
                              .calls = {call_of("look", kClasses)},
                              .tools = {tool_named("look"), tool_named(name, asking)}};
      EXPECT_NE(tool_suggestion(all_findings(evidence), tool), nullptr) << query << " " << name;
    }
  }
}

TEST(Suggestions, count_a_tool_for_files_for_questions_about_files_only) {
  const ToolFacts files = tool_named("list_files", R"({"properties":{
      "pattern":{"type":"string"},"mode":{"enum":["glob","tree"]},"sort":{"enum":["name"]}}})",
                                     "Lists files below the base folder that match a glob");
  for (const auto& [query, tool] : kSpecified) {
    const Evidence evidence{
        .query = query, .calls = {call_of("list_files", kClasses)}, .tools = {files}};
    EXPECT_NE(tool_suggestion(all_findings(evidence), tool), nullptr) << query;
  }
  for (const char* query : {"files whose name starts with foo", "Which folders contain parse?",
                            "everything that ends with .cpp", "the names like *.h"}) {
    const Evidence evidence{
        .query = query, .calls = {call_of("list_files", kClasses)}, .tools = {files}};
    EXPECT_EQ(tool_suggestion(all_findings(evidence), "text_pattern_search"), nullptr) << query;
  }
}

TEST(Needs, go_by_parameters_and_conditions_and_by_nothing_that_stands_deeper) {
  const auto facts = [](std::string_view schema) { return tool_named("search", schema); };
  const ToolFacts conditions = facts(R"({"properties":{"start_conditions":{"type":"array",
      "items":{"$ref":"#/$defs/Condition"}}},"$defs":{"Condition":{"properties":{
      "operator":{"enum":["gt"]},"all":{"items":{"$ref":"#/$defs/Condition"}}}}}})");
  EXPECT_TRUE(can(conditions, Capability::compare_numbers, Subject::others));
  const ToolFacts deeper = facts(R"({"properties":{"style":{"properties":{"pattern":{},
      "min_width":{},"max_width":{},"since":{},"exclude":{},"operator":{"enum":["gt","regex"]}}}},
      "$defs":{"Unused":{"properties":{"pattern":{}}}}})");
  EXPECT_EQ(deeper.parameters, (std::vector<std::string>{"style"}));
  EXPECT_TRUE(deeper.choices.empty());
  const ToolFacts after = facts(R"({"properties":{"filters":{"properties":{"a":{}}},
      "style":{"properties":{"pattern":{}}}}})");
  EXPECT_EQ(after.parameters, (std::vector<std::string>{"filters", "a", "style"}));
}

TEST(Needs, are_read_from_a_schema_that_leads_to_itself_in_bounded_time) {
  std::string wide = R"({"$ref":"#"})";
  for (int i = 0; i < 200; ++i) wide += R"(,{"$ref":"#"})";
  EXPECT_TRUE(tool_named("search", "{\"anyOf\":[" + wide + "]}").parameters.empty());
}

TEST(Suggestions, ask_for_each_way_to_compare_texts) {
  const Evidence evidence{
      .query = "classes whose name starts with A, ends with B and fits the regex a.*b",
      .calls = {call_of("query_entities", kClasses)},
      .tools = {plain_query_entities()}};
  const Findings findings = all_findings(evidence);
  for (const char* wanted : {"starts_with", "ends_with", "regex"}) {
    EXPECT_TRUE(has_limitation(findings, std::string("Cannot match texts by ") + wanted,
                               Impact::medium, MissingCapability::comparison))
        << wanted;
    EXPECT_TRUE(std::ranges::any_of(findings.suggestions, [&](const Suggestion& each) {
      return each.config_change &&
             each.config_change->change == std::string("Add ") + wanted + " to the operators";
    })) << wanted;
  }
  EXPECT_EQ(findings.suggestions.size(), 3U);
}

TEST(Suggestions, switch_on_what_is_there_instead_of_building_it) {
  const AvailableTool numbers{"number_range_search", "Set entities.index to true",
                              "[entities]\nindex = true"};
  const AvailableTool dates{"datetime_range_search", numbers.change, numbers.example};
  const Evidence evidence{
      .agent = "code",
      .query = "classes over 200 lines of the last week",
      .calls = {call_of("grep", kClasses), failed_call("Number_Range_Search", "Unknown tool: x")},
      .tools = {tool_named("grep")},
      .available = {numbers, dates}};
  const Findings findings = all_findings(evidence);
  ASSERT_EQ(findings.suggestions.size(), 1U) << findings.suggestions[1].description;
  const Suggestion& only = findings.suggestions[0];
  EXPECT_EQ(only.type, SuggestionType::improve_existing);
  EXPECT_FALSE(only.tool_spec);
  EXPECT_EQ(only.config_change,
            (ConfigChange{"code", "Set entities.index to true", "[entities]\nindex = true"}));
  EXPECT_EQ(only.description,
            "Switch on number_range_search, datetime_range_search: they are there already, and the "
            "agent does not have them");
  EXPECT_TRUE(has_limitation(findings, "Cannot filter by numbers", Impact::high,
                             MissingCapability::comparison));
}

TEST(Needs, name_the_field_of_a_measure) {
  EXPECT_EQ(field_for("lines"), "line_count");
  EXPECT_EQ(field_for("classes"), "class_count");
  EXPECT_EQ(field_for("queries"), "query_count");
  EXPECT_EQ(field_for("mb"), "size");
  EXPECT_EQ(field_for("price"), "price");
  EXPECT_EQ(field_for(""), "");
}

TEST(Needs, are_found_in_texts_of_any_kind) {
  EXPECT_TRUE(needs_of(std::string(100'000, 'x')).empty());
  EXPECT_TRUE(needs_of(std::string("\xff\xfe\x00 >", 5)).empty());
  EXPECT_TRUE(needs_of("like").empty());
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "more than ";
  EXPECT_LE(needs_of(many).size(), 12U);
}

}  // namespace
}  // namespace wright::feedback
