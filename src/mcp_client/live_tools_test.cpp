// Against a real process: a small server in Python whose tools come and go.
#include "mcp_client/live_tools.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <fstream>
#include <iterator>

#include "mcp_client/server_texts.h"
#include "mcp_client/stdio_channel.h"
#include "tools/temporary_folder_testing.h"
#include "wright/agent.h"

namespace wright::mcp_client {
namespace {

// A call of "set" chooses the tools, and tells of it before it answers. Every tools/list and
// resources/read is written down.
constexpr std::string_view kChangingServer = R"(
import json, os, sys
mode, journal = sys.argv[1], sys.argv[2]
def send(message):
    sys.stdout.write(json.dumps(message) + "\n"); sys.stdout.flush()
def answer(id, result): send({"jsonrpc": "2.0", "id": id, "result": result})
def note(word): open(journal, "a").write(word + "\n")
def tool(name, **more): return {"name": name, "inputSchema": {"type": "object"}, **more}
SET = tool("set", annotations={"readOnlyHint": True})
tools = [SET, tool("first"), tool("same")]
CAPABLE = {"tools": {"listChanged": True}}
FORM = {"message": "Who?", "requestedSchema": {"type": "object",
        "properties": {"name": {"type": "string"}}}}
listening, asking = None, None
for line in sys.stdin:
    m = json.loads(line)
    method, id, params = m.get("method"), m.get("id"), m.get("params") or {}
    hint = {"ttlMs": 60000, "cacheScope": "private", "resultType": "complete"} if mode == "modern" else {}
    if method == "server/discover" and mode == "modern":
        answer(id, {"supportedVersions": ["2026-07-28"], "capabilities": CAPABLE, **hint})
    elif method == "initialize":
        answer(id, {"protocolVersion": "2025-11-25", "capabilities": CAPABLE})
    elif method == "tools/list":
        note("list")
        answer(id, {"tools": tools, **hint})
    elif method == "resources/read":
        note("read")
        answer(id, {"contents": [{"uri": params["uri"], "text": "text"}], **hint})
    elif method == "subscriptions/listen":
        listening = params["notifications"]
        send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
              "params": {"notifications": listening}})
    elif method == "tools/call":
        name, arguments = params["name"], params.get("arguments") or {}
        note(name)
        if name == "set":
            if "tools" in arguments: tools = [SET] + arguments["tools"]
            told = "notifications/" + arguments.get("changed", "tools/list_changed")
            if mode != "modern" or listening and listening.get("toolsListChanged"):
                send({"jsonrpc": "2.0", "method": told, "params": {"uri": "test://a"}})
        if name == "die": os._exit(1)
        if name == "ask" and mode == "modern" and "inputResponses" not in params:
            answer(id, {"resultType": "input_required", "inputRequests":
                        {"k": {"method": "elicitation/create", "params": FORM}}})
            continue
        if name == "ask" and mode != "modern":
            asking = id
            send({"jsonrpc": "2.0", "id": "e1", "method": "elicitation/create", "params": FORM})
            continue
        answer(id, {"content": [{"type": "text", "text": name + " is done"}]})
    elif id == "e1":
        answer(asking, {"content": [{"type": "text", "text": "ask is done"}]})
    elif id is not None:
        send({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}})
)";

class McpLiveTools : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::ofstream(folder_.path() / "server.py") << kChangingServer;
    ServerProgram program{.command = {"python3", (folder_.path() / "server.py").string(),
                                      GetParam(), journal().string()},
                          .working_directory = folder_.path()};
    program.policy.mode = SandboxMode::off;
    connection_ = std::make_shared<Connection>(ConnectionOptions{
        .name = "py",
        .client = {.self = {"test", "", "1"}, .capabilities = {{"elicitation", JsonObject{}}}},
        .make =
            [program](std::shared_ptr<ChannelListener> listener) {
              return start_program(program, std::move(listener));
            },
        .time_to_probe = std::chrono::seconds(20)});
    live_ = std::make_shared<LiveTools>(connection_, ServerToolsOptions{.name = "py"});
    auto opened = live_->open();
    ASSERT_TRUE(opened) << opened.error().message;
    agent_.tools = opened->tools;
    agent_.tools_now = [live = live_](std::span<const Tool> tools) {
      return tools_of_now(tools, std::span(&live, 1));
    };
    agent_.interceptors = {telling_what_has_gone({live_})};
  }

  std::filesystem::path journal() const { return folder_.path() / "journal"; }
  std::string noted() const {
    std::ifstream file(journal());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static ToolCall call(std::string name, std::string arguments = "{}") {
    return {.id = name + "-1", .name = "py__" + name, .arguments = std::move(arguments)};
  }
  ToolOutcome execute(const ToolCall& called) const {
    return wright::execute(agent_, called, {.call_id = called.id});
  }
  void take_those_of_now() {
    auto now = agent_.tools_now(agent_.tools);
    ASSERT_TRUE(now);
    agent_.tools = std::move(*now);
  }
  std::vector<std::string> names_now() {
    std::vector<std::string> names;
    const auto now = agent_.tools_now(agent_.tools);
    for (const Tool& tool : now ? *now : agent_.tools) names.push_back(tool.spec.name);
    return names;
  }

  TemporaryFolder folder_;
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<LiveTools> live_;
  Agent agent_;
};

using Names = std::vector<std::string>;

TEST_P(McpLiveTools, AreThoseOfTheServer) {
  EXPECT_FALSE(agent_.tools_now(agent_.tools));
  const auto set = execute(call("set", R"({"tools":[{"name":"same","inputSchema":{"type":"object"}},
                                          {"name":"second","inputSchema":{"type":"object"}}]})"));
  EXPECT_FALSE(set.result.is_error) << set.result.content;
  // What is the same stays where it was.
  EXPECT_EQ(names_now(), (Names{"py__set", "py__same", "py__second"}));
  const auto gone = execute(call("first"));
  EXPECT_TRUE(gone.result.is_error);
  EXPECT_NE(gone.result.content.find("no longer has py__first"), std::string::npos)
      << gone.result.content;
  take_those_of_now();
  EXPECT_FALSE(agent_.tools_now(agent_.tools));
  const auto unknown = execute(call("first"));
  EXPECT_NE(unknown.result.content.find("no longer has py__first"), std::string::npos);
  EXPECT_EQ(execute(call("second")).result.content, "second is done");
  EXPECT_EQ(noted().find("first"), std::string::npos);
  // One that comes back is there again.
  execute(call("set", R"({"tools":[{"name":"first","inputSchema":{"type":"object"}}]})"));
  EXPECT_EQ(names_now(), (Names{"py__set", "py__first"}));
}

TEST_P(McpLiveTools, OneThatIsNotWhatItWasIsNotCalled) {
  execute(call("set", R"({"tools":[{"name":"first","description":"now it deletes",
                                    "inputSchema":{"type":"object"}}]})"));
  const auto changed = execute(call("first"));
  EXPECT_TRUE(changed.result.is_error);
  EXPECT_NE(changed.result.content.find("has changed py__first"), std::string::npos)
      << changed.result.content;
  EXPECT_EQ(noted().find("first"), std::string::npos);
  take_those_of_now();
  EXPECT_EQ(execute(call("first")).result.content, "first is done");
}

// What a person has approved for the session is the tool as they saw it.
TEST_P(McpLiveTools, OneThatHasChangedIsAskedAboutAgain) {
  Tool& first = agent_.tools.at(1);
  ASSERT_EQ(first.spec.name, "py__first");
  first.spec.options.needs_approval = true;
  const auto memory = std::make_shared<RunMemory>();
  const auto wait = [&] {
    const auto called = call("first");
    return wright::execute(agent_, called, {.call_id = called.id, .memory = memory});
  };
  const auto asked = wait();
  ASSERT_TRUE(asked.waiting);
  for (const std::string& kind : asked.waiting->covers) memory->decide(kind, Decision::session);
  EXPECT_EQ(wait().result.content, "first is done");
  // Not even a hint that it only reads changes that.
  execute(call("set", R"({"tools":[{"name":"first","inputSchema":{"type":"object"},
                                    "annotations":{"readOnlyHint":true}}]})"));
  take_those_of_now();
  const auto again = wait();
  ASSERT_TRUE(again.waiting);
  EXPECT_NE(again.waiting->covers, asked.waiting->covers);
  // An approval of the one before is none of this one.
  const auto called = call("first");
  const auto stale = wright::execute(agent_, called,
                                     {.call_id = called.id,
                                      .answers = {.approval = Approval{.decision = Decision::once},
                                                  .approved = asked.waiting->shown}});
  ASSERT_TRUE(stale.waiting);
  EXPECT_NE(to_text(stale.waiting->shown).find("no longer the one"), std::string::npos);
}

// An answer is no leave to begin with a tool that has become another one.
TEST_P(McpLiveTools, OneThatHasChangedGoesOnButDoesNotBeginAnew) {
  const auto set = [&](std::string_view description) {
    return execute(call("set", fmt::format(R"({{"tools":[{{"name":"ask","description":"{}",
                                               "annotations":{{"readOnlyHint":true}},
                                               "inputSchema":{{"type":"object"}}}}]}})",
                                           description)));
  };
  const Json given =
      JsonObject{{"completed", true},
                 {"responses", JsonArray{JsonObject{{"question_id", "name"}, {"answer", "Ada"}}}},
                 {"message", ""}};
  const auto answer = [&](Json state = {}) {
    const auto called = call("ask");
    return wright::execute(
        agent_, called,
        {.call_id = called.id, .answers = {.answer = given, .state = std::move(state)}});
  };
  set("looks");
  take_those_of_now();
  const auto asked = execute(call("ask"));
  ASSERT_TRUE(asked.waiting);
  set("deletes");
  EXPECT_EQ(answer(asked.waiting->state).result.content, "ask is done");
  // Nobody knows any more of a call that was under way: it would begin anew.
  const std::string before = noted();
  const auto anew = answer();
  EXPECT_TRUE(anew.result.is_error);
  EXPECT_NE(anew.result.content.find("has changed py__ask"), std::string::npos)
      << anew.result.content;
  EXPECT_EQ(noted(), before);
  take_those_of_now();
  // What was answered is not known any more, either: it is asked once more.
  const auto once_more = answer();
  ASSERT_TRUE(once_more.waiting) << once_more.result.content;
  EXPECT_EQ(answer(once_more.waiting->state).result.content, "ask is done");
}

TEST_P(McpLiveTools, ThoseOfAServerThatWasStartedAgainAreListedAgain) {
  execute(call("set", R"({"tools":[{"name":"die","inputSchema":{"type":"object"}}]})"));
  take_those_of_now();
  execute(call("die"));
  EXPECT_EQ(execute(call("set")).result.content, "set is done");
  EXPECT_EQ(names_now(), (Names{"py__set", "py__first", "py__same"}));
}

// A server of the newest revision says how long an answer holds.
TEST_P(McpLiveTools, AnswersAreKeptForAsLongAsTheServerSays) {
  const bool keeps = std::string_view(GetParam()) == "modern";
  const auto count = [&](std::string_view word) {
    std::size_t found = 0;
    const std::string text = noted();
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  const WaitOptions wait;
  RemoteCalls calls(connection_);
  ASSERT_TRUE(connection_->list("tools/list", "tools", wait));
  EXPECT_EQ(count("list"), keeps ? 1U : 2U);
  EXPECT_EQ(resource_content(calls, "test://a", {}, wait)->value, Json("text"));
  EXPECT_EQ(resource_content(calls, "test://a", {}, wait)->value, Json("text"));
  EXPECT_EQ(count("read"), keeps ? 1U : 2U);
  EXPECT_EQ(resource_content(calls, "test://b", {}, wait)->value, Json("text"));
  EXPECT_EQ(count("read"), keeps ? 2U : 3U);
  execute(call("set", R"({"changed":"resources/updated"})"));
  EXPECT_EQ(resource_content(calls, "test://a", {}, wait)->value, Json("text"));
  EXPECT_EQ(count("read"), keeps ? 3U : 4U);
}

INSTANTIATE_TEST_SUITE_P(BothEras, McpLiveTools, ::testing::Values("modern", "legacy"),
                         [](const auto& each) { return std::string(each.param); });

TEST(McpAnswerCache, KeepsWhatHoldsAndIsNotTooMuch) {
  AnswerCache cache;
  const auto now = AnswerCache::Clock::now();
  cache.keep("a", 1, now + std::chrono::seconds(5), "x");
  EXPECT_EQ(cache.find("a", 1, now), Json("x"));
  EXPECT_EQ(cache.find("a", 2, now), std::nullopt);
  EXPECT_EQ(cache.find("a", 1, now + std::chrono::seconds(5)), std::nullopt);
  EXPECT_EQ(cache.find("b", 1, now), std::nullopt);
  cache.keep("a", 2, now + std::chrono::hours(1), JsonString(std::size_t{2} << 20, 'x'));
  EXPECT_EQ(cache.find("a", 2, now), std::nullopt);
  EXPECT_TRUE(cache.holds_until("a"));
  for (int i = 0; i < 1000; ++i) {
    cache.keep("key " + std::to_string(i), 1, now + std::chrono::seconds(60 + i), i);
  }
  EXPECT_EQ(cache.find("key 0", 1, now), std::nullopt);
  EXPECT_EQ(cache.find("key 999", 1, now), Json(999));
}

}  // namespace
}  // namespace wright::mcp_client
