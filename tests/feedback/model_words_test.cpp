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
  RunResult answer;
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

TEST(ModelWords, without_an_answer_are_noted_and_the_answer_is_asked_for_once) {
  for (const std::string& words :
       {std::string("<tool_feedback></tool_feedback>"),
        R"({"tool_feedback":)" + std::string(kReport) + "}",
        "```json\n{\"answer\":null,\"tool_feedback\":" + std::string(kReport) + "}\n```",
        std::string(R"({"tool_feedback": {"limitations": [)")}) {
    const Ran result = ran({says(words), says("Two things.")});
    EXPECT_EQ(result.answer.text, "Two things.") << words;
    EXPECT_EQ(result.streamed, "Two things.") << words;
    const Ran stubborn = ran({says(words), says(words)});
    EXPECT_EQ(stubborn.answer.text, words) << "it ends there";
  }
}

TEST(ModelWords, are_read_from_json_below_or_around_the_answer) {
  const std::string feedback = R"("tool_feedback": )" + std::string(kReport);
  for (const std::string& text :
       {"{\"answer\": \"Two things.\", " + feedback + "}",
        "```json\n{\"answer\": \"Two things.\", " + feedback + "}\n```",
        "Two things.\n\n```json\n{" + feedback + "}\n```\n", "Two things.\n{" + feedback + "}",
        "  {" + feedback + ", \"answer\": \"Two things.\"}"}) {
    const Ran result = ran({says(text)});
    EXPECT_EQ(result.answer.text, "Two things.") << text;
    EXPECT_EQ(feedback_in(result).answer_quality.completeness, 90) << text;
    EXPECT_EQ(result.requests.size(), 1U);
  }
}

TEST(ModelWords, around_the_answer_that_break_off_do_not_cost_it) {
  const Ran result =
      ran({says("{\"reasoning\": \"r\", \"answer\": \"Two \\\"things\\\".\", "
                "\"tool_feedback\": {\"limitations\": [{\"descr")});
  EXPECT_EQ(result.answer.text, "Two \"things\".");
  ASSERT_FALSE(result.answer.feedback->notes.empty());
  EXPECT_NE(result.answer.feedback->notes[0].find("not valid JSON"), std::string::npos);
}

TEST(ModelWords, tell_how_and_why) {
  const std::string words = R"({"reasoning":"Nothing else sees in the dark",
      "construction":["Looked","Counted"],"answer_quality":{"completeness":90,"confidence":70}})";
  const Ran said = ran({calls({call("look")}), calls({report(words)}, "Two things.")});
  EXPECT_EQ(feedback_in(said).reasoning, "Nothing else sees in the dark");
  EXPECT_EQ(feedback_in(said).construction, (std::vector<std::string>{"Looked", "Counted"}));
  const Ran around = ran({says(R"({"reasoning":"Because","answer":"Two.","tool_feedback":{}})")});
  EXPECT_EQ(feedback_in(around).reasoning, "Because");
  const Ran silent = ran({calls({call("look")}, "I look first."), says("Two things.")});
  EXPECT_EQ(feedback_in(silent).reasoning, "I look first.");
  EXPECT_EQ(feedback_in(silent).construction,
            (std::vector<std::string>{"Called look: 2 results", "Answered from these results"}));
  const Ran nothing = ran({says("Two things.")});
  EXPECT_FALSE(feedback_in(nothing).reasoning);
  EXPECT_EQ(feedback_in(nothing).construction,
            (std::vector<std::string>{"Answered without calling a tool"}));
}

// --- text that is shown as it comes --------------------------------------------------------------

// What is shown of a text that comes in pieces of so many bytes.
std::string shown_of(const std::string& text, std::size_t piece, std::string* answer = nullptr) {
  const Model model = model_from("test", "m", [&](const Request&, const ModelCall& call) {
    for (std::size_t at = 0; at < text.size(); at += piece) {
      call.on_text(std::string_view(text).substr(at, piece));
    }
    return Result<Response>(says(text));
  });
  std::string shown;
  const Agent agent{.name = "a", .model = model, .tools = {look()}};
  const auto ended = wright::run(agent, "What is there?",
                                 {.observer =
                                      [&](const Event& event) {
                                        if (const auto* delta = std::get_if<TextDelta>(&event)) {
                                          shown += delta->text;
                                        }
                                      },
                                  .delivery = Delivery::streamed,
                                  .debug = true});
  if (answer != nullptr && ended) *answer = ended->text;
  return shown;
}

TEST(StreamedWords, show_the_answer_and_never_the_feedback) {
  const std::string feedback =
      R"("tool_feedback": {"answer_quality":{"completeness":90,"confidence":70,"notes":"} ` <"}})";
  for (const std::string& text :
       {"{\"answer\": \"Two \\\"things\\\".\", " + feedback + "}",
        "```json\n{\"answer\": \"Two things.\", " + feedback + "}\n```",
        "Two things.\n\n```json\n{" + feedback + "}\n```\n", "Two things.\n{" + feedback + "}",
        std::string("Two things.\n<tool_feedback><limitations/></tool_feedback>\nAnd a third."),
        std::string("Two things.\n<tool_feedback>cut")}) {
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 1000U}) {
      std::string answer;
      const std::string shown = shown_of(text, piece, &answer);
      EXPECT_EQ(shown.find("tool_feedback"), std::string::npos) << shown;
      // What is shown may have a blank more at its end.
      EXPECT_TRUE(shown == answer || shown.starts_with(answer)) << piece << "\n" << shown;
      EXPECT_EQ(answer.substr(0, 4), "Two ") << answer;
    }
  }
}

TEST(StreamedWords, leave_other_text_whole) {
  for (const std::string text :
       {"Use it:\n```cpp\nint main()\n{\n}\n```\nDone.", "{\"a\": [1, 2]}\n\nThat is all.",
        "a < b\n```json\n{\"x\": \"}\"}\n```\nand ``` too", "{ not closed", "```\nnot closed",
        "`code` and ``", "\n\n  {}{}\n", "<tool_feed", "```json", "{\"answer\": \"just this\"}"}) {
    for (const std::size_t piece : {1U, 2U, 5U, 1000U}) {
      std::string answer;
      EXPECT_EQ(shown_of(text, piece, &answer), text) << piece;
      EXPECT_EQ(answer, text);
    }
  }
}

// --- hostile and odd -----------------------------------------------------------------------------

TEST(ModelWords, of_any_shape_and_size_do_no_harm) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"tool_feedback\":";
  std::string nested_text = "{}";
  for (int i = 0; i < 12; ++i) nested_text = to_text(Json(nested_text));
  std::string many = R"({"suggestions":[)";
  for (int i = 0; i < 3'000; ++i) {
    many +=
        R"({"type":"new_tool","priority":"low","description":"d)" + std::to_string(i) + R"("},)";
  }
  many.back() = ']';
  many += '}';
  const std::vector<std::string> odd{
      deep,
      nested_text,
      many,
      R"({"answer_quality":{"completeness":1e308,"confidence":-5}})",
      R"({"answer_quality":{"completeness":"95 %","confidence":"high"}})",
      R"({"answer_quality":[90,70]})",
      R"({"tools_used":{"name":"look"},"reasoning":["a","b"],"construction":"one step"})",
      R"({"tools_used":[{"name":"look","purpose":null,"success":"yes","result_quality":"großartig"}]})",
      R"({"limitations":["只是一句话",7,null,{"description":"","impact":"low"}]})",
      R"({"einschränkungen":[{"beschreibung":"zu dunkel"}],"answer_quality":null})",
      "{\"reasoning\":\"" + std::string(200'000, 'r') + "\"}",
      std::string(1'000'000, 'x'),
      std::string("{\"a\":\"\0\xff\"}", 11),
      "\xEF\xBB\xBF{\"answer_quality\":{\"completeness\":50,\"confidence\":50}}",
      R"({"reasoning":"\u202e\u001b[2J\u200b","construction":["\u0007\n\n"]})",
      R"({"suggestions":[{"type":"new_tool","priority":"high","description":"x",
          "tool_spec":{"name":"report_tool_feedback","purpose":"p","parameters":["?","?","a?"]}}]})"};
  for (const std::string& words : odd) {
    SCOPED_TRACE(words.substr(0, 80));
    for (const Ran& result :
         {ran({calls({call("look"), report(words)}), says("Two things.")}),
          ran({calls({report(words)}, "Two things.")}),
          ran({says("Two things.\n\n```json\n{\"tool_feedback\": " + words + "}\n```")})}) {
      ASSERT_TRUE(result.answer.feedback);
      const FeedbackReport& told = *result.answer.feedback;
      EXPECT_TRUE(result.answer.text.starts_with("Two things."));
      EXPECT_GE(told.tool_feedback.answer_quality.completeness, 0);
      EXPECT_LE(told.tool_feedback.answer_quality.completeness, 100);
      EXPECT_LE(told.tool_feedback.suggestions.size(), 110U);
      EXPECT_LE(to_text(told).size(), 100'000U);
      const auto again = feedback_report_from_json(to_json(told));
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(*again, told);
    }
  }
}

// --- ratings -------------------------------------------------------------------------------------

TEST(Ratings, of_a_refusal_are_low_whoever_gives_them) {
  for (const char* refusal : {"I cannot help with that.", "Das kann ich leider nicht sagen."}) {
    const Ran unrated = ran({says(refusal)});
    EXPECT_EQ(feedback_in(unrated).answer_quality.completeness, 0) << refusal;
    const Ran after_a_call = ran({calls({call("look")}), says(refusal)});
    EXPECT_EQ(feedback_in(after_a_call).answer_quality.completeness, 0) << refusal;
    const Ran praised = ran(
        {calls({report(R"({"answer_quality":{"completeness":95,"confidence":95}})")}, refusal)});
    EXPECT_EQ(feedback_in(praised).answer_quality.completeness, 0) << refusal;
    EXPECT_EQ(praised.answer.feedback->contradictions.size(), 1U);
  }
  const Ran without_evidence = ran({says("There are two.")});
  EXPECT_LE(feedback_in(without_evidence).answer_quality.completeness, 50);
  const Ran with_evidence = ran({calls({call("look")}), says("There are two.")});
  EXPECT_EQ(feedback_in(with_evidence).answer_quality.completeness, 80);
}

TEST(Ratings, of_results_are_the_models_where_the_record_allows_them) {
  const auto quality = [](const char* said) {
    return feedback_in(
               ran({calls({call("look")}),
                    calls({report(std::string(R"({"tools_used":[{"name":"look","purpose":"p",
                               "success":true,"result_quality":")") +
                                  said + R"("}]})")},
                          "Two things.")}))
        .tools_used.at(0)
        .result_quality;
  };
  EXPECT_EQ(quality("excellent"), ResultQuality::excellent);
  EXPECT_EQ(quality("good"), ResultQuality::good);
  EXPECT_EQ(quality("partial"), ResultQuality::partial);
  EXPECT_EQ(quality("failed"), ResultQuality::failed);
  const Ran unrated = ran({calls({call("look")}), says("Two things.")});
  EXPECT_EQ(feedback_in(unrated).tools_used.at(0).result_quality, ResultQuality::good)
      << "that something came is not excellent yet";
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
   - Return a field such as line_count, so that it can be compared [high]
     entities: Add line_count to what a search tool returns

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

How the answer was constructed:
   - Called look: 2 results
   - Answered from these results

Answer quality: completeness 90 %, confidence 70 %

On record:
   - look: 1 call

❗ The model's words and the record differ:
   - tools_considered look: it said "it could have been used", but the agent does not have it

Dropped from the model's words:
   - Unknown parameter: mood (known: tools_used, tools_considered, limitations, suggestions, alternatives, reasoning, construction, answer_quality); dropped
)");
}

}  // namespace
}  // namespace wright
