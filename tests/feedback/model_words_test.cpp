// The model's own words: how they come without a further turn, and what becomes of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "wright/testing.h"
#include "wright/wright.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;
using testing::ScriptedModel;

constexpr std::string_view kReport = R"({
  "tools_used":[{"name":"look","purpose":"To see","success":true,"result_quality":"good"}],
  "limitations":[{"description":"It was dark","impact":"low"}],
  "answer_quality":{"completeness":90,"confidence":70,"notes":"Good light helps"}})";

ToolCall report(std::string_view arguments = kReport) {
  return call("report_tool_feedback", std::string(arguments));
}

struct Ran {
  Answer answer;
  std::vector<std::vector<Message>> requests;
  std::vector<Message> messages;
  std::string streamed;
};

Tool look() {
  return tool("look", "Looks",
              [] {
                return Json({{"found", {"a", "b"}}});
              },
              {.effect = Effect::read});
}

Ran ran(std::vector<Result<Response>> turns, Limits limits = {}) {
  const ScriptedModel script(std::move(turns));
  const Agent agent{.name = "reporter",
                    .instructions = "Answer.",
                    .model = script.model(),
                    .tools = {look()},
                    .interceptors = conveniences(),
                    .limits = limits};
  Ran result;
  Run run = start(agent, "What is there?");
  const auto answer = drive(agent, run,
                            {.observer =
                                 [&](const Event& event) {
                                   if (const auto* text = std::get_if<TextDelta>(&event)) {
                                     result.streamed += text->text;
                                   }
                                 },
                             .debug = true});
  EXPECT_TRUE(answer) << (answer ? "" : answer.error().message);
  if (answer) result.answer = *answer;
  EXPECT_EQ(script.turns_left(), 0U);
  result.requests = script.requests();
  result.messages = run.messages;
  return result;
}

const ToolFeedback& feedback_in(const Ran& ran) {
  static const ToolFeedback kNone;
  return ran.answer.feedback ? ran.answer.feedback->tool_feedback : kNone;
}

void expect_report_was_heard(const Ran& ran) {
  const ToolFeedback& feedback = feedback_in(ran);
  EXPECT_EQ(feedback.answer_quality, (AnswerQuality{90, 70, "Good light helps"}));
  ASSERT_EQ(feedback.limitations.size(), 1U);
  EXPECT_EQ(feedback.limitations[0].description, "It was dark");
}

TEST(ModelWords, beside_the_last_words_cost_no_turn) {
  const Ran result = ran({calls({call("look")}), calls({report()}, "Two things.")});
  EXPECT_EQ(result.answer.text, "Two things.");
  EXPECT_EQ(result.answer.iterations, 2);
  EXPECT_EQ(result.requests.size(), 2U);
  expect_report_was_heard(result);
  EXPECT_EQ(feedback_in(result).tools_used,
            (std::vector<UsedTool>{{"look", "To see", true, ResultQuality::good}}));
  EXPECT_TRUE(result.answer.feedback->contradictions.empty());
  // The answer stands alone: nothing is left that would have to be answered.
  EXPECT_EQ(result.messages.back(), Message::assistant("Two things."));
}

TEST(ModelWords, beside_other_calls_cost_no_turn) {
  const Ran result = ran({calls({call("look"), report()}), says("Two things.")});
  EXPECT_EQ(result.answer.text, "Two things.");
  EXPECT_EQ(result.answer.iterations, 2);
  expect_report_was_heard(result);
}

TEST(ModelWords, alone_are_taken_and_the_answer_follows) {
  const Ran result = ran({calls({call("look")}), calls({report()}), says("Two things.")});
  EXPECT_EQ(result.answer.text, "Two things.");
  expect_report_was_heard(result);
  const Message& noted = result.requests.back().back();
  EXPECT_EQ(noted.role, Role::tool);
  EXPECT_NE(display_text(noted).find("Noted"), std::string::npos);
}

TEST(ModelWords, are_never_refused_whatever_they_are) {
  for (const char* arguments :
       {"", "not JSON", "[1,2]", "\"text\"", "null", "{\"tools_used\":7}", "{\"unknown\":{}}"}) {
    const Ran result = ran({calls({call("look"), report(arguments)}), says("Two things.")});
    EXPECT_EQ(result.answer.text, "Two things.") << arguments;
    EXPECT_EQ(result.answer.iterations, 2);
    ASSERT_TRUE(result.answer.feedback);
    EXPECT_FALSE(result.answer.feedback->notes.empty()) << arguments;
    const Message& results = result.requests.back().back();
    EXPECT_NE(display_text(results).find("Tool report_tool_feedback result:"), std::string::npos)
        << display_text(results);

    const Ran beside = ran({calls({report(arguments)}, "Two things.")});
    EXPECT_EQ(beside.answer.text, "Two things.") << arguments;
    EXPECT_EQ(beside.requests.size(), 1U);
  }
}

TEST(ModelWords, that_were_cut_do_not_cost_the_answer) {
  Response cut = calls({report(R"({"limitations":[{"descr)")}, "Two things.");
  cut.stop_reason = StopReason::max_tokens;
  const Ran result = ran({cut});
  EXPECT_EQ(result.answer.text, "Two things.");
  EXPECT_EQ(result.requests.size(), 1U);
  EXPECT_NE(result.answer.feedback->notes.front().find("not valid JSON"), std::string::npos);
}

TEST(ModelWords, may_be_xml_in_the_arguments_or_in_the_text) {
  const std::string xml =
      "<tool_feedback><limitations><limitation><description>It was dark</description>"
      "<impact>low</impact></limitation></limitations><answer_quality><completeness>90"
      "</completeness><confidence>70</confidence><notes>Good light helps</notes></answer_quality>"
      "</tool_feedback>";
  expect_report_was_heard(ran({calls({report(xml)}, "Two things.")}));
  const Ran in_text = ran({says("Two things.\n\n" + xml)});
  expect_report_was_heard(in_text);
  EXPECT_EQ(in_text.answer.text, "Two things.");
  EXPECT_EQ(in_text.streamed, "Two things.\n\n");
  EXPECT_EQ(in_text.messages.back(), Message::assistant("Two things."));

  Response cut = says("Two things.\n" + xml.substr(0, xml.size() - 30));
  cut.stop_reason = StopReason::max_tokens;
  expect_report_was_heard(ran({cut}));
}

TEST(ModelWords, may_be_json_around_the_answer) {
  const Ran result = ran({says(R"({"reasoning":"r","answer":"Two things.","tool_feedback":)" +
                               std::string(kReport) + "}")});
  EXPECT_EQ(result.answer.text, "Two things.");
  EXPECT_EQ(feedback_in(result).answer_quality.completeness, 90);
}

TEST(ModelWords, without_an_answer_are_left_as_they_are) {
  const Ran result = ran({says("<tool_feedback></tool_feedback>")});
  EXPECT_EQ(result.answer.text, "<tool_feedback></tool_feedback>");
}

TEST(ModelWords, leave_text_alone_that_only_looks_like_them) {
  const std::string text = "a < b, <tool>, <tool_feed, <tool_feedbacks";
  const Ran result = ran({says(text)});
  EXPECT_EQ(result.answer.text, text);
}

TEST(ModelWords, are_read_again_and_again_and_the_last_rating_counts) {
  const Ran result =
      ran({calls({call("look"), report(R"({"answer_quality":{"completeness":1,"confidence":1}})")}),
           calls({report()}, "Two things.")});
  expect_report_was_heard(result);
}

// --- against the record ------------------------------------------------------------------------

std::vector<std::string> contradictions(const Ran& ran) {
  std::vector<std::string> all;
  for (const Contradiction& each : ran.answer.feedback->contradictions) {
    all.push_back(each.about + ": " + each.said + " / " + each.recorded);
  }
  return all;
}

TEST(ModelWords, are_marked_where_the_record_says_otherwise) {
  const Ran result = ran({calls({call("look")}), calls({report(R"({
      "tools_used":[{"name":"look","purpose":"p","success":false},
                    {"name":"grep","purpose":"p","success":true}],
      "tools_considered":[{"name":"look","reason_not_used":"none"},
                          {"name":"telescope","reason_not_used":"none"}],
      "suggestions":[{"type":"new_tool","priority":"high","description":"Add look",
                      "tool_spec":{"name":"look","purpose":"p","parameters":[]}},
                     {"type":"new_tool","priority":"low","description":"Add lamp",
                      "tool_spec":{"name":"lamp","purpose":"p","parameters":[]}}],
      "answer_quality":{"completeness":90,"confidence":90}})")},
                                                       "Two things.")});
  EXPECT_EQ(contradictions(result),
            (std::vector<std::string>{
                "tools_used look: it failed / 1 of 1 calls succeeded",
                "tools_used grep: it was used / it was never called",
                "tools_considered look: it was considered and not used / 1 of 1 calls succeeded",
                "tools_considered telescope: it could have been used / the agent does not have it",
                "suggestions look: it should be added / the agent has it already"}));
  const ToolFeedback& feedback = feedback_in(result);
  ASSERT_EQ(feedback.tools_used.size(), 1U);
  EXPECT_TRUE(feedback.tools_used[0].success) << "the record decides";
  EXPECT_EQ(feedback.tools_considered.size(), 1U);
  ASSERT_EQ(feedback.suggestions.size(), 1U);
  EXPECT_EQ(feedback.suggestions[0].tool_spec->name, "lamp");
}

TEST(ModelWords, that_praise_what_failed_are_marked) {
  const Ran result = ran({calls({call("telescope")}), calls({report(R"({
      "tools_used":[{"name":"telescope","purpose":"p","success":true,"result_quality":"excellent"}],
      "answer_quality":{"completeness":95,"confidence":10}})")},
                                                            "Stars.")});
  EXPECT_EQ(contradictions(result),
            (std::vector<std::string>{
                "tools_used telescope: it succeeded / 0 of 1 calls succeeded",
                "answer_quality: completeness 95 %, confidence 10 % / no call of a tool "
                "succeeded"}));
  EXPECT_FALSE(feedback_in(result).tools_used[0].success);
  EXPECT_EQ(feedback_in(result).tools_used[0].result_quality, ResultQuality::failed);
}

TEST(ModelWords, join_the_same_wish_of_the_engine) {
  const ScriptedModel script({
      calls({report(R"({"suggestions":[{"type":"new_tool","priority":"critical",
       "description":"I need numbers","tool_spec":{"name":"number_range_search","purpose":"p",
       "parameters":["x"]}}],"answer_quality":{"completeness":1,"confidence":1}})")},
            "No idea."),
  });
  const Agent agent{.name = "a", .model = script.model(), .tools = {look()}};
  const auto answer = wright::run(agent, "things over 200 lines", {.debug = true});
  ASSERT_TRUE(answer && answer->feedback);
  const auto& all = answer->feedback->tool_feedback.suggestions;
  EXPECT_EQ(std::ranges::count_if(all,
                                  [](const Suggestion& each) {
                                    return each.tool_spec &&
                                           each.tool_spec->name == "number_range_search";
                                  }),
            1);
}

TEST(Rendering, shows_all_there_is_to_show) {
  const ScriptedModel script({calls({call("look")}), calls({report(R"({
      "tools_considered":[{"name":"look\u0007","reason_not_used":"dark\n\u001b[31m"}],
      "limitations":[{"description":"It was\ndark","impact":"low"}],
      "alternatives":[{"approach":"Wait","pros":["free"],"cons":["slow"],"requires":["time"]}],
      "mood":"fine",
      "answer_quality":{"completeness":90,"confidence":70}})")},
                                                           "Two things.")});
  Agent agent{.name = "a", .model = script.model(), .tools = {look()}};
  agent.debug = DebugOptions{.enabled = true};
  agent.debug->tool_feedback.include_alternatives = true;
  const auto answer = wright::run(agent, "things over 200 lines");
  ASSERT_TRUE(answer && answer->feedback);
  EXPECT_EQ(to_text(*answer->feedback),
            R"([DEBUG MODE ACTIVE]
Tool Feedback:
✅ Used: look (called without arguments), results good
➖ Not used: look: dark [31m
⚠️  Limitation: Cannot filter by numbers ("over 200"): no tool compares line_count [high]
⚠️  Limitation: It was dark [low]
💡 What would improve this answer:
   - number_range_search: Add number_range_search to filter by numeric fields such as line_count [high]
     parameters: entity_type, field, operator, value, upper_value?, tolerance?, limit?
   - Make a field such as line_count searchable [high]
     entities: Add line_count to searchable_fields

Other ways to the answer:
   - Add number_range_search
     + Exact
     - Has to be built first
     needs number_range_search
   - Read all of it and compare the numbers one by one
     + Works with the tools there are
     - Slow, and wrong where results are cut
   - Wait
     + free
     - slow
     needs time

Answer quality: completeness 90 %, confidence 70 %

On record:
   - look: 1 call

❗ The model's words and the record differ:
   - tools_considered look: it said "it could have been used", but the agent does not have it

Dropped from the model's words:
   - Unknown parameter: mood (known: tools_used, tools_considered, limitations, suggestions, alternatives, answer_quality); dropped
)");
}

}  // namespace
}  // namespace wright
