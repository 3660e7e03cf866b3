#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include <stdexcept>

#include "core/run_testing.h"
#include "wright/testing.h"

namespace wright {
namespace {

using testing::says;

Json json(std::string_view text) {
  auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed.value_or(Json());
}

const Json& verdict_schema() {
  static const Json schema = json(R"({
    "type": "object",
    "properties": {"spam": {"type": "boolean"}, "note": {"type": "string"},
                   "next": {"$ref": "#/$defs/link"}, "seen": {"type": ["string", "null"]}},
    "required": ["spam"], "additionalProperties": false,
    "$defs": {"link": {"type": "object", "properties": {"next": {"$ref": "#/$defs/link"}},
                       "additionalProperties": false}}})");
  return schema;
}

std::string read(std::string_view text) {
  const auto found = answer_json(text, verdict_schema());
  return found ? to_text(*found) : found.error().message;
}

Agent judge() {
  Agent agent{.name = "judge"};
  agent.sampling.response_format = {
      .kind = ResponseFormat::Kind::json_schema, .name = "verdict", .schema = verdict_schema()};
  return agent;
}

// Lets the model say these answers, each checked as a driver does.
Run driven(const Agent& agent, const std::vector<std::string>& answers) {
  wright::Run run = start(agent, "Is it spam?");
  for (const std::string& answer : answers) {
    expect_accepts(run, ModelAnswered{says(answer)});
    if (auto refused = refusal_of(agent, run)) expect_accepts(run, std::move(*refused));
  }
  return run;
}

TEST(ResponseJson, is_the_whole_text_or_what_one_fence_holds) {
  EXPECT_EQ(read(R"({"spam": true})"), R"({"spam":true})");
  EXPECT_EQ(read(" \n{\"spam\": true}\n "), R"({"spam":true})");
  EXPECT_EQ(read("```json\n{\"spam\": true}\n```"), R"({"spam":true})");
  EXPECT_EQ(read("```\n{\"spam\": true}```\n"), R"({"spam":true})");
  EXPECT_EQ(read("Here it is:\n\n```json\n{\"spam\": true}\n```\nAnything else?"),
            R"({"spam":true})");
  EXPECT_EQ(read(R"({"spam": true, "note": "```\nx\n```"})"),
            R"({"spam":true,"note":"```\nx\n```"})");
}

TEST(ResponseJson, says_what_is_wrong) {
  for (const char* text : {"", "yes", "```json", "```json\n{\"spam\": true}", "{\"spam\": true",
                           "```\n{\"spam\":true}\n```\n```\n{\"spam\":false}\n```"}) {
    EXPECT_EQ(read(text).find("The answer is not JSON: "), 0U) << text << "\n" << read(text);
  }
  EXPECT_EQ(read(R"({"spam": "yes", "note": 5})"),
            "The answer does not fit its schema: Parameter spam must be a boolean, not a string; "
            "Parameter note must be a string, not an integer");
  EXPECT_NE(read(R"({"spam": true, "next": {"next": {"last": 1}}})").find("next.next"),
            std::string::npos);
  const auto refused = answer_json("{}", verdict_schema());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::answer_refused);
  ASSERT_NE(refused.error().find("violations"), nullptr);
}

TEST(ResponseJson, leaves_out_nulls_that_the_schema_refuses_and_no_others) {
  EXPECT_EQ(read(R"({"note": null, "spam": true, "next": {"next": null}, "seen": null})"),
            R"({"spam":true,"next":{},"seen":null})");
  EXPECT_NE(read(R"({"spam": null})").find("spam"), std::string::npos);
}

TEST(ResponseJson, refuses_a_schema_that_is_none) {
  EXPECT_FALSE(answer_json("{}", json(R"({"type": "thing"})")));
  Agent agent = judge();
  agent.model = testing::ScriptedModel({}).model();
  EXPECT_TRUE(check(agent));
  agent.sampling.response_format.schema = json(R"({"type": "thing"})");
  const auto checked = check(agent);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().message.find("The schema of the answers of 'judge'"),
            std::string::npos);
}

TEST(AnswerRefused, tells_the_model_why_and_asks_again) {
  const wright::Run run = driven(judge(), {"No, it is not."});
  EXPECT_EQ(run.phase, Phase::model);
  EXPECT_EQ(run.iterations, 1);
  ASSERT_EQ(run.messages.size(), 3U);
  const auto* told = std::get_if<Notice>(&run.messages.back().parts.at(0));
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->kind, Notice::Kind::answer_refused);
  EXPECT_NE(told->text.find("The answer is not JSON"), std::string::npos);
  EXPECT_NE(told->text.find(to_text(verdict_schema())), std::string::npos);
  EXPECT_FALSE(run.messages.back().is_from_user());

  const wright::Run done = driven(judge(), {"No, it is not.", R"({"spam":false})"});
  EXPECT_EQ(done.phase, Phase::done);
  EXPECT_EQ(done.iterations, 2);
}

TEST(AnswerRefused, fails_the_run_when_it_happens_too_often_and_keeps_what_was_said) {
  const wright::Run run = driven(judge(), {"1", "2", "three"});
  EXPECT_EQ(run.phase, Phase::failed);
  EXPECT_EQ(run.error.code, ErrorCode::answer_refused);
  EXPECT_NE(run.error.message.find("refused 3 times"), std::string::npos) << run.error.message;
  EXPECT_EQ(answer_of(run.error), "three");
  EXPECT_EQ(best_answer(run), "three");
}

TEST(AnswerRefused, counts_for_one_message_of_the_user) {
  wright::Run run = driven(judge(), {"1", "2", R"({"spam":true})"});
  EXPECT_EQ(run.phase, Phase::done);
  expect_accepts(run, UserSaid{Message::user("And this?")});
  expect_accepts(run, ModelAnswered{says("3")});
  expect_accepts(run, *refusal_of(judge(), run));
  EXPECT_EQ(run.phase, Phase::model);
}

TEST(AnswerRefused, counts_as_a_turn_of_the_model) {
  Agent agent = judge();
  agent.limits.max_iterations = 1;
  const wright::Run run = driven(agent, {"no"});
  EXPECT_EQ(run.phase, Phase::failed);
  EXPECT_EQ(limit_of(run.error), Limit::iterations);
}

TEST(AnswerRefused, is_no_cut_answer) {
  wright::Run run = start(judge(), "Is it spam?");
  const auto cut = [] {
    Response response = says("half");
    response.stop_reason = StopReason::max_tokens;
    return ModelAnswered{std::move(response)};
  };
  expect_accepts(run, cut());
  expect_accepts(run, cut());
  expect_accepts(run, ModelAnswered{says("no JSON")});
  expect_accepts(run, *refusal_of(judge(), run));
  expect_accepts(run, cut());
  EXPECT_EQ(run.phase, Phase::model) << "two cuts, an answer, and one cut are no three in a row";
}

TEST(AnswerRefused, fits_a_run_that_is_done_alone) {
  wright::Run run = start(judge(), "Is it spam?");
  EXPECT_EQ(refusal_of(judge(), run), std::nullopt);
  const wright::Run before = run;
  EXPECT_FALSE(accept(run, AnswerRefused{"no"}));
  EXPECT_EQ(run, before);
}

TEST(AnswerRefused, survives_storage) {
  const wright::Run run = driven(judge(), {"No, it is not."});
  const auto copy = run_from_json(*parse_json(to_text(to_json(run))));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(*copy, run);
  wright::Run stored;
  stored.messages = run.messages;
  stored.limits = run.limits;
  stored.iterations = run.iterations;
  const auto found = restored(std::move(stored));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->phase, Phase::model);
}

TEST(AnswerRefused, comes_of_the_agent_s_own_check_as_well) {
  Agent agent{.name = "poet"};
  agent.check_answer = [](std::string_view answer) -> Result<void> {
    if (answer.size() > 5) return fail(ErrorCode::invalid_argument, "At most five letters.");
    return {};
  };
  wright::Run run = driven(agent, {"A long story"});
  EXPECT_EQ(run.phase, Phase::model);
  EXPECT_EQ(std::get<Notice>(run.messages.back().parts.at(0)).text, "At most five letters.");
  EXPECT_EQ(driven(agent, {"A long story", "Short"}).phase, Phase::done);

  agent.check_answer = [](std::string_view) -> Result<void> { throw std::runtime_error("odd"); };
  run = driven(agent, {"Short"});
  EXPECT_EQ(run.phase, Phase::model);
  EXPECT_NE(std::get<Notice>(run.messages.back().parts.at(0)).text.find("odd"), std::string::npos);
}

}  // namespace
}  // namespace wright
