#include <gtest/gtest.h>

#include "agents/silent_model_testing.h"
#include "wright/agents.h"
#include "wright/requirements.h"
#include "wright/testing.h"

namespace wright {
namespace {

constexpr const char* kQuestions = R"({"questions": [
  {"id": "q1", "question": "What is the primary purpose of the website?", "type": "text",
   "description": "e.g., portfolio, e-commerce, blog"},
  {"id": "q2", "question": "A password?", "type": "password", "optional": true}]})";

TEST(RequirementsGatheringAgent, asks_with_one_tool_within_its_limits) {
  const Agent agent = requirements_gathering_agent(silent_model());
  EXPECT_EQ(agent.name, "requirements-gathering");
  EXPECT_FALSE(agent.description.empty());
  EXPECT_EQ(agent.limits.max_iterations, 10);
  EXPECT_EQ(agent.sampling.max_tokens, 2000);
  EXPECT_EQ(agent.sampling.temperature, 0.3);
  EXPECT_EQ(agent.sampling.tool_choice, ToolChoice::automatic());
  EXPECT_EQ(agent.sampling.response_format, ResponseFormat{});
  ASSERT_EQ(agent.tools.size(), 1U);
  EXPECT_EQ(agent.tools[0].spec.name, "ask_user");
  EXPECT_TRUE(check(agent)) << check(agent).error().message;
}

TEST(RequirementsGatheringAgent, shows_its_model_a_document_that_can_be_read) {
  const Agent agent = requirements_gathering_agent(silent_model());
  const auto shown = requirements_from(agent.instructions);
  ASSERT_TRUE(shown) << shown.error().message;
  EXPECT_FALSE(shown->data_sources.empty());
  for (const char* word : {"ask_user", "Ask when", "Do not ask when", "passwords", "example"}) {
    EXPECT_NE(agent.instructions.find(word), std::string::npos) << word;
  }
}

TEST(RequirementsGatheringAgent, waits_for_a_person_without_an_executor) {
  const auto made = create_requirements_gathering_agent(silent_model());
  ASSERT_TRUE(made.store);
  const ToolOutcome outcome =
      execute(made.agent.tools, {}, testing::call("ask_user", kQuestions), {});
  ASSERT_TRUE(outcome.waiting);
  EXPECT_EQ(outcome.waiting->kind, WaitKind::question);
}

TEST(RequirementsGatheringAgent, is_answered_by_its_executor) {
  std::vector<std::string> asked;
  const auto made = create_requirements_gathering_agent(
      silent_model(), [&](const AskUserRequest& request) -> Result<AskUserResponse> {
        AskUserResponse response{.completed = true};
        for (const Question& question : request.questions) {
          asked.push_back(question.id);
          response.responses.push_back({question.id, "Mock answer"});
        }
        return response;
      });
  const auto store = made.store->list_sessions({});
  ASSERT_TRUE(store);
  EXPECT_TRUE(store->empty());
  const ToolOutcome outcome =
      execute(made.agent.tools, {}, testing::call("ask_user", kQuestions), {});
  EXPECT_FALSE(outcome.waiting);
  EXPECT_FALSE(outcome.result.is_error) << outcome.error_message();
  EXPECT_EQ(asked, (std::vector<std::string>{"q1", "q2"}));
  EXPECT_EQ(
      to_text(outcome.response),
      R"x({"completed":true,"responses":[{"question_id":"q1","answer":"Mock answer"},)x"
      R"x({"question_id":"q2","answer":"(hidden)"}],"message":"2 of 2 questions answered"})x");
}

TEST(RequirementsGatheringAgent, is_told_when_the_executor_fails_or_breaks_a_rule) {
  const auto outcome_with = [](AskUserExecutor executor) {
    const auto made = create_requirements_gathering_agent(silent_model(), std::move(executor));
    return execute(made.agent.tools, {}, testing::call("ask_user", kQuestions), {});
  };
  EXPECT_EQ(outcome_with([](const AskUserRequest&) -> Result<AskUserResponse> {
              return fail(ErrorCode::unavailable, "Nobody is here");
            }).error_message(),
            "Nobody is here");
  const ToolOutcome wrong = outcome_with([](const AskUserRequest&) -> Result<AskUserResponse> {
    return AskUserResponse{.completed = true, .responses = {{"q1", 7}, {"q9", "x"}}};
  });
  EXPECT_TRUE(wrong.result.is_error);
  EXPECT_NE(wrong.error_message().find("q9"), std::string::npos) << wrong.error_message();
}

}  // namespace
}  // namespace wright
