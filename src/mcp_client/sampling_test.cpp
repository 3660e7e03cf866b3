// A server in Python that asks the agent's model in the middle of a call.
#include "mcp_client/sampling.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <atomic>
#include <chrono>
#include <fstream>
#include <latch>
#include <thread>
#include <vector>

#include "core/begun_wait.h"
#include "core/unknown_outcome.h"
#include "mcp_client/server_texts.h"
#include "mcp_client/server_tools.h"
#include "mcp_client/stdio_channel.h"
#include "tools/temporary_folder_testing.h"
#include "wright/model.h"

namespace wright::mcp_client {
namespace {

constexpr std::string_view kAskingServer = R"(
import json, sys
mode = sys.argv[1]
def send(message):
    sys.stdout.write(json.dumps(message) + "\n"); sys.stdout.flush()
def answer(id, result): send({"jsonrpc": "2.0", "id": id, "result": result})
def text(words): return {"content": [{"type": "text", "text": words}]}
QUESTION = {"messages": [{"role": "user", "content": {"type": "text", "text": "Capital?"}}],
            "maxTokens": 500 if mode == "dearer" else 50}
CAPABLE = {"tools": {}, "resources": {"subscribe": True}, "prompts": {}}
call = None
for line in sys.stdin:
    m = json.loads(line)
    method, id, params = m.get("method"), m.get("id"), m.get("params") or {}
    if method == "server/discover" and mode == "modern":
        answer(id, {"supportedVersions": ["2026-07-28"], "capabilities": CAPABLE})
    elif method == "initialize":
        answer(id, {"protocolVersion": "2025-11-25", "capabilities": CAPABLE})
    elif method == "tools/list":
        answer(id, {"tools": [{"name": "ask", "inputSchema": {"type": "object"},
                               "annotations": {"readOnlyHint": True}}]})
    elif method == "tools/call" and mode == "modern":
        if "inputResponses" in params:
            answer(id, text(params["inputResponses"]["q"]["content"]["text"]))
        else:
            answer(id, {"resultType": "input_required", "inputRequests":
                        {"q": {"method": "sampling/createMessage", "params": QUESTION}}})
    elif method == "tools/call":
        call = id
        send({"jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage", "params": QUESTION})
    elif id == "s":
        answer(call, text(m["result"]["content"]["text"] if "result" in m else m["error"]["message"]))
    elif method == "resources/list":
        answer(id, {"resources": [{"uri": "test://a", "name": "a"}, {"uri": "test://a b", "name": "b"}]})
    elif method == "resources/read":
        answer(id, {"contents": [{"uri": params["uri"], "text": "of " + params["uri"]},
                                 {"uri": params["uri"], "mimeType": "image/png", "blob": "AAAA"}]})
    elif method in ("resources/subscribe", "subscriptions/listen"):
        uris = [params["uri"]] if "uri" in params else params["notifications"]["resourceSubscriptions"]
        if "uri" in params: answer(id, {})
        for uri in uris:
            send({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}})
    elif method == "prompts/get":
        answer(id, {"messages": [
            {"role": "user", "content": {"type": "text", "text": "Say " + params["arguments"]["word"]}},
            {"role": "assistant", "content": {"type": "text", "text": "yes"}}]})
    elif id is not None:
        send({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}})
)";

class McpSampling : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_.path() / "server.py") << kAskingServer;
    Model model = model_from("test", "m", [this](const Request& request, const ModelCall&) {
      ++asked_;
      most_ = request.sampling->max_tokens;
      Response response;
      response.content.emplace_back(Text{"Paris, for " + request.messages.front().text()});
      response.usage.input_tokens = 30;
      response.usage.output_tokens = 10;
      return Result<Response>(std::move(response));
    });
    Limits limits;
    limits.max_tokens = 60;
    models_->set("agent", std::move(model), limits);
  }
  std::shared_ptr<Connection> connect(std::string mode) {
    ServerProgram program{
        .command = {"python3", (folder_.path() / "server.py").string(), std::move(mode)},
        .working_directory = folder_.path()};
    program.policy.mode = SandboxMode::off;
    return std::make_shared<Connection>(ConnectionOptions{
        .name = "py",
        .client = {.self = {"test", "", "1"}, .capabilities = {{"sampling", JsonObject{}}}},
        .make = [program](std::shared_ptr<ChannelListener> listener) {
          return start_program(program, std::move(listener));
        }});
  }
  std::vector<Tool> tools(const std::string& mode, Effect effect = Effect::read) {
    auto made = server_tools(connect(mode),
                             {.name = "py", .effects = {{"ask", effect}}, .models = models_});
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(made->tools) : std::vector<Tool>();
  }
  static ToolOutcome call(const std::vector<Tool>& tools, WaitAnswers answers = {}) {
    return execute(tools, {}, {"c1", "py__ask", "{}"},
                   {.agent_name = "agent", .session_id = 1, .call_id = "c1", .answers = answers});
  }
  static Json saying(std::string_view word) {
    return JsonObject{
        {"completed", true},
        {"responses", JsonArray{JsonObject{{"question_id", "allow"}, {"answer", word}}}},
        {"message", ""}};
  }

  TemporaryFolder folder_;
  std::shared_ptr<SamplingModels> models_ = std::make_shared<SamplingModels>();
  std::atomic<int> asked_ = 0;
  std::atomic<int> most_ = 0;
};

TEST_F(McpSampling, TheModelIsAskedWhenAPersonAgreesAndWithinTheBudget) {
  for (const std::string mode : {"legacy", "modern"}) {
    const auto own = tools(mode);
    const auto asked = call(own);
    ASSERT_TRUE(asked.waiting) << mode << asked.result.content;
    EXPECT_NE(to_text(asked.waiting->shown).find("Capital?"), std::string::npos);
    const auto answered = call(own, {.answer = saying("yes"), .state = asked.waiting->state});
    EXPECT_EQ(answered.response, Json("Paris, for Capital?")) << mode << answered.result.content;
  }
  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(most_, 20);  // what was left
  const auto own = tools("legacy");
  const auto again = call(own);
  ASSERT_TRUE(again.waiting);
  EXPECT_EQ(call(own, {.answer = saying("yes"), .state = again.waiting->state}).response,
            Json("the agent's budget is used up"));
  EXPECT_EQ(asked_, 2);
}

// The call is made anew, and the same person would pay for something else.
TEST_F(McpSampling, AWordForOneQuestionIsNoneForAnother) {
  const auto asked = call(tools("legacy"));
  ASSERT_TRUE(asked.waiting);
  const WaitAnswers given{.answer = saying("yes"),
                          .state = parse_json(to_text(asked.waiting->state)).value()};
  EXPECT_TRUE(call(tools("dearer"), given).waiting) << "it asks for more";
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(call(tools("legacy"), given).response, Json("Paris, for Capital?"));
  EXPECT_EQ(asked_, 1);
}

TEST_F(McpSampling, QuestionsAtOnceDoNotPassTheLimitTogether) {
  constexpr int kThreads = 6;
  std::atomic<int> inside = 0;
  std::atomic<int> asked = 0;
  std::atomic<bool> were_two = false;
  models_->set("agent",
               model_from("test", "m",
                          [&](const Request&, const ModelCall&) {
                            if (++inside > 1) were_two = true;
                            ++asked;
                            // Long enough for another one to come, if it could.
                            std::this_thread::sleep_for(std::chrono::milliseconds(20));
                            --inside;
                            Response response;
                            response.usage.output_tokens = 40;
                            return Result<Response>(std::move(response));
                          }),
               {});
  const Json params =
      parse_json(R"({"messages":[{"role":"user","content":{"type":"text","text":"a"}}]})").value();
  const auto budget = std::make_shared<CallBudget>(100, std::nullopt);
  std::atomic<int> refused = 0;
  {
    std::latch begin(kThreads);
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        begin.arrive_and_wait();
        const auto answer =
            models_->answer(params.get_object(), {.agent_name = "agent", .budget = budget});
        if (!answer && answer.error().code == ErrorCode::limit_reached) ++refused;
      });
    }
  }
  EXPECT_FALSE(were_two);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(refused, kThreads - 3);
}

TEST_F(McpSampling, TheModelIsNotAskedWhenNobodyAgrees) {
  for (const std::string mode : {"legacy", "modern"}) {
    const auto own = tools(mode);
    const auto asked = call(own);
    ASSERT_TRUE(asked.waiting);
    const auto answered = call(own, {.answer = saying("no"), .state = asked.waiting->state});
    EXPECT_NE(answered.result.content.find("does not want"), std::string::npos)
        << answered.result.content;
  }
  EXPECT_EQ(asked_, 0);
}

// Older servers are told, and say how it ended. In the newest revision nothing can be told.
TEST_F(McpSampling, WhatWritesIsNotSaidToHaveFailedWhenNobodyAgrees) {
  for (const std::string mode : {"legacy", "modern"}) {
    const auto own = tools(mode, Effect::write);
    const auto asked = call(own);
    ASSERT_TRUE(asked.waiting) << asked.result.content;
    EXPECT_TRUE(waits_in_the_middle(asked.waiting->state));
    WaitAnswers none = declined(asked.waiting->kind, "Nobody is there");
    none.state = asked.waiting->state;
    const auto ended = call(own, none);
    EXPECT_EQ(is_unknown(ended), mode == "modern") << ended.result.content;
    EXPECT_EQ(ended.result.is_error, mode == "modern") << ended.result.content;
  }
}

// Without models, a server that asks for one cannot go on.
TEST_F(McpSampling, WhatWritesIsNotSaidToHaveFailedWhereThereAreNoModels) {
  models_.reset();
  EXPECT_TRUE(is_unknown(call(tools("modern", Effect::write))));
  const auto reading = call(tools("modern"));
  EXPECT_TRUE(reading.result.is_error);
  EXPECT_FALSE(is_unknown(reading));
}

TEST_F(McpSampling, WhatIsNoQuestionOfTextsIsRefused) {
  for (const std::string_view broken :
       {R"({})", R"({"messages":[]})", R"({"messages":[7]})", R"({"messages":"x"})",
        R"({"messages":[{"role":"user","content":{"type":"image","data":""}}]})",
        R"({"messages":[{"role":"user","content":{"type":"text","text":"a"}}],"tools":[]})"}) {
    EXPECT_FALSE(consent_form(parse_json(broken).value().as_object())) << broken;
  }
}

// Nobody consents to what they cannot see.
TEST_F(McpSampling, APersonIsShownAllThatTheModelWillRead) {
  const auto asking = [](std::size_t filling) {
    const std::string blanks(filling, ' ');
    JsonArray messages;
    for (const char* word : {"FIRST", "SECOND", "THIRD", "FOURTH", "FIFTH"}) {
      messages.push_back(JsonObject{
          {"role", "user"}, {"content", JsonObject{{"type", "text"}, {"text", blanks + word}}}});
    }
    return consent_form({{"systemPrompt", blanks + "SYSTEM"}, {"messages", std::move(messages)}});
  };
  const auto form = asking(9'000);
  ASSERT_TRUE(form) << form.error().message;
  const std::string shown(form->at("message").as_string());
  for (const char* word : {"SYSTEM", "FIRST", "SECOND", "THIRD", "FOURTH", "FIFTH"}) {
    EXPECT_NE(shown.find(word), std::string::npos) << word;
  }
  EXPECT_FALSE(asking(20'000)) << "more than a person can be shown";
}

TEST_F(McpSampling, ResourcesAreReadAndWatched) {
  for (const std::string mode : {"legacy", "modern"}) {
    const auto connection = connect(mode);
    const WaitOptions wait{.timeout = std::chrono::seconds(20)};
    RemoteCalls calls(connection);
    const auto listed = server_resources(*connection, wait);
    ASSERT_TRUE(listed) << listed.error().message;
    ASSERT_EQ(listed->size(), 1U);  // the other one cannot be typed
    EXPECT_EQ(resource_content(calls, "test://a", {}, wait)->value,
              Json("of test://a\n[image, image/png, which is not shown: it is no PNG, JPEG, GIF or "
                   "WebP image]"));
    ASSERT_TRUE(connection->watch("test://a", wait));
    // Whatever is asked after that comes after it.
    ASSERT_TRUE(resource_content(calls, "test://a", {}, wait));
    EXPECT_EQ(connection->take_updates(), std::vector<std::string>{"test://a"});
    EXPECT_TRUE(connection->take_updates().empty());
  }
}

TEST_F(McpSampling, PromptsAreMessagesOfAPerson) {
  RemoteCalls calls(connect("legacy"));
  EXPECT_EQ(prompt_content(calls, "p", {{"word", "please"}}, {}, {})->value,
            Json("user: Say please\n\nassistant: yes"));
}

TEST(McpPrompts, WordsBecomeArguments) {
  const ServerPrompt prompt{.name = "p", .arguments = {{"city", true}, {"rest", false}}};
  EXPECT_EQ(prompt_arguments(prompt, " Rome  is old ").value(),
            (JsonObject{{"city", "Rome"}, {"rest", "is old"}}));
  EXPECT_EQ(prompt_arguments(prompt, "rest=x Rome").value(),
            (JsonObject{{"rest", "x"}, {"city", "Rome"}}));
  EXPECT_FALSE(prompt_arguments(prompt, "rest=x"));
  EXPECT_FALSE(prompt_arguments({.name = "none"}, "a"));
}

}  // namespace
}  // namespace wright::mcp_client
