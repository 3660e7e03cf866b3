#include "feedback/summary.h"

#include <gtest/gtest.h>

#include "wright/json.h"

namespace wright::feedback {
namespace {

Suggestion tool_wish(std::string name, Impact priority) {
  return {SuggestionType::new_tool,
          priority,
          "Add " + name,
          ProposedTool{name, "For " + name, {"entity_type", "value", "limit?"}},
          {}};
}

Session session_with(SessionId id, std::vector<Suggestion> suggestions) {
  FeedbackReport report;
  report.tool_feedback.suggestions = std::move(suggestions);
  return {.id = id, .agent_name = "a", .feedback = to_json(report)};
}

StoredCall call_of(std::string tool, CallStatus status, std::string error = {},
                   std::string request = "{}") {
  StoredCall call{.tool_name = std::move(tool), .request = std::move(request), .status = status};
  if (!error.empty()) call.error_details = std::move(error);
  return call;
}

TEST(FeedbackSummary, counts_the_same_wish_once_a_session_and_ranks) {
  FeedbackCollector collector;
  collector.add(session_with(9, {tool_wish("rare", Impact::low), tool_wish("often", Impact::high),
                                 tool_wish("Often", Impact::low)}),
                {});
  collector.add(session_with(8, {tool_wish("often", Impact::critical)}), {});
  collector.add(session_with(7, {tool_wish("grave", Impact::critical)}), {});
  collector.add(Session{.id = 6}, {});
  const FeedbackSummary summary = std::move(collector).finish();
  EXPECT_EQ(summary.sessions, 4);
  EXPECT_EQ(summary.with_feedback, 3);
  ASSERT_EQ(summary.tools_to_build.size(), 3U);
  const Wish& first = summary.tools_to_build[0];
  EXPECT_EQ(first.suggestion.tool_spec->name, "often");
  EXPECT_EQ(first.suggestion.priority, Impact::critical);
  EXPECT_EQ(first.sessions, 2);
  EXPECT_EQ(first.examples, (std::vector<SessionId>{9, 8}));
  EXPECT_EQ(summary.tools_to_build[1].suggestion.tool_spec->name, "grave");
  EXPECT_EQ(summary.tools_to_build[2].suggestion.tool_spec->name, "rare");
}

TEST(FeedbackSummary, names_every_tool_that_one_change_switches_on) {
  FeedbackCollector collector([](std::string_view tool, std::string_view) {
    return std::optional<AvailableTool>(
        AvailableTool{std::string(tool), "Set entities.index to true", "[entities]\nindex = true"});
  });
  collector.add(session_with(2, {tool_wish("datetime_range_search", Impact::high),
                                 tool_wish("query_entities", Impact::high)}),
                {});
  collector.add(session_with(1, {tool_wish("number_range_search", Impact::critical),
                                 tool_wish("query_entities", Impact::low)}),
                {});
  const FeedbackSummary summary = std::move(collector).finish();
  ASSERT_EQ(summary.improvements.size(), 1U);
  EXPECT_EQ(summary.improvements[0].sessions, 2);
  EXPECT_EQ(summary.improvements[0].suggestion.priority, Impact::critical);
  EXPECT_EQ(summary.improvements[0].suggestion.description,
            "Switch on datetime_range_search, query_entities, number_range_search: they are there "
            "already, and the agent does not have them");
}

TEST(FeedbackSummary, tells_kinds_of_wishes_apart) {
  FeedbackCollector collector;
  const ConfigChange field{"class", "Add line_count to searchable_fields", "x"};
  collector.add(
      session_with(1, {{SuggestionType::expose_field, Impact::high, "Expose it", {}, field},
                       {SuggestionType::add_relationship, Impact::high, "Relate", {}, {}},
                       {SuggestionType::improve_existing, Impact::low, "Improve", {}, {}}}),
      {});
  const FeedbackSummary summary = std::move(collector).finish();
  ASSERT_EQ(summary.fields_to_expose.size(), 1U);
  EXPECT_EQ(summary.fields_to_expose[0].suggestion.config_change, field);
  EXPECT_EQ(summary.improvements.size(), 2U);
}

TEST(FeedbackSummary, hears_sessions_without_debug_mode_by_their_calls) {
  FeedbackCollector collector;
  const std::vector<StoredCall> calls{
      call_of("grep", CallStatus::completed),
      call_of("grep", CallStatus::failed, "Missing required parameter: pattern"),
      call_of("grep", CallStatus::failed, "disk on fire"),
      call_of("read_file", CallStatus::completed),
      call_of("bash", CallStatus::cancelled),
      call_of("git_blame", CallStatus::failed, "Unknown tool: git_blame. Available tools: grep",
              R"({"path":"a","line":1})"),
      call_of("report_tool_feedback", CallStatus::failed, "denied")};
  collector.add(Session{.id = 4}, calls);
  collector.add(Session{.id = 3}, calls);
  const FeedbackSummary summary = std::move(collector).finish();
  EXPECT_EQ(summary.with_feedback, 0);
  ASSERT_EQ(summary.troubled_tools.size(), 1U);
  const Trouble& grep = summary.troubled_tools[0];
  EXPECT_EQ(grep.tool, "grep");
  EXPECT_EQ(grep.calls, 6);
  EXPECT_EQ(grep.failed, 4);
  EXPECT_EQ(grep.confused, 2);
  EXPECT_EQ(grep.examples, (std::vector<SessionId>{4, 3}));
  EXPECT_EQ(grep.example_error, "Missing required parameter: pattern");
  ASSERT_EQ(summary.tools_to_build.size(), 1U);
  EXPECT_EQ(summary.tools_to_build[0].suggestion.tool_spec->name, "git_blame");
  EXPECT_EQ(summary.tools_to_build[0].sessions, 2);
}

TEST(FeedbackSummary, survives_feedback_that_it_cannot_read) {
  FeedbackCollector collector;
  collector.add(Session{.id = 1, .feedback = Json("nonsense")}, {});
  collector.add(Session{.id = 2, .feedback = JsonObject{{"version", 99}}}, {});
  FeedbackReport contradicted;
  contradicted.contradictions = {{"a", "b", "c"}};
  collector.add(Session{.id = 3, .feedback = to_json(contradicted)}, {});
  const FeedbackSummary summary = std::move(collector).finish();
  EXPECT_EQ(summary.unreadable, 2);
  EXPECT_EQ(summary.with_feedback, 1);
  EXPECT_EQ(summary.contradicted, 1);
}

TEST(FeedbackSummary, has_a_json_form_with_drafts) {
  FeedbackCollector collector;
  const std::vector<StoredCall> calls{call_of("grep", CallStatus::failed, "disk on fire")};
  collector.add(session_with(5, {tool_wish("number_range_search", Impact::high)}), calls);
  const Json json = to_json(std::move(collector).finish());
  EXPECT_EQ(to_text(json),
            R"({"sessions":1,"with_feedback":1,"unreadable":0,"contradicted":0,)"
            R"("tools_to_build":[{"type":"new_tool","priority":"high",)"
            R"("description":"Add number_range_search","tool_spec":{"name":"number_range_search",)"
            R"("purpose":"For number_range_search","parameters":["entity_type","value","limit?"]},)"
            R"("sessions":1,"score":4,"examples":[5],"draft":{"name":"number_range_search",)"
            R"("description":"For number_range_search","parameters":{"type":"object",)"
            R"("properties":{"entity_type":{"type":"string"},"value":{"type":"number"},)"
            R"("limit":{"type":"number"}},"required":["entity_type","value"],)"
            R"("additionalProperties":false}}}],"fields_to_expose":[],"improvements":[],)"
            R"("troubled_tools":[{"tool":"grep","calls":1,"failed":1,"confused":0,)"
            R"("examples":[5],"example_error":"disk on fire"}]})");
}

TEST(DraftToolSpec, is_a_schema_whatever_the_parameters_are) {
  const Json draft =
      draft_tool_spec({"t", "p", {"values", "exclude?", "?", "", "values", "a b\"c", "\n"}});
  const auto schema = JsonSchema::compile(draft.at("parameters"));
  ASSERT_TRUE(schema) << schema.error().message;
  EXPECT_EQ(draft.at("parameters").at("properties").at("exclude").at("type"), "boolean");
  EXPECT_EQ(draft.at("parameters").at("required").as_array().size(), 3U);
}

}  // namespace
}  // namespace wright::feedback
