// Against a real process that does all it can to hold or to fill its client.
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <fstream>

#include "mcp_client/connection.h"
#include "mcp_client/server_tools.h"
#include "mcp_client/stdio_channel.h"
#include "tools/temporary_folder_testing.h"
#include "wright/agent.h"

namespace wright::mcp_client {
namespace {

constexpr std::string_view kHostileServer = R"(
import json, sys
mode = sys.argv[1]
out = sys.stdout
def send(message): out.write(json.dumps(message) + "\n"); out.flush()
def answer(id, result): send({"jsonrpc": "2.0", "id": id, "result": result})
def tool(name, schema=None): return {"name": name, "inputSchema": schema or {"type": "object"}}
FORM = {"message": "Who?", "requestedSchema": {"type": "object",
        "properties": {"name": {"type": "string"}}}}
def ask(n):
    send({"jsonrpc": "2.0", "id": "q%d" % n, "method": "elicitation/create", "params": FORM})
asked, refused, called = 0, 0, None
for line in sys.stdin:
    m = json.loads(line)
    method, id, params = m.get("method"), m.get("id"), m.get("params") or {}
    if method == "server/discover":
        send({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}})
    elif method == "initialize":
        answer(id, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}})
    elif method == "tools/list":
        page = int(params.get("cursor", "0"))
        if mode == "asks_in_list":
            asked += 1
            ask(asked)
        elif mode == "pages":
            answer(id, {"tools": [tool("t%d" % (page * 100 + i)) for i in range(100)],
                        "nextCursor": str(page + 1)})
        elif mode == "empty_pages":
            answer(id, {"tools": [], "nextCursor": str(page + 1), "padding": "x" * 1000000})
        elif mode == "circle":
            answer(id, {"tools": [], "nextCursor": "7"})
        elif mode == "many":
            answer(id, {"tools": [tool("t%d" % i) for i in range(2000)] + [tool("t1")]})
        elif mode == "schema":
            wide = {"type": "object", "properties": {"p%d" % i: {} for i in range(100000)}}
            answer(id, {"tools": [tool("wide", wide), tool("narrow")]})
        elif mode == "values":
            out.write('{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}\n' %
                      (id, ",".join(['{}'] * 2000000))); out.flush()
        else:
            answer(id, {"tools": [tool("go")]})
    elif method == "tools/call":
        called = id
        if mode == "questions":
            for n in range(1000): ask(n)
        elif mode == "progress":
            try:
                n = 0
                while True:
                    n += 1
                    send({"jsonrpc": "2.0", "method": "notifications/progress", "params":
                          {"progressToken": params["_meta"]["progressToken"], "progress": n,
                           "message": "m"}})
            except BrokenPipeError: sys.exit(0)
        elif mode == "line":
            out.write("x" * (65 << 20) + "\n"); out.flush()
    elif mode == "asks_in_list" and "error" in m:
        asked += 1
        ask(asked)
    elif "error" in m:
        refused += 1
        if refused == 984: answer(called, {"content": []})
)";

class HostileMcpServer : public ::testing::Test {
 protected:
  std::shared_ptr<Connection> connect(std::string mode) {
    std::ofstream(folder_.path() / "server.py") << kHostileServer;
    ServerProgram program{
        .command = {"python3", (folder_.path() / "server.py").string(), std::move(mode)},
        .working_directory = folder_.path()};
    program.policy.mode = SandboxMode::off;
    return std::make_shared<Connection>(ConnectionOptions{
        .name = "py",
        .client = {.self = {"test", "", "1"}, .capabilities = {{"elicitation", JsonObject{}}}},
        .make = [program](std::shared_ptr<ChannelListener> listener) {
          return start_program(program, std::move(listener));
        }});
  }
  Result<ServerTools> tools(std::string mode,
                            std::chrono::milliseconds timeout = std::chrono::minutes(5)) {
    return server_tools(connect(std::move(mode)), {.name = "py", .timeout = timeout});
  }
  static ToolOutcome call(const std::vector<Tool>& tools, Context context = {}) {
    context.call_id = "c1";
    return execute(tools, {}, {"c1", "py__go", "{}"}, context);
  }

  TemporaryFolder folder_;
};

TEST_F(HostileMcpServer, OneThatAsksInsteadOfListingHasTheTimeOfOneRequest) {
  const auto made = tools("asks_in_list", std::chrono::milliseconds(500));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::timeout) << made.error().message;
}

TEST_F(HostileMcpServer, ListsHaveAnEnd) {
  const auto refused = [this](std::string mode) {
    const auto made = tools(std::move(mode));
    return made ? std::string("was taken") : made.error().message;
  };
  EXPECT_NE(refused("pages").find("more than 10000 tools"), std::string::npos);
  EXPECT_NE(refused("empty_pages").find("more than 32 MB"), std::string::npos);
  EXPECT_NE(refused("circle").find("same page"), std::string::npos);
  EXPECT_NE(refused("values").find("does not answer tools/list"), std::string::npos);
}

TEST_F(HostileMcpServer, ToolsAndSchemasAreLimited) {
  const auto many = tools("many").value();
  EXPECT_EQ(many.tools.size(), 1000U);
  ASSERT_EQ(many.notes.size(), 1U);
  EXPECT_NE(many.notes[0].find("more than 1000 tools"), std::string::npos);
  const auto wide = tools("schema").value();
  ASSERT_EQ(wide.tools.size(), 1U);
  EXPECT_EQ(wide.tools[0].spec.name, "py__narrow");
  EXPECT_NE(wide.notes.at(0).find("schema of more than"), std::string::npos);
}

// The server answers when it was refused what exceeds the limit; nobody answers its questions.
TEST_F(HostileMcpServer, QuestionsThatAreOpenAtOnceAreLimited) {
  const auto connection = connect("questions");
  const auto handle = connection->begin("tools/call", {{"name", "go"}}).value();
  int asked = 0;
  auto reached = connection->wait(handle, {.timeout = std::chrono::seconds(60)}).value();
  while (std::holds_alternative<Asked>(reached)) {
    ++asked;
    reached = connection->wait(handle, {.timeout = std::chrono::seconds(60)}).value();
  }
  EXPECT_TRUE(std::holds_alternative<JsonObject>(reached));
  EXPECT_LE(asked, 16);
}

TEST_F(HostileMcpServer, ProgressWithoutEndEndsWithTheTime) {
  const auto made = tools("progress", std::chrono::milliseconds(500)).value();
  const auto late = call(made.tools, {.progress = [](std::string_view) {}});
  EXPECT_NE(late.result.content.find("not known"), std::string::npos) << late.result.content;
}

TEST_F(HostileMcpServer, ALineThatIsTooLongIsToldAtOnce) {
  const auto made = tools("line").value();
  const auto lost = call(made.tools);
  EXPECT_NE(lost.result.content.find("a line of more than 64 MB"), std::string::npos)
      << lost.result.content;
}

}  // namespace
}  // namespace wright::mcp_client
