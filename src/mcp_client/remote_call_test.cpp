// Questions in the middle of requests, against a server in Python that writes down whenever it
// acts.
#include "mcp_client/remote_call.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <fstream>
#include <sstream>

#include "core/begun_wait.h"
#include "core/unknown_outcome.h"
#include "mcp_client/python_server_testing.h"
#include "mcp_client/server_texts.h"
#include "mcp_client/server_tools.h"
#include "mcp_client/stdio_channel.h"
#include "tools/temporary_folder_testing.h"
#include "wright/agent.h"
#include "wright/interceptors.h"

namespace wright::mcp_client {
namespace {

constexpr std::string_view kActingServer = R"(
journal = sys.argv[2]
def note(word): open(journal, "a").write(word + "\n")
def noted(word): return os.path.exists(journal) and word + "\n" in open(journal).read()
def tool(name, **hints): return {"name": name, "inputSchema": {"type": "object"}, "annotations": hints}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
CAPABLE = {"tools": {}, "prompts": {}, "resources": {"subscribe": True}}
ADDRESS = {"mode": "url", "elicitationId": "e1", "message": "Log in\nHost: good.example",
           "url": "https://user@evil.example:8443/login?x=1"}
# What looks like a key, and is the server's own.
STATE = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
LOGIN = {**ADDRESS, "url": "https://log.example/in?state=" + STATE + "&for=docs-token-4711"}
CHOICE = {"message": "Who pays for postgres with docs-token-4711?", "requestedSchema": {"type": "object",
          "properties": {"name": {"type": "string", "enum": ["sk_test_0123456789abcdef", "postgres"],
                                  "default": "sk_test_0123456789abcdef"}}}}
DRIVER = {"name": "driver", "title": "With docs-token-4711", "description": "Of postgres, with docs-token-4711", "annotations": {"readOnlyHint": True},
          "inputSchema": {"type": "object", "required": ["postgres"], "properties": {
              "postgres": {"enum": ["postgres", "mysql"], "title": "Is docs-token-4711 right?"},
              "description": {"type": "string", "description": "docs-token-4711 of postgres",
                              "default": "docs-token-4711", "pattern": "^sk_test_0123456789abcdef$"}}}}
RESULTS = {"tools/call": lambda who: text("paid by " + who),
           "prompts/get": lambda who: {"messages": [{"role": "user", "content":
                [{"type": "text", "text": "Greet " + who},
                 {"type": "image", "mimeType": "image/png", "data": PIXEL}]}]},
           "resources/read": lambda who: {"contents": [{"uri": "test://a", "text": "for " + who},
                {"uri": "test://a", "mimeType": "image/png", "blob": PIXEL}]}}
def who_in(result):
    if "content" in result: return result["content"].get("name", "?")
    return "nobody: " + result["action"]
waiting = {}
for line in sys.stdin:
    m = json.loads(line)
    method, id, params = m.get("method"), m.get("id"), m.get("params") or {}
    if greeted(method, id): continue
    if method == "tools/list":
        answer(id, {"tools": [DRIVER, tool("login", readOnlyHint=True), tool("choose", readOnlyHint=True),
                              tool("pay"), tool("look", readOnlyHint=True), tool("big"),
                              tool("fickle", readOnlyHint=True),
                              tool("open", destructiveHint=False), tool("gated", destructiveHint=True),
                              tool("steps"), tool("die"), tool("hang", destructiveHint=False),
                              tool("hang_looking", readOnlyHint=True),
                              tool("forget", destructiveHint=False), tool("forget_looking", readOnlyHint=True)]})
    elif method in ("resources/subscribe", "subscriptions/listen"):
        note(method)
        if method == "resources/subscribe": answer(id, {})
    elif method == "tools/call" and params["name"] == "die":
        os._exit(1)
    elif method == "tools/call" and params["name"] == "steps":
        for step in (1, 2.5):
            send({"method": "notifications/progress", "params":
                  {"progressToken": params["_meta"]["progressToken"], "progress": step}})
        answer(id, text("done"))
    elif method == "tools/call" and params["name"].startswith("hang"):
        send({"method": "notifications/progress", "params":
              {"progressToken": params["_meta"]["progressToken"], "progress": 1}})
    elif method == "tools/call" and params["name"] == "gated" and not noted("logged in"):
        note("refused")
        send({"id": id, "error": {"code": -32042, "message": "log in first",
                                  "data": {"elicitations": [ADDRESS]}}})
    elif method == "tools/call" and params["name"] == "gated":
        answer(id, text("behind the gate"))
    elif method in RESULTS:
        name = params.get("name")
        asked = ADDRESS if name == "open" else FORM
        if name in ("login", "choose"): asked = LOGIN if name == "login" else CHOICE
        if name == "fickle":
            asked = {**FORM, "message": "Who pays %d?" % (1 if not noted("began") else 50000)}
        if modern and "inputResponses" in params:
            if params.get("requestState") != "half done" or str(name).startswith("forget"):
                problem(id, -32602, "this is not my state")
                continue
            answer(id, RESULTS[method](who_in(params["inputResponses"]["k"])))
            continue
        note("began")
        if modern:
            answer(id, {"resultType": "input_required",
                        "requestState": "x" * 300000 if name == "big" else "half done",
                        "inputRequests": {"k": {"method": "elicitation/create", "params": asked}}})
        else:
            question = "q%s" % id
            waiting[question] = (id, method, name)
            send({"id": question, "method": "elicitation/create", "params": asked})
    elif id in waiting and "result" in m:
        call, asked_in, name = waiting.pop(id)
        if str(name).startswith("forget"): problem(call, -32602, "this is not my question")
        else: answer(call, RESULTS[asked_in](who_in(m["result"])))
)";

class McpRemoteCall : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::ofstream(folder_.path() / "server.py") << kPythonServer << kActingServer;
  }

  bool is_modern() const { return std::string_view(GetParam()) == "modern"; }
  // Another process of ours, as far as the server can see.
  std::shared_ptr<Connection> connect(Redactor redactor = {}) {
    ServerProgram program{.command = {"python3", (folder_.path() / "server.py").string(),
                                      GetParam(), journal().string()},
                          .working_directory = folder_.path()};
    program.policy.mode = SandboxMode::off;
    return std::make_shared<Connection>(ConnectionOptions{
        .name = "py",
        .client = {.self = {"test", "", "1"}, .capabilities = {{"elicitation", JsonObject{}}}},
        .make =
            [program](std::shared_ptr<ChannelListener> listener) {
              return start_program(program, std::move(listener));
            },
        .redactor = std::move(redactor)});
  }
  std::vector<Tool> tools() { return tools_of(connect()); }
  static std::vector<Tool> tools_of(const std::shared_ptr<Connection>& connection) {
    auto made = server_tools(connection, {.name = "py"});
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(made->tools) : std::vector<Tool>();
  }
  static ToolOutcome call(const std::vector<Tool>& tools, std::string name,
                          WaitAnswers answers = {}, std::string arguments = "{}") {
    return execute(tools, {}, {"c1", "py__" + std::move(name), std::move(arguments)},
                   {.call_id = "c1", .answers = std::move(answers)});
  }
  static Json saying(std::string id, Json answer) {
    return JsonObject{{"completed", true},
                      {"responses", JsonArray{JsonObject{{"question_id", std::move(id)},
                                                         {"answer", std::move(answer)}}}},
                      {"message", ""}};
  }
  static WaitAnswers answer_to(const ToolOutcome& asked, Json given = saying("name", "Ada")) {
    return {.answer = std::move(given), .state = asked.waiting ? asked.waiting->state : Json()};
  }
  // How often the server did it.
  std::size_t count(std::string_view word) const {
    std::ifstream file(journal());
    std::size_t found = 0;
    for (std::string line; std::getline(file, line);) found += line == word ? 1 : 0;
    return found;
  }
  std::filesystem::path journal() const { return folder_.path() / "journal"; }

  TemporaryFolder folder_;
};

TEST_P(McpRemoteCall, WhatWritesIsNotBegunTwiceInAnotherProcess) {
  const auto asked = call(tools(), "pay");
  ASSERT_TRUE(asked.waiting) << asked.result.content;
  // Through the store and back.
  auto given = answer_to(asked);
  given.state = parse_json(to_text(given.state)).value();
  const auto later = call(tools(), "pay", given);
  if (is_modern()) {
    EXPECT_EQ(later.response, Json("paid by Ada")) << later.result.content;
  } else {
    EXPECT_NE(later.result.content.find("not known"), std::string::npos) << later.result.content;
  }
  EXPECT_EQ(count("began"), 1U);
}

TEST_P(McpRemoteCall, WhatOnlyReadsIsAnsweredInAnotherProcess) {
  const auto asked = call(tools(), "look");
  ASSERT_TRUE(asked.waiting);
  const auto later = call(tools(), "look", answer_to(asked));
  EXPECT_EQ(later.response, Json("paid by Ada")) << later.result.content;
  EXPECT_EQ(count("began"), is_modern() ? 1U : 2U);
}

// A password that is an ordinary word, and a token.
const std::vector<std::string> kSecrets{"postgres", "docs-token-4711"};

TEST_P(McpRemoteCall, SecretsInWhatIsAskedAreNeitherShownNorKept) {
  const Redactor redactor(kSecrets);
  const auto own = tools_of(connect(redactor));
  const auto asked = call(own, "choose");
  ASSERT_TRUE(asked.waiting);
  EXPECT_TRUE(to_text(asked.waiting->shown).contains("asks: Who pays for postgres with [REDACTED]"))
      << to_text(asked.waiting->shown);
  EXPECT_FALSE(to_text(asked.waiting->state).contains("docs-token-4711"))
      << to_text(asked.waiting->state);
  const Json given = saying("name", "postgres");
  EXPECT_EQ(call(own, "choose", answer_to(asked, given)).response, Json("paid by postgres"));
  const auto begun = call(own, "choose");
  ASSERT_TRUE(begun.waiting);
  const auto later = call(tools_of(connect(redactor)), "choose", answer_to(begun, given));
  EXPECT_EQ(later.response, Json("paid by postgres")) << later.result.content;
}

TEST_P(McpRemoteCall, WhatOnlyLooksLikeAKeyIsAskedAsTheServerSaysIt) {
  const Redactor redactor(kSecrets);
  const std::vector<Interceptor> chain{intercept::redaction(redactor)};
  const auto own = tools_of(connect(redactor));
  const auto login = execute(own, chain, {"c1", "py__login", "{}"}, {.call_id = "c1"});
  ASSERT_TRUE(login.waiting) << login.result.content;
  const auto asked = decode<AskUserRequest>(login.waiting->shown);
  ASSERT_TRUE(asked);
  const std::string prompt = asked->prompt.value_or("");
  EXPECT_TRUE(
      prompt.contains("Address: https://log.example/in?state="
                      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
                      "&for=[REDACTED]"))
      << prompt;
  const auto choice = execute(own, chain, {"c2", "py__choose", "{}"}, {.call_id = "c2"});
  ASSERT_TRUE(choice.waiting) << choice.result.content;
  const auto form = decode<AskUserRequest>(choice.waiting->shown);
  ASSERT_TRUE(form);
  ASSERT_EQ(form->questions.size(), 1U);
  const Question& question = form->questions.front();
  const std::string key = "sk_test_0123456789abcdef";
  EXPECT_EQ(question.options, (std::vector<std::string>{key, "postgres"}));
  EXPECT_EQ(question.default_answer, Json(key));
  EXPECT_EQ(call(own, "choose", answer_to(choice, saying("name", Json(key)))).response,
            Json("paid by " + key));
}

TEST_P(McpRemoteCall, AToolIsDescribedWithoutSecretsAndCalledAsItsServerSays) {
  const auto own = tools_of(connect(Redactor(kSecrets)));
  const Tool* driver = find_tool(own, "py__driver");
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->spec.description, "Of postgres, with [REDACTED]");
  const Json expected{
      {"type", "object"},
      {"required", JsonArray{"postgres"}},
      {"properties",
       {{"postgres", {{"enum", JsonArray{"postgres", "mysql"}}, {"title", "Is [REDACTED] right?"}}},
        {"description",
         {{"type", "string"},
          {"description", "[REDACTED] of postgres"},
          {"default", "[REDACTED]"},
          {"pattern", "^sk_test_0123456789abcdef$"}}}}}};
  EXPECT_EQ(driver->spec.parameters, expected) << to_text(driver->spec.parameters);
}

// The fields are the same, and the answer would fit.
TEST_P(McpRemoteCall, AnAnswerIsNotGivenToAQuestionThatNobodyWasShown) {
  if (is_modern()) return;  // the answer goes with the state that it was asked in
  const auto asked = call(tools(), "fickle");
  ASSERT_TRUE(asked.waiting);
  EXPECT_NE(to_text(asked.waiting->shown).find("Who pays 1?"), std::string::npos);
  auto given = answer_to(asked);
  given.state = parse_json(to_text(given.state)).value();
  const auto own = tools();
  const auto later = call(own, "fickle", given);
  ASSERT_TRUE(later.waiting) << later.result.content;
  EXPECT_NE(to_text(later.waiting->shown).find("Who pays 50000?"), std::string::npos);
  // The process that began it still has the first question open, and the second was answered.
  const auto agreed = call(own, "fickle", answer_to(later));
  EXPECT_EQ(agreed.response, Json("paid by Ada")) << agreed.result.content;
}

TEST_P(McpRemoteCall, AQuestionThatIsStillOpenGetsNoAnswerToAnotherOne) {
  if (is_modern()) return;
  const auto first = tools();
  ASSERT_TRUE(call(first, "fickle").waiting);
  const auto second = call(tools(), "fickle");
  ASSERT_TRUE(second.waiting);
  EXPECT_NE(to_text(second.waiting->shown).find("Who pays 50000?"), std::string::npos);
  // It comes back to the first process, where the server waits with "Who pays 1?".
  const auto back = call(first, "fickle", answer_to(second));
  EXPECT_EQ(back.response, Json("paid by Ada")) << back.result.content;
  EXPECT_EQ(count("began"), 3U) << "it was begun anew, and asked the same as was answered";
}

// Stored by a program that kept none.
TEST_P(McpRemoteCall, AnAnswerWithoutStateBeginsNothingThatWrites) {
  for (const Json& state : {Json(), Json("?"), Json(JsonObject{{"goes_on", "somehow"}})}) {
    const auto later = call(tools(), "pay", {.answer = saying("name", "Ada"), .state = state});
    EXPECT_NE(later.result.content.find("not known"), std::string::npos) << later.result.content;
  }
  EXPECT_EQ(count("began"), 0U);
}

// It has acted by then: it is told, and says itself how it ended.
TEST_P(McpRemoteCall, WhatNobodyAnswersEndsAsItsServerSays) {
  const auto own = tools();
  const auto asked = call(own, "pay");
  ASSERT_TRUE(asked.waiting) << asked.result.content;
  EXPECT_TRUE(waits_in_the_middle(asked.waiting->state));
  const auto ended =
      call(own, "pay", answer_to(asked, *declined(WaitKind::question, "Nobody is there").answer));
  EXPECT_EQ(ended.response, Json("paid by nobody: decline")) << ended.result.content;
  EXPECT_EQ(count("began"), 1U);
}

TEST_P(McpRemoteCall, WhatHasBegunAndIsForgottenByItsServerHasAnOutcomeThatIsNotKnown) {
  const auto own = tools();
  for (const bool writes : {true, false}) {
    const std::string name = writes ? "forget" : "forget_looking";
    const auto asked = call(own, name);
    ASSERT_TRUE(asked.waiting) << asked.result.content;
    const auto ended = call(own, name, answer_to(asked));
    EXPECT_TRUE(ended.result.is_error) << ended.result.content;
    EXPECT_EQ(is_unknown(ended), writes) << ended.result.content;
  }
}

TEST_P(McpRemoteCall, WhatWritesAndIsStoppedHasAnOutcomeThatIsNotKnown) {
  const auto own = tools();
  std::stop_source stop;
  const auto stopped = [&](std::string name) {
    return execute(own, {}, {"c2", "py__" + std::move(name), "{}"},
                   {.call_id = "c2", .stop = stop.get_token(), .progress = [&](std::string_view) {
                      stop.request_stop();
                    }});
  };
  EXPECT_TRUE(is_unknown(stopped("hang")));
  stop = {};
  const auto reading = stopped("hang_looking");
  EXPECT_TRUE(reading.result.is_error);
  EXPECT_FALSE(is_unknown(reading)) << reading.result.content;
}

TEST_P(McpRemoteCall, AStateThatIsTooLargeIsNotKept) {
  const auto asked = call(tools(), "big");
  ASSERT_EQ(asked.waiting.has_value(), !is_modern()) << "the older revisions have none";
  if (!is_modern()) return;
  EXPECT_NE(asked.result.content.find("not known"), std::string::npos) << asked.result.content;
  EXPECT_NE(asked.result.content.find("256 KB"), std::string::npos) << asked.result.content;
}

TEST_P(McpRemoteCall, AnAddressIsShownWithItsHostAndOpenedByNobodyElse) {
  const auto own = tools();
  for (const bool agrees : {true, false}) {
    const auto asked = call(own, "open");
    ASSERT_TRUE(asked.waiting) << asked.result.content;
    const auto request = questions_from(asked.waiting->shown);
    ASSERT_TRUE(request);
    const std::string prompt = request->prompt.value_or("");
    EXPECT_NE(
        prompt.find("\nHost: evil.example\nAddress: https://user@evil.example:8443/login?x=1"),
        std::string::npos)
        << prompt;
    EXPECT_NE(prompt.find("before '@' is not where it leads"), std::string::npos) << prompt;
    EXPECT_EQ(prompt.find("\nHost: good.example"), std::string::npos) << prompt;
    ASSERT_EQ(request->questions.size(), 1U);
    EXPECT_EQ(request->questions[0].type, QuestionType::boolean);
    const auto answered =
        call(own, "open", answer_to(asked, saying(request->questions[0].id, agrees)));
    EXPECT_EQ(answered.response,
              Json(agrees ? "paid by nobody: accept" : "paid by nobody: decline"));
  }
}

TEST_P(McpRemoteCall, WhatIsRefusedUntilAnAddressWasOpenedIsCalledAgainThen) {
  const auto asked = call(tools(), "gated");
  ASSERT_TRUE(asked.waiting) << asked.result.content;
  const auto request = questions_from(asked.waiting->shown);
  ASSERT_TRUE(request);
  EXPECT_NE(request->prompt.value_or("").find("Host: evil.example"), std::string::npos);
  const std::string id = request->questions.at(0).id;
  const auto declined = call(tools(), "gated", answer_to(asked, saying(id, false)));
  EXPECT_NE(declined.result.content.find("did not agree"), std::string::npos);
  EXPECT_EQ(count("refused"), 1U);
  std::ofstream(journal(), std::ios::app) << "logged in\n";
  const auto answered = call(tools(), "gated", answer_to(asked, saying(id, true)));
  EXPECT_EQ(answered.response, Json("behind the gate")) << answered.result.content;
}

TEST_P(McpRemoteCall, PromptsAndResourcesAskAPersonTooAndHaveImages) {
  RemoteCalls calls(connect());
  const WaitOptions wait{.timeout = std::chrono::seconds(20)};
  int asked = 0;
  const AskPerson ask = [&](const Waiting& waiting) -> Result<std::optional<WaitAnswers>> {
    ++asked;
    EXPECT_NE(to_text(waiting.shown).find("Who pays?"), std::string::npos);
    return WaitAnswers{.answer = saying("name", "Ada")};
  };
  const auto prompt = prompt_content(calls, "p", {}, ask, wait);
  ASSERT_TRUE(prompt) << prompt.error().message;
  EXPECT_EQ(prompt->value, Json("Greet Ada"));
  EXPECT_EQ(prompt->images.size(), 1U);
  const auto resource = resource_content(calls, "test://a", ask, wait);
  ASSERT_TRUE(resource) << resource.error().message;
  EXPECT_EQ(resource->value, Json("for Ada"));
  EXPECT_EQ(resource->images.size(), 1U);
  EXPECT_EQ(asked, 2);
  const auto nobody = prompt_content(calls, "p", {}, {}, wait);
  ASSERT_FALSE(nobody);
  EXPECT_NE(nobody.error().message.find("nobody is there"), std::string::npos);
  const auto gave_up = resource_content(
      calls, "test://a",
      [](const Waiting&) -> Result<std::optional<WaitAnswers>> { return std::nullopt; }, wait);
  ASSERT_FALSE(gave_up);
  EXPECT_EQ(gave_up.error().code, ErrorCode::cancelled);
}

TEST_P(McpRemoteCall, WhatTheUserSaysOfEffectsHoldsForReadingResourcesToo) {
  const auto made = server_tools(connect(), {.name = "py", .effects = {{"*", Effect::write}}});
  ASSERT_TRUE(made) << made.error().message;
  const Tool* reading = find_tool(made->tools, "py__read_resource");
  ASSERT_NE(reading, nullptr);
  EXPECT_EQ(reading->spec.options.effect, Effect::write);
}

TEST_P(McpRemoteCall, AgentsReadWhatToolsLinkTo) {
  const auto own = tools();
  const Tool* reading = find_tool(own, "py__read_resource");
  ASSERT_NE(reading, nullptr);
  EXPECT_EQ(reading->spec.options.effect, Effect::read);
  const auto asked = call(own, "read_resource", {}, R"({"uri":"test://a"})");
  ASSERT_TRUE(asked.waiting) << asked.result.content;
  const auto read = call(own, "read_resource", answer_to(asked), R"({"uri":"test://a"})");
  EXPECT_EQ(read.response, Json("for Ada")) << read.result.content;
  EXPECT_EQ(read.result.images.size(), 1U);
  auto without = server_tools(connect(), {.name = "py", .patterns = {"pay"}});
  ASSERT_TRUE(without);
  EXPECT_EQ(without->tools.size(), 1U);
}

TEST_P(McpRemoteCall, ProgressWithoutAnEndIsTold) {
  std::vector<std::string> told;
  execute(tools(), {}, {"c1", "py__steps", "{}"},
          {.call_id = "c1", .progress = [&](std::string_view text) { told.emplace_back(text); }});
  EXPECT_EQ(told, (std::vector<std::string>{"step 1", "step 2.5"}));
}

TEST_P(McpRemoteCall, APersonWhoApprovesIsToldWhatTheServerSaysOfDestruction) {
  const auto made = server_tools(connect(), {.name = "py"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->destructive, (std::unordered_set<std::string>{"py__pay", "py__big", "py__gated",
                                                                "py__steps", "py__die"}));
  Agent agent{.name = "a", .tools = made->tools};
  for (Tool& tool : agent.tools) tool.spec.options.needs_approval = true;
  const auto words_about = [&](std::string_view tool) {
    const auto asked = execute(agent, {"c1", fmt::format("py__{}", tool), "{}"}, {.call_id = "c1"});
    return asked.waiting ? to_text(asked.waiting->shown) : asked.result.content;
  };
  EXPECT_NE(words_about("gated").find("may destroy or overwrite"), std::string::npos);
  EXPECT_NE(words_about("open").find("destroys nothing, which nobody"), std::string::npos);
  EXPECT_NE(words_about("pay").find("does not say whether"), std::string::npos);
  EXPECT_EQ(words_about("look").find("destroy"), std::string::npos) << words_about("look");
}

TEST_P(McpRemoteCall, WhatIsWatchedIsWatchedAfterAServerWasStartedAgain) {
  const auto connection = connect();
  const WaitOptions wait{.timeout = std::chrono::seconds(20)};
  ASSERT_TRUE(connection->watch("test://a", wait));
  const std::string word = is_modern() ? "subscriptions/listen" : "resources/subscribe";
  const auto own = tools_of(connection);
  ASSERT_EQ(count(word), 1U);
  call(own, "die");
  EXPECT_EQ(call(own, "steps").response, Json("done"));
  EXPECT_EQ(count(word), 2U);
}

INSTANTIATE_TEST_SUITE_P(BothEras, McpRemoteCall, ::testing::Values("modern", "legacy"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace wright::mcp_client
