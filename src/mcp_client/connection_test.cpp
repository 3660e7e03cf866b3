// Against a real process: a small server in Python, which behaves as its first argument says.
#include "mcp_client/connection.h"
#include "core/unknown_outcome.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <fstream>

#include "mcp_client/server_tools.h"
#include "mcp_client/stdio_channel.h"
#include "tools/temporary_folder_testing.h"
#include "wright/agent.h"

namespace wright::mcp_client {
namespace {

constexpr std::string_view kServer = R"(
import json, os, sys
mode = sys.argv[1]
def send(message):
    sys.stdout.write(json.dumps(message) + "\n"); sys.stdout.flush()
def answer(id, result): send({"jsonrpc": "2.0", "id": id, "result": result})
def text(words): return {"content": [{"type": "text", "text": words}]}
schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TOOLS = [
  {"name": "double", "inputSchema": schema, "annotations": {"readOnlyHint": True},
   "outputSchema": {"type": "object", "properties": {"twice": {"type": "integer"}},
                    "required": ["twice"]}},
  {"name": "crash", "inputSchema": {"type": "object"}},
  {"name": "look-and-crash", "inputSchema": {"type": "object"},
   "annotations": {"readOnlyHint": True}},
  {"name": "ask", "inputSchema": {"type": "object"}},
  {"name": "slow", "inputSchema": {"type": "object"}},
  {"name": "huge", "inputSchema": {"type": "object"}},
  {"name": "broken schema", "inputSchema": {"type": 7}},
  {"name": "add", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}},
]
FORM = {"message": "Your name?", "requestedSchema": {"type": "object",
        "properties": {"name": {"type": "string"}}, "required": ["name"]}}
waiting = {}
sys.stderr.write("the server speaks up\n"); sys.stderr.flush()
if mode == "dies": sys.exit(3)
for line in sys.stdin:
    m = json.loads(line)
    method, id, params = m.get("method"), m.get("id"), m.get("params") or {}
    if method == "server/discover":
        if mode == "strict": sys.exit(1)
        if mode == "silent": continue
        if mode == "modern":
            answer(id, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                        "resultType": "complete", "ttlMs": 0, "cacheScope": "private"})
        else:
            send({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}})
    elif method == "initialize":
        sys.stdout.write("noise before the first answer\n")
        answer(id, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "py", "version": "1"}})
    elif method == "tools/list":
        if mode == "listless":
            answer(id, {"tools": "none"}); continue
        page = int(params.get("cursor", "0"))
        result = {"tools": TOOLS[page:page + 3]}
        if page + 3 < len(TOOLS): result["nextCursor"] = str(page + 3)
        answer(id, result)
    elif method == "tools/call":
        name, arguments = params["name"], params.get("arguments", {})
        if name == "double":
            twice = {"twice": 2 * arguments["n"]}
            answer(id, {"content": [{"type": "text", "text": json.dumps(twice)}],
                        "structuredContent": twice})
        elif name == "add":
            answer(id, {"content": [], "structuredContent": 7})
        elif name in ("crash", "look-and-crash"):
            os._exit(9)
        elif name == "huge":
            answer(id, text("x" * 3000000))
        elif name == "slow":
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params":
                  {"progressToken": params["_meta"]["progressToken"], "progress": 1, "total": 2}})
        elif name == "ask" and mode == "modern":
            if "inputResponses" not in params:
                answer(id, {"resultType": "input_required", "requestState": "s1",
                            "inputRequests": {"k": {"method": "elicitation/create",
                                                    "params": FORM}}})
            else:
                content = params["inputResponses"]["k"].get("content", {})
                answer(id, text("hello " + content.get("name", "nobody") + " " +
                                params.get("requestState", "-")))
        elif name == "ask":
            waiting["e1"] = id
            send({"jsonrpc": "2.0", "id": "e1", "method": "elicitation/create", "params": FORM})
    elif method == "notifications/cancelled":
        open(sys.argv[2], "w").write("cancelled")
    elif id in waiting and "result" in m:
        answer(waiting.pop(id), text("hello " + m["result"].get("content", {}).get("name", "nobody")))
)";

class McpConnection : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(folder_.path() / "server.py") << kServer; }

  std::shared_ptr<Connection> connect(std::string mode, mcp::ClientOptions client = {}) {
    // Only one that says nothing is not waited for, however slow the machine is.
    const std::chrono::milliseconds probe =
        mode == "silent" ? std::chrono::milliseconds(500) : std::chrono::seconds(20);
    ServerProgram program{.command = {"python3", (folder_.path() / "server.py").string(),
                                      std::move(mode), mark().string()},
                          .working_directory = folder_.path()};
    program.policy.mode = SandboxMode::off;
    client.self = {"test", "", "1"};
    client.capabilities = {{"elicitation", JsonObject{}}};
    return std::make_shared<Connection>(
        ConnectionOptions{.name = "py",
                          .client = std::move(client),
                          .make =
                              [program](std::shared_ptr<ChannelListener> listener) {
                                return start_program(program, std::move(listener));
                              },
                          .time_to_probe = probe});
  }
  std::vector<Tool> tools_of(const std::shared_ptr<Connection>& connection,
                             ServerToolsOptions options = {}) {
    options.name = "py";
    auto made = server_tools(connection, options);
    EXPECT_TRUE(made) << made.error().message;
    if (!made) return {};
    notes_ = made->notes;
    return std::move(made->tools);
  }
  static ToolOutcome call(const std::vector<Tool>& tools, std::string name,
                          std::string arguments = "{}", Context context = {}) {
    context.call_id = "c1";
    return execute(tools, {}, {"c1", std::move(name), std::move(arguments)}, context);
  }
  std::filesystem::path mark() const { return folder_.path() / "mark"; }

  TemporaryFolder folder_;
  std::vector<std::string> notes_;
};

TEST_F(McpConnection, FindsOutWhichRevisionAServerSpeaks) {
  EXPECT_EQ(connect("modern")->open().value().version, "2026-07-28");
  EXPECT_EQ(connect("legacy")->open().value().version, "2025-06-18");
  EXPECT_EQ(connect("silent")->open().value().version, "2025-06-18");
  EXPECT_EQ(connect("strict")->open().value().version, "2025-06-18");
}

TEST_F(McpConnection, SaysWhyAServerCannotBeUsed) {
  const auto dies = connect("dies")->open();
  ASSERT_FALSE(dies);
  EXPECT_NE(dies.error().message.find("the server speaks up"), std::string::npos)
      << dies.error().message;
  const auto pinned =
      connect("legacy", {.revisions = mcp::ClientOptions::Revisions::modern})->open();
  EXPECT_FALSE(pinned);
}

TEST_F(McpConnection, ToolsAreOrdinaryTools) {
  const auto tools =
      tools_of(connect("legacy"), {.patterns = {"*"}, .effects = {{"sl*", Effect::idempotent}}});
  ASSERT_EQ(tools.size(), 7U);
  EXPECT_EQ(notes_.size(), 1U);  // the one with a broken schema
  EXPECT_EQ(tools[0].spec.name, "py__double");
  EXPECT_EQ(tools[0].spec.options.effect, Effect::read);
  EXPECT_EQ(tools[1].spec.options.effect, Effect::write);
  EXPECT_EQ(tools[4].spec.options.effect, Effect::idempotent);
  EXPECT_EQ(call(tools, "py__double", R"({"n":21})").response, Json(JsonObject{{"twice", 42}}));
  EXPECT_TRUE(call(tools, "py__double", R"({"n":"x"})").result.is_error);
  const std::size_t huge = call(tools, "py__huge").response.as_string().size();
  EXPECT_GT(huge, 60'000U);  // as much as a model gets to read
  EXPECT_LT(huge, 70'000U);
  EXPECT_EQ(tools_of(connect("legacy"), {.patterns = {"d*"}}).size(), 1U);
}

TEST_F(McpConnection, AServerThatDiesIsStartedAgainAndNothingIsRepeated) {
  const auto tools = tools_of(connect("legacy"));
  const auto crashed = call(tools, "py__crash");
  EXPECT_NE(crashed.result.content.find("not known"), std::string::npos) << crashed.result.content;
  const auto looked = call(tools, "py__look-and-crash");
  EXPECT_TRUE(looked.result.is_error);
  EXPECT_EQ(looked.result.content.find("not known"), std::string::npos) << looked.result.content;
}

TEST_F(McpConnection, AWriteWhoseAnswerCannotBeUsedHasHappened) {
  const auto added = call(tools_of(connect("legacy")), "py__add");
  EXPECT_TRUE(is_unknown(added)) << added.result.content;
  EXPECT_NE(added.result.content.find("ran this"), std::string::npos) << added.result.content;
}

TEST_F(McpConnection, AListThatIsNoneIsNoEmptyList) {
  const auto made = server_tools(connect("listless"), {.name = "py"});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("without a list of tools"), std::string::npos)
      << made.error().message;
}

// It is alive for a moment each time, which does not count.
TEST_F(McpConnection, AServerThatKeepsDyingIsLeftAloneForAWhile) {
  const auto tools = tools_of(connect("legacy"));
  std::string told;
  int deaths = 0;
  while (told.find("It is tried again in") == std::string::npos && deaths < 12) {
    told = call(tools, "py__look-and-crash").result.content;
    ++deaths;
  }
  EXPECT_NE(told.find("It is tried again in"), std::string::npos) << told;
  EXPECT_NE(told.find("The MCP server py has failed"), std::string::npos) << told;
  EXPECT_GT(deaths, 2) << "once it is tried again at once";
}

TEST_F(McpConnection, AQuestionOfTheServerIsAWait) {
  for (const std::string mode : {"legacy", "modern"}) {
    const auto tools = tools_of(connect(mode));
    const auto asked = call(tools, "py__ask");
    ASSERT_TRUE(asked.waiting) << mode << asked.result.content;
    EXPECT_EQ(asked.waiting->kind, WaitKind::question);
    const auto questions = questions_from(asked.waiting->shown);
    ASSERT_TRUE(questions);
    EXPECT_EQ(questions->questions[0].id, "name");
    const Json answer = parse_json(R"({"completed":true,"responses":[{"question_id":"name",
      "answer":"Ada"}],"message":""})")
                            .value();
    const WaitAnswers given{.answer = answer, .state = asked.waiting->state};
    const auto answered = call(tools, "py__ask", "{}", {.answers = given});
    EXPECT_TRUE(answered.response.is_string() &&
                answered.response.as_string().starts_with("hello Ada"))
        << answered.result.content;

    // Another process has the answer, and the server has forgotten the question.
    const auto others = tools_of(connect(mode));
    const auto later = call(others, "py__ask", "{}", {.answers = given});
    if (mode == "modern") {
      EXPECT_EQ(later.response, Json("hello Ada s1"));
    } else {
      EXPECT_NE(later.result.content.find("not known"), std::string::npos);
    }
  }
}

TEST_F(McpConnection, ACallThatIsStoppedIsCancelledThere) {
  auto connection = connect("legacy");
  auto tools = tools_of(connection);
  std::stop_source stop;
  std::string progress;
  const auto stopped = call(tools, "py__slow", "{}",
                            {.stop = stop.get_token(), .progress = [&](std::string_view text) {
                               progress = text;
                               stop.request_stop();
                             }});
  EXPECT_TRUE(stopped.result.is_error);
  EXPECT_EQ(progress, "50 %");
  connection.reset();
  tools.clear();  // ends the server, which has read all by then
  EXPECT_TRUE(std::filesystem::exists(mark()));
}

TEST_F(McpConnection, NamesOfToolsFitWhatModelsAccept) {
  EXPECT_EQ(tool_name("a", "b-c_d"), "a__b-c_d");
  EXPECT_NE(tool_name("a", "b.c"), tool_name("a", "b/c"));
  EXPECT_LE(tool_name("server", std::string(128, 'x')).size(), 64U);
  EXPECT_NE(tool_name("s", std::string(128, 'x')), tool_name("s", std::string(127, 'x')));
}

}  // namespace
}  // namespace wright::mcp_client
