// End to end: the offline model as the shipped agent requirements-gathering.
#include "wright/requirements.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>

#include "wright/agents.h"
#include "wright/model.h"

namespace wright {
namespace {

struct Conversation {
  std::vector<AskUserRequest> asked;
  std::string beside;  // what was said beside the first call
  std::string answer;
};

// Runs the agent by hand: its questions go to the executor.
Conversation talk(const std::vector<std::string>& prompts, const AskUserExecutor& executor) {
  Conversation seen;
  const auto made =
      create_requirements_gathering_agent(offline_model(), [&](const AskUserRequest& request) {
        seen.asked.push_back(request);
        return executor(request);
      });
  std::vector<Message> messages;
  for (const std::string& prompt : prompts) {
    messages.push_back(Message::user(prompt));
    for (int turn = 0; turn < 10; ++turn) {
      Request request;
      request.messages = messages;
      request.system = made.agent.instructions;
      request.tools = made.agent.tools;
      request.sampling = &made.agent.sampling;
      const auto response = made.agent.model.complete(request);
      if (!response) {
        seen.answer = "error: " + response.error().message;
        return seen;
      }
      messages.push_back({.role = Role::assistant, .parts = response->content});
      Message results{.role = Role::tool, .parts = {}};
      for (const ToolCall& call : response->tool_calls()) {
        if (seen.beside.empty()) seen.beside = response->text();
        results.parts.emplace_back(execute(made.agent.tools, {}, call, Context{}).result);
      }
      seen.answer = response->text();
      if (results.parts.empty()) break;
      messages.push_back(std::move(results));
    }
  }
  return seen;
}

Result<AskUserResponse> answered(const AskUserRequest& request) {
  AskUserResponse response{.completed = true};
  for (const Question& question : request.questions) {
    Json answer("the answer to " + question.id);
    if (question.type == QuestionType::select) answer = Json(question.options->front());
    if (question.type == QuestionType::multiselect) {
      answer = JsonArray{Json(question.options->front())};
    }
    response.responses.push_back({question.id, std::move(answer)});
  }
  return response;
}

Result<AskUserResponse> nobody(const AskUserRequest&) {
  return fail(ErrorCode::unavailable, "Nobody is available to answer");
}

TEST(OfflineRequirements, asks_about_a_vague_wish_and_writes_the_document) {
  const Conversation seen = talk({"Build me a website"}, answered);
  ASSERT_EQ(seen.asked.size(), 1U);
  EXPECT_TRUE(check(seen.asked[0]));
  EXPECT_GE(seen.asked[0].questions.size(), 3U);
  EXPECT_LE(seen.asked[0].questions.size(), 6U);
  EXPECT_EQ(seen.asked[0].questions[0].question, "What is the primary purpose of the website?");
  EXPECT_FALSE(seen.beside.empty()) << "natural language beside the call";
  EXPECT_EQ(seen.beside.find("website"), std::string::npos) << "it would be said twice";
  EXPECT_NE(seen.asked[0].prompt.value_or("").find("website"), std::string::npos);
  const auto document = requirements_from(seen.answer);
  ASSERT_TRUE(document) << seen.answer;
  EXPECT_EQ(document->goal, "Build me a website: the answer to purpose");
  EXPECT_EQ(document->actors, (std::vector<std::string>{"the answer to actors"}));
  ASSERT_EQ(document->data_sources.size(), 1U);
  EXPECT_EQ(document->data_sources[0],
            (DataSource{"Database", "the answer to data_source_names", ""}));
  EXPECT_EQ(document->steps, (std::vector<std::string>{"People can: the answer to outcome"}));
  EXPECT_EQ(document->examples, (std::vector<std::string>{"the answer to example"}));
  EXPECT_TRUE(document->open_points.empty());
  EXPECT_NE(seen.answer.find("## Goal"), std::string::npos);
}

TEST(OfflineRequirements, asks_only_for_what_is_missing) {
  const Conversation seen = talk({"Every Monday, e-mail a report to the sales team"}, answered);
  ASSERT_EQ(seen.asked.size(), 1U);
  for (const Question& question : seen.asked[0].questions) {
    for (const char* known : {"trigger", "actors", "outcome"}) EXPECT_NE(question.id, known);
  }
}

TEST(OfflineRequirements, does_not_ask_about_a_clear_request) {
  const Conversation seen =
      talk({"Every morning, read the new orders from our PostgreSQL database and e-mail a summary "
            "to the sales team."},
           nobody);
  EXPECT_TRUE(seen.asked.empty());
  EXPECT_NE(seen.answer.find("I understand"), std::string::npos) << seen.answer;
  const auto document = requirements_from(seen.answer);
  ASSERT_TRUE(document) << seen.answer;
  EXPECT_EQ(document->steps.size(), 2U) << seen.answer;
}

TEST(OfflineRequirements, declines_politely_what_is_no_process) {
  const Conversation seen = talk({"What is the capital of France?"}, answered);
  EXPECT_TRUE(seen.asked.empty());
  EXPECT_FALSE(requirements_from(seen.answer));
  EXPECT_NE(seen.answer.find("what you would like to have automated"), std::string::npos);
}

TEST(OfflineRequirements, writes_down_what_is_open_when_nobody_answers) {
  const Conversation seen = talk({"Build me a website"}, nobody);
  EXPECT_EQ(seen.asked.size(), 1U);
  const auto document = requirements_from(seen.answer);
  ASSERT_TRUE(document) << seen.answer;
  EXPECT_GE(document->open_points.size(), 4U);
  EXPECT_NE(seen.answer.find("Nobody could answer"), std::string::npos);
}

TEST(OfflineRequirements, asks_in_other_languages_too) {
  const Conversation seen = talk({"ウェブサイトを作ってください"}, answered);
  ASSERT_EQ(seen.asked.size(), 1U);
  const auto document = requirements_from(seen.answer);
  ASSERT_TRUE(document) << seen.answer;
  EXPECT_NE(document->goal.find("ウェブサイト"), std::string::npos);
}

TEST(OfflineRequirements, goes_on_from_what_was_said_before) {
  const Conversation seen =
      talk({"hello", "Build me a website", "It must also send a newsletter every week"}, answered);
  EXPECT_EQ(seen.asked.size(), 1U) << "the same is not asked twice";
  const auto document = requirements_from(seen.answer);
  ASSERT_TRUE(document) << seen.answer;
  EXPECT_NE(document->goal.find("website"), std::string::npos);
}

TEST(OfflineRequirements, never_writes_a_credential_down) {
  const Conversation seen = talk({"Build me a shop; the database password is hunter2"},
                                 [](const AskUserRequest& request) -> Result<AskUserResponse> {
                                   auto response = answered(request);
                                   for (QuestionAnswer& answer : response->responses) {
                                     if (answer.answer.is_string())
                                       answer.answer = "orders, token: s3cr3t";
                                   }
                                   for (const Question& question : request.questions) {
                                     if (question.type != QuestionType::select) continue;
                                     for (QuestionAnswer& answer : response->responses) {
                                       if (answer.question_id == question.id)
                                         answer.answer = question.options->front();
                                     }
                                   }
                                   return response;
                                 });
  EXPECT_EQ(seen.answer.find("hunter2"), std::string::npos) << seen.answer;
  EXPECT_EQ(seen.answer.find("s3cr3t"), std::string::npos) << seen.answer;
}

TEST(OfflineRequirements, stays_readable_with_endless_answers) {
  const Conversation seen =
      talk({"Build me a website"}, [](const AskUserRequest& request) -> Result<AskUserResponse> {
        auto response = answered(request);
        for (QuestionAnswer& answer : response->responses) {
          if (answer.answer.is_string()) answer.answer = std::string(50'000, 'x');
        }
        return response;
      });
  EXPECT_TRUE(requirements_from(seen.answer)) << seen.answer.size();
}

TEST(OfflineRequirements, says_what_it_can_do) {
  const Conversation seen = talk({"What can you do?"}, answered);
  EXPECT_NE(seen.answer.find("gather the requirements"), std::string::npos) << seen.answer;
}

}  // namespace
}  // namespace wright
