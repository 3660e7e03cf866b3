// A run in debug mode, driven by hand: what the agent becomes, and what is said in the end.
#include <gtest/gtest.h>

#include "feedback/debug_prompt.h"
#include "wright/feedback.h"
#include "wright/testing.h"
#include "wright/tool.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;
using testing::ScriptedModel;

constexpr std::string_view kQuery = "What are the largest classes (over 200 lines)?";

Agent agent_with(std::vector<Result<Response>> turns) {
  return {.name = "helper",
          .instructions = "Answer.",
          .model = ScriptedModel(std::move(turns)).model(),
          .tools = {tool("query_entities", "Finds entities",
                         [] {
                           return Json({{"entities", {1, 2}}, {"truncated", true}});
                         }),
                    tool("fails", "Fails", []() -> Result<Json> {
                      return fail(ErrorCode::permission_denied, "not allowed");
                    })}};
}

wright::Run driven(const Agent& agent, std::string_view prompt) {
  wright::Run run = start(agent, std::string(prompt));
  for (int turn = 0; turn < 20; ++turn) {
    const Step step = next(agent, run);
    if (const auto* ask = std::get_if<CallModel>(&step)) {
      auto response = agent.model.complete(ask->request);
      const Outcome outcome = response ? Outcome(ModelAnswered{std::move(*response)})
                                       : Outcome(ModelFailed{response.error()});
      EXPECT_TRUE(accept(run, outcome));
    } else if (const auto* wanted = std::get_if<CallTools>(&step)) {
      for (const ToolCall& each : wanted->calls) {
        EXPECT_TRUE(
            accept(run, ToolFinished{execute(agent.tools, agent.interceptors, each, {}).result}));
      }
    } else {
      break;
    }
  }
  return run;
}

struct Concluded {
  wright::Run run;
  FeedbackReport report;
};

Concluded concluded(std::vector<Result<Response>> turns, DebugOptions options = {.enabled = true}) {
  const FeedbackSession session(std::move(options));
  const Agent agent = session.observed(agent_with(std::move(turns)));
  wright::Run run = driven(agent, kQuery);
  FeedbackReport report = session.conclude(agent, run);
  return {std::move(run), std::move(report)};
}

constexpr const char* kReport =
    R"({"tools_used":[{"name":"query_entities","purpose":"Find classes","success":true},)"
    R"({"name":"semantic_search","purpose":"Look","success":true}],)"
    R"("tools_considered":[{"name":"fails","reason_not_used":"It fails"}],)"
    R"("limitations":[{"description":"No filter","impact":"high","missing_capability":"tool"}],)"
    R"("suggestions":[{"type":"new_tool","priority":"high","description":"A filter",)"
    R"("tool_spec":{"name":"line_filter","purpose":"Filter","parameters":["field","value?"]}}],)"
    R"("alternatives":[{"approach":"Read all","pros":["sure"],"cons":["slow"],"requires":["time"]}],)"
    R"("answer_quality":{"completeness":40,"confidence":80,"notes":"partly"}})";

TEST(FeedbackSession, takes_the_report_beside_the_answer_without_another_turn) {
  const auto [run, report] =
      concluded({calls({call("query_entities"), call("fails")}),
                 calls({call("report_tool_feedback", kReport)}, "There are some.")},
                {.enabled = true,
                 .tool_feedback = {.include_alternatives = true},
                 .track_performance = true});
  EXPECT_EQ(run.phase, Phase::done);
  EXPECT_EQ(run.iterations, 2);
  const ToolFeedback& feedback = report.tool_feedback;
  ASSERT_EQ(feedback.tools_used.size(), 2U);
  EXPECT_EQ(feedback.tools_used[0].purpose, "Find classes");
  EXPECT_EQ(feedback.tools_used[0].result_quality, ResultQuality::partial);
  EXPECT_FALSE(feedback.tools_used[1].success);
  EXPECT_EQ(feedback.answer_quality.completeness, 40);
  ASSERT_FALSE(report.contradictions.empty());
  EXPECT_EQ(report.contradictions[0].about, "tools_used semantic_search");
  ASSERT_EQ(report.usage.size(), 2U);
  EXPECT_TRUE(report.usage[0].total_ms);
  EXPECT_EQ(report.usage[1].failed, 1);
  const std::string text = to_text(report);
  for (const std::string_view part : {"query_entities", "line_filter", "number_range_search",
                                      "Read all", "completeness 40 %", "semantic_search"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
}

TEST(FeedbackSession, estimates_what_the_model_does_not_say) {
  const auto [run, report] = concluded({calls({call("query_entities")}), says("There are some.")});
  EXPECT_EQ(run.phase, Phase::done);
  EXPECT_NE(to_text(report).find("Estimated from the record"), std::string::npos);
  EXPECT_TRUE(report.contradictions.empty());
}

TEST(FeedbackSession, tells_about_a_run_that_failed) {
  const auto [run, report] = concluded({calls({call("nobody"), call("query_entities", "{broken")}),
                                        fail(ErrorCode::network, "no route")});
  EXPECT_EQ(run.phase, Phase::failed);
  ASSERT_EQ(report.usage.size(), 2U);
  EXPECT_EQ(report.usage[0].failed, 1);
  EXPECT_EQ(report.tool_feedback.answer_quality.completeness, 0);
}

TEST(FeedbackSession, drops_what_it_cannot_read_with_a_note) {
  const auto [run, report] = concluded(
      {calls({call("report_tool_feedback", R"({"limitations":"none","odd":1})")}, "Done.")});
  EXPECT_EQ(run.phase, Phase::done);
  EXPECT_FALSE(report.notes.empty());
}

TEST(FeedbackSession, asks_only_for_the_parts_that_are_wanted) {
  const ToolFeedbackOptions nothing{
      .include_reasoning = false, .include_limitations = false, .include_suggestions = false};
  const std::string little = feedback::debug_instructions(nothing);
  const std::string all = feedback::debug_instructions({.include_alternatives = true});
  const Json schema = feedback::report_tool(nothing).spec.parameters;
  for (const std::string_view part :
       {"tools_considered", "limitations", "suggestions", "alternatives"}) {
    EXPECT_EQ(little.find(part), std::string::npos) << part;
    EXPECT_NE(all.find(part), std::string::npos) << part;
    EXPECT_FALSE(schema.at("properties").as_object().contains(part)) << part;
  }
  const auto [run, report] = concluded({calls({call("query_entities")}), says("Done.")},
                                       {.enabled = true, .tool_feedback = nothing});
  EXPECT_TRUE(report.tool_feedback.limitations.empty());
  EXPECT_TRUE(report.tool_feedback.suggestions.empty());
}

}  // namespace
}  // namespace wright
