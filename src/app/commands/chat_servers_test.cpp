// Against a server in Python that has a prompt more whenever one was asked for.
#include "app/commands/chat_servers.h"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include <fstream>

#include "mcp_client/stdio_channel.h"
#include "tools/temporary_folder_testing.h"

namespace wright::app {
namespace {

constexpr std::string_view kPromptServer = R"(
import json, sys
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n"); sys.stdout.flush()
prompts, resources = ["one"], ["test://a"]
for line in sys.stdin:
    m = json.loads(line)
    method, id = m.get("method"), m.get("id")
    if method == "initialize":
        send({"id": id, "result": {"protocolVersion": "2025-11-25",
              "capabilities": {"prompts": {"listChanged": True}, "resources": {"listChanged": True}}}})
    elif method == "prompts/list":
        send({"id": id, "result": {"prompts": [{"name": name} for name in prompts]}})
    elif method == "resources/list":
        send({"id": id, "result": {"resources": [{"uri": uri, "name": uri} for uri in resources]}})
    elif method == "resources/read":
        resources.append("test://b")
        send({"method": "notifications/resources/list_changed"})
        send({"id": id, "result": {"contents": [
            {"uri": "test://a", "text": "what it says"},
            {"uri": "test://a", "mimeType": "image/png", "blob": PIXEL}]}})
    elif method == "prompts/get":
        prompts.append("two")
        send({"method": "notifications/prompts/list_changed"})
        send({"id": id, "result": {"messages": [{"role": "user", "content":
              {"type": "text", "text": "See @py:test://a and @/etc/passwd"}}]}})
    elif id is not None:
        send({"id": id, "error": {"code": -32601, "message": "no"}})
)";

class ChatServersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_.path() / "server.py") << kPromptServer;
    mcp_client::ServerProgram program{
        .command = {"python3", (folder_.path() / "server.py").string()},
        .working_directory = folder_.path()};
    program.policy.mode = SandboxMode::off;
    servers_.use({std::make_shared<mcp_client::Connection>(mcp_client::ConnectionOptions{
                     .name = "py",
                     .client = {.self = {"test", "", "1"}},
                     .make =
                         [program](std::shared_ptr<mcp_client::ChannelListener> listener) {
                           return mcp_client::start_program(program, std::move(listener));
                         }})},
                 {});
  }

  TemporaryFolder folder_;
  ChatServers servers_;
};

using Lines = std::vector<std::string>;

TEST_F(ChatServersTest, completes_what_the_server_has_now) {
  EXPECT_EQ(servers_.completions_of("/py:"), Lines{"/py:one"});
  EXPECT_EQ(servers_.completions_of("@py:"), Lines{"@py:test://a"});
  const auto prompt = servers_.prompt_of("/py:one");
  ASSERT_TRUE(prompt && *prompt);
  EXPECT_EQ(servers_.completions_of("/py:"), (Lines{"/py:one", "/py:two"}));
  servers_.with_resources("@py:test://a", {});
  EXPECT_EQ(servers_.completions_of("@py:"), (Lines{"@py:test://a", "@py:test://b"}));
}

TEST_F(ChatServersTest, only_what_a_person_types_takes_resources_along) {
  const auto prompt = servers_.prompt_of("/py:one");
  ASSERT_TRUE(prompt && *prompt);
  const std::string said((*prompt)->value.as_string());
  const Mentions of_server = servers_.with_resources("", {.text = said});
  EXPECT_EQ(of_server.text, said);
  const Mentions typed = servers_.with_resources("See @py:test://a", {.text = "See @py:test://a"});
  EXPECT_NE(typed.text.find("what it says"), std::string::npos) << typed.text;
  EXPECT_EQ(typed.images.size(), 1U);
  EXPECT_EQ(typed.notes, Lines{"py:test://a, 1 image"});
}

}  // namespace
}  // namespace wright::app
