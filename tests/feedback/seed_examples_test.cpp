// The success criteria of debug mode, on runs of the blocking driver: each test is named after
// what it shows.
#include <gtest/gtest.h>

#include <algorithm>

#include "wright/provider.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;
using testing::ScriptedModel;

Json parsed(std::string_view text) {
  auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  return json ? *json : Json();
}

Tool made_tool(std::string name, std::string_view schema, std::string_view result) {
  auto made =
      tool(ToolSpec{.name = std::move(name), .parameters = parsed(schema)},
           [value = parsed(result)](const Json&, const Context&) -> Result<Json> { return value; });
  EXPECT_TRUE(made);
  return *made;
}

// Equality and CONTAINS only, as the agent of the examples has it.
Tool query_entities() {
  return made_tool("query_entities", R"({"type":"object","properties":{
      "entity_type":{"type":"string"},
      "conditions":{"type":"array","items":{"type":"object","properties":{
        "field":{"type":"string"},"operator":{"enum":["=","!=","CONTAINS"]},"value":{}}}}}})",
                   R"({"entities":[{"name":"ConversationAgent","start_line":1,"end_line":245}]})");
}
Tool semantic_search() {
  return made_tool("semantic_search", R"({"type":"object","properties":{"query":{}}})",
                   R"({"results":[{"name":"authenticateUser","file":"auth/login.ts"}]})");
}
Tool empty_tool(std::string name) {
  return made_tool(std::move(name), R"({"type":"object"})", R"({"entities":[{"name":"x"}]})");
}

DebugOptions debug_on() {
  return {.enabled = true};
}

const Suggestion* proposal(const FeedbackReport& report, std::string_view tool) {
  const auto& all = report.tool_feedback.suggestions;
  const auto found = std::ranges::find_if(
      all, [&](const Suggestion& each) { return each.tool_spec && each.tool_spec->name == tool; });
  return found == all.end() ? nullptr : &*found;
}

FeedbackReport feedback_of(const Agent& agent, std::string_view query) {
  const auto answer = wright::run(agent, query);
  EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
  if (!answer || !answer->feedback) {
    ADD_FAILURE() << "no feedback";
    return {};
  }
  return *answer->feedback;
}

// A new script for each run.
Agent agent_with(std::vector<Tool> tools, std::vector<Result<Response>> turns) {
  return Agent{.name = "code-analyzer",
               .instructions = "Answer.",
               .model = ScriptedModel(std::move(turns)).model(),
               .tools = std::move(tools),
               .debug = debug_on()};
}

TEST(SeedExample1, largest_classes_lack_a_numeric_tool_until_it_is_there) {
  const char* query = "What are the largest classes (over 200 lines)?";
  const std::vector<Result<Response>> script{
      calls({call("query_entities", R"({"entity_type":"class"})")}), says("I found 15 classes.")};
  const FeedbackReport without = feedback_of(agent_with({query_entities()}, script), query);
  const std::vector<UsedTool> used{
      {"query_entities", "entity_type='class'", true, ResultQuality::partial}};
  EXPECT_EQ(without.tool_feedback.tools_used, used);
  const Suggestion* suggestion = proposal(without, "number_range_search");
  ASSERT_NE(suggestion, nullptr);
  EXPECT_EQ(suggestion->type, SuggestionType::new_tool);
  EXPECT_EQ(suggestion->priority, Impact::high);
  EXPECT_TRUE(std::ranges::any_of(without.tool_feedback.limitations, [](const Limitation& each) {
    return each.impact == Impact::high && each.missing_capability == MissingCapability::comparison;
  }));
  EXPECT_LT(without.tool_feedback.answer_quality.completeness, 60);

  const FeedbackReport with =
      feedback_of(agent_with({query_entities(), empty_tool("number_range_search")},
                             {calls({call("number_range_search", R"({"entity_type":"class"})")}),
                              says("There are 2.")}),
                  query);
  EXPECT_EQ(proposal(with, "number_range_search"), nullptr);
}

TEST(SeedExample2, code_of_the_last_week_lacks_a_date_tool_until_it_is_there) {
  const char* query = "Show me code modified in the last week";
  const FeedbackReport without =
      feedback_of(agent_with({query_entities(), semantic_search()},
                             {calls({call("report_tool_feedback", R"({
      "tools_considered":[{"name":"query_entities","reason_not_used":"No date operators"},
                          {"name":"semantic_search","reason_not_used":"Not for time"}],
      "answer_quality":{"completeness":0,"confidence":0}})")},
                                    "I cannot determine modification dates.")}),
                  query);
  EXPECT_TRUE(without.tool_feedback.tools_used.empty());
  EXPECT_EQ(without.tool_feedback.tools_considered.size(), 2U);
  const Suggestion* suggestion = proposal(without, "datetime_range_search");
  ASSERT_NE(suggestion, nullptr);
  EXPECT_EQ(suggestion->priority, Impact::critical);
  EXPECT_TRUE(std::ranges::any_of(without.tool_feedback.suggestions, [](const Suggestion& each) {
    return each.type == SuggestionType::expose_field &&
           each.config_change->change == "Add last_modified to what query_entities returns";
  }));
  EXPECT_EQ(without.tool_feedback.answer_quality.completeness, 0);

  const FeedbackReport with =
      feedback_of(agent_with({query_entities(), empty_tool("datetime_range_search")},
                             {calls({call("datetime_range_search")}), says("Two files.")}),
                  query);
  EXPECT_EQ(proposal(with, "datetime_range_search"), nullptr);
}

TEST(SeedExample3, authentication_functions_are_found_and_a_pattern_tool_is_a_small_wish) {
  const char* query = "Find authentication functions";
  const std::vector<Result<Response>> script{
      calls({call("semantic_search", R"({"query":"auth"})")}), says("I found 3.")};
  const FeedbackReport without = feedback_of(agent_with({semantic_search()}, script), query);
  const std::vector<UsedTool> used{{"semantic_search", "query='auth'", true, ResultQuality::good}};
  EXPECT_EQ(without.tool_feedback.tools_used, used);
  EXPECT_TRUE(without.tool_feedback.limitations.empty());
  const Suggestion* suggestion = proposal(without, "text_pattern_search");
  ASSERT_NE(suggestion, nullptr);
  EXPECT_EQ(suggestion->priority, Impact::low);
  EXPECT_EQ(without.tool_feedback.answer_quality.completeness, 80) << "an estimate is cautious";

  const FeedbackReport with = feedback_of(
      agent_with({semantic_search(), empty_tool("text_pattern_search")}, script), query);
  EXPECT_TRUE(with.tool_feedback.suggestions.empty());
}

TEST(SeedTest, feedback_on_classes_with_more_than_200_lines_proposes_a_tool) {
  const FeedbackReport report = feedback_of(
      agent_with({query_entities(), semantic_search()},
                 {calls({call("query_entities", R"({"entity_type":"class"})")}), says("15.")}),
      "Find classes with more than 200 lines");
  ASSERT_NE(proposal(report, "number_range_search"), nullptr);
}

// --- switches ----------------------------------------------------------------------------------

// The bytes that a vendor would get, and what stands around the tools.
struct Asked {
  std::string bytes;
  std::vector<std::string> tools;
};

Asked asked_by(Agent agent, const RunOptions& options) {
  Asked asked;
  const auto endpoint = Catalogue::built_in().find("openai:gpt-5-mini");
  EXPECT_TRUE(endpoint) << endpoint.error().message;
  agent.model = model_from("openai", "gpt-5-mini", [&](const Request& request, const ModelCall&) {
    const auto encoded = wright::encode(*endpoint, request, Delivery::whole);
    EXPECT_TRUE(encoded);
    asked.bytes = encoded->body;
    for (const Tool& tool : request.tools) asked.tools.push_back(tool.spec.name);
    return Result<Response>(says("ok"));
  });
  const auto answer = wright::run(agent, "hello", options);
  EXPECT_TRUE(answer);
  EXPECT_EQ(answer->feedback.has_value(), asked.tools.size() == 2);
  return asked;
}

Agent plain_agent() {
  return Agent{.name = "a", .instructions = "Answer.", .tools = {empty_tool("look")}};
}

TEST(DebugModeOff, sends_the_same_bytes_and_offers_the_same_tools) {
  const Asked plain = asked_by(plain_agent(), {});
  EXPECT_EQ(plain.tools, std::vector<std::string>{"look"});
  Agent off = plain_agent();
  off.debug = DebugOptions{};
  EXPECT_EQ(asked_by(off, {}).bytes, plain.bytes);
  Agent on = plain_agent();
  on.debug = debug_on();
  EXPECT_EQ(asked_by(on, {.debug = false}).bytes, plain.bytes);
  Agent no_feedback = plain_agent();
  no_feedback.debug = debug_on();
  no_feedback.debug->tool_feedback.enabled = false;
  EXPECT_EQ(asked_by(no_feedback, {}).bytes, plain.bytes);
  EXPECT_EQ(plain.bytes.find("DEBUG"), std::string::npos);
}

TEST(DebugModeOff, runs_the_agents_own_interceptors_and_reports_nothing) {
  for (const bool is_on : {false, true}) {
    int passed = 0;
    Agent agent = agent_with({empty_tool("look")}, {calls({call("look")}), says("ok")});
    agent.debug.reset();
    agent.interceptors = {[&](const Invocation& each, const Context& context, const Next& next) {
      ++passed;
      return next(each, context);
    }};
    const auto answer = wright::run(agent, "hello", {.debug = is_on});
    ASSERT_TRUE(answer);
    EXPECT_EQ(passed, 1);
    EXPECT_EQ(answer->feedback.has_value(), is_on);
  }
}

TEST(DebugMode, is_switched_by_query_and_by_agent) {
  const Asked plain = asked_by(plain_agent(), {});
  Agent agent = plain_agent();
  const Asked query = asked_by(agent, {.debug = true});
  EXPECT_EQ(query.tools, (std::vector<std::string>{"look", "report_tool_feedback"}));
  EXPECT_NE(query.bytes.find("DEBUG MODE ACTIVE"), std::string::npos);
  EXPECT_NE(query.bytes, plain.bytes);
  agent.debug = debug_on();
  EXPECT_EQ(asked_by(agent, {}).bytes, query.bytes);
}

TEST(DebugMode, asks_only_for_the_parts_that_are_wanted) {
  Agent agent = plain_agent();
  agent.debug = debug_on();
  agent.debug->tool_feedback = {.include_reasoning = false,
                                .include_limitations = false,
                                .include_suggestions = false,
                                .include_alternatives = false};
  const std::string little = asked_by(agent, {}).bytes;
  for (const char* part : {"tools_considered", "limitations", "suggestions", "alternatives"}) {
    EXPECT_EQ(little.find(part), std::string::npos) << part;
  }
  EXPECT_NE(little.find("answer_quality"), std::string::npos);
  agent.debug->tool_feedback = {.include_alternatives = true};
  const std::string all = asked_by(agent, {}).bytes;
  for (const char* part : {"tools_considered", "limitations", "suggestions", "alternatives"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part;
  }
}

TEST(DebugMode, reports_only_the_parts_that_are_wanted) {
  const auto report_with = [](const ToolFeedbackOptions& options) {
    Agent agent = agent_with(
        {query_entities()},
        {calls({call("query_entities", R"({"entity_type":"class"})")}), says("15 classes.")});
    agent.debug->tool_feedback = options;
    return feedback_of(agent, "classes over 200 lines").tool_feedback;
  };
  const ToolFeedback all = report_with({.include_alternatives = true});
  EXPECT_FALSE(all.tools_used[0].purpose.empty());
  EXPECT_FALSE(all.limitations.empty());
  EXPECT_FALSE(all.suggestions.empty());
  ASSERT_TRUE(all.alternatives);
  EXPECT_FALSE(all.alternatives->empty());
  const ToolFeedback little = report_with({.include_reasoning = false,
                                           .include_limitations = false,
                                           .include_suggestions = false,
                                           .include_alternatives = false});
  EXPECT_EQ(little.tools_used[0].purpose, "");
  EXPECT_EQ(little.tools_used[0].result_quality, ResultQuality::partial);
  EXPECT_TRUE(little.limitations.empty());
  EXPECT_TRUE(little.suggestions.empty());
  EXPECT_FALSE(little.alternatives);
}

TEST(DebugMode, times_calls_and_tells_a_log_when_asked) {
  std::vector<std::string> lines;
  Agent agent =
      agent_with({query_entities()}, {calls({call("query_entities")}), says("15 classes.")});
  agent.debug->track_performance = true;
  agent.debug->verbose_logging = true;
  agent.debug->logger =
      Logger([&](const LogRecord& record) { lines.push_back(to_line(record, LogFormat::text)); },
             LogLevel::debug);
  const FeedbackReport report = feedback_of(agent, "classes over 200 lines");
  ASSERT_EQ(report.usage.size(), 1U);
  EXPECT_GT(report.usage[0].total_ms.value_or(0), 0);
  EXPECT_EQ(report.usage[0].slowest_ms, report.usage[0].total_ms);
  ASSERT_GE(lines.size(), 3U);
  EXPECT_NE(lines[0].find("[TOOL FEEDBACK] A call ended tool=query_entities success=true"),
            std::string::npos)
      << lines[0];
  EXPECT_NE(lines.back().find("A suggestion"), std::string::npos) << lines.back();

  Agent quiet = agent_with({query_entities()}, {calls({call("query_entities")}), says("15.")});
  quiet.debug->logger = agent.debug->logger;
  lines.clear();
  EXPECT_FALSE(feedback_of(quiet, "classes over 200 lines").usage[0].total_ms);
  EXPECT_TRUE(lines.empty());
}

TEST(DebugMode, reports_on_runs_that_fail) {
  std::vector<FeedbackReport> reports;
  Agent agent = agent_with({query_entities()},
                           {calls({call("query_entities")}), calls({call("query_entities")})});
  agent.limits.max_iterations = 2;
  const auto answer = wright::run(agent, "go", {.observer = [&](const Event& event) {
                                    if (const auto* given = std::get_if<FeedbackGiven>(&event)) {
                                      reports.push_back(given->report);
                                    }
                                  }});
  ASSERT_FALSE(answer);
  EXPECT_EQ(limit_of(answer.error()), Limit::iterations);
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_FALSE(reports[0].tool_feedback.limitations.empty());
  EXPECT_EQ(reports[0].tool_feedback.limitations[0].impact, Impact::critical);
  EXPECT_EQ(reports[0].tool_feedback.answer_quality.completeness, 0);
  EXPECT_EQ(reports[0].usage[0].calls, 2);
}

TEST(DebugMode, refuses_an_agent_as_it_would_be_refused_without) {
  const Agent agent{.name = "a", .debug = debug_on()};
  const auto with = wright::run(agent, "go");
  const auto without = wright::run(agent, "go", {.debug = false});
  ASSERT_FALSE(with);
  EXPECT_EQ(with.error(), without.error());
}

TEST(DebugMode, leaves_alone_an_agent_that_has_such_a_tool) {
  Agent agent = agent_with({empty_tool("report_tool_feedback"), empty_tool("look")},
                           {calls({call("report_tool_feedback"), call("look")}), says("ok")});
  const FeedbackReport report = feedback_of(agent, "go");
  EXPECT_EQ(report.usage.size(), 1U);
}

}  // namespace
}  // namespace wright
