#include "mcp/client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include "mcp/server.h"

namespace wright::mcp {
namespace {

// A client machine, and what it has said and told.
struct Client {
  explicit Client(ClientOptions options = {.self = {"wright", "", "1"},
                                           .capabilities = {{"elicitation", JsonObject{}}}})
      : machine(std::move(options)) {}

  ClientMachine machine;
  std::vector<Json> sent;
  std::vector<ClientAction> told;

  void take(ClientActions actions) {
    for (ClientAction& action : actions) {
      if (auto* frame = std::get_if<SendFrame>(&action)) {
        sent.push_back(parse_json(frame->line).value());
      } else {
        told.push_back(std::move(action));
      }
    }
  }
  void receive(std::string_view text) { take(machine.receive(text)); }
  template <class T>
  const T* last() const {
    return told.empty() ? nullptr : std::get_if<T>(&told.back());
  }
  void begin_legacy() {
    take(machine.start());
    receive(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}})");
    receive(R"({"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18",)"
            R"("capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"3"}}})");
    sent.clear();
  }
  void begin_modern() {
    take(machine.start());
    receive(R"({"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],)"
            R"("capabilities":{"tools":{}}}})");
    sent.clear();
  }
};

TEST(McpClient, FindsTheNewestRevision) {
  Client modern;
  modern.begin_modern();
  ASSERT_NE(modern.last<ServerReady>(), nullptr);
  EXPECT_EQ(modern.machine.server().version, "2026-07-28");

  Client legacy;
  legacy.begin_legacy();
  ASSERT_NE(legacy.last<ServerReady>(), nullptr);
  EXPECT_EQ(legacy.machine.server().version, "2025-06-18");
  EXPECT_EQ(legacy.machine.server().peer.name, "old");
}

TEST(McpClient, RefusesARevisionThatItDoesNotKnow) {
  Client client;
  client.take(client.machine.start());
  client.take(client.machine.start_with_handshake());
  client.receive(R"({"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"1999-01-01"}})");
  ASSERT_NE(client.last<ServerUnusable>(), nullptr);
}

TEST(McpClient, ModernCallsSayEverythingInMeta) {
  Client client;
  client.begin_modern();
  auto started =
      client.machine.call("tools/call", {{"name", "x"}}, ClientMachine::WantsProgress::yes);
  client.take(std::move(started.actions));
  const Json& meta = client.sent.back().at("params").at("_meta");
  EXPECT_EQ(meta.at(meta::kVersion), Json("2026-07-28"));
  EXPECT_EQ(meta.at("progressToken"), Json(started.number));
  client.receive(fmt::format(
      R"({{"jsonrpc":"2.0","id":{},"result":{{"resultType":"input_required","requestState":"s",)"
      R"("inputRequests":{{"k":{{"method":"elicitation/create","params":{{"message":"m"}}}}}}}}}})",
      started.number));
  const auto* ended = client.last<CallEnded>();
  ASSERT_NE(ended, nullptr);
  const auto& needs = std::get<InputRequired>(ended->outcome);
  EXPECT_EQ(needs.state, "s");
  EXPECT_EQ(needs.requests.at("k").method, "elicitation/create");
}

TEST(McpClient, ProgressAndAnswersFindTheirCalls) {
  Client client;
  client.begin_legacy();
  const auto one = client.machine.call("tools/call", {}, ClientMachine::WantsProgress::yes);
  const auto two = client.machine.call("tools/call", {});
  client.receive(fmt::format(
      R"({{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},)"
      R"("progress":0.5,"total":1,"message":"half"}}}})",
      one.number));
  ASSERT_NE(client.last<CallProgressed>(), nullptr);
  EXPECT_EQ(client.last<CallProgressed>()->progress.message, "half");
  client.receive(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"x":1}}}})", two.number));
  ASSERT_NE(client.last<CallEnded>(), nullptr);
  EXPECT_EQ(client.last<CallEnded>()->number, two.number);
  client.told.clear();
  client.receive(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"x":1}}}})", two.number));
  client.receive(R"({"jsonrpc":"2.0","id":"7","result":{}})");
  EXPECT_TRUE(client.told.empty());
}

TEST(McpClient, ACancelledCallIsOverWhateverComesLater) {
  Client client;
  client.begin_legacy();
  const auto call = client.machine.call("tools/call", {});
  client.take(client.machine.cancel(call.number, "enough"));
  EXPECT_EQ(client.sent.back().at("method"), Json("notifications/cancelled"));
  client.told.clear();
  client.receive(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{}}}})", call.number));
  EXPECT_TRUE(client.told.empty());
}

TEST(McpClient, AnswersWhatItCanAndRefusesTheRest) {
  Client client({.capabilities = {{"roots", JsonObject{}}, {"elicitation", JsonObject{}}},
                 .roots = {{{"uri", "file:///home"}}}});
  client.begin_legacy();
  client.receive(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  EXPECT_EQ(client.sent.back().at("id"), Json("p"));
  client.receive(R"({"jsonrpc":"2.0","id":1,"method":"roots/list"})");
  EXPECT_EQ(client.sent.back().at("result").at("roots").at(0).at("uri"), Json("file:///home"));
  client.receive(R"({"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{}})");
  EXPECT_EQ(client.sent.back().at("error").at("code"), Json(code::kMethodNotFound));
  client.receive(R"({"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{}})");
  ASSERT_NE(client.last<ServerAsks>(), nullptr);
}

TEST(McpClient, ALostConnectionEndsEveryCall) {
  Client client;
  client.begin_legacy();
  (void)client.machine.call("a", {});
  (void)client.machine.call("b", {});
  client.told.clear();
  client.take(client.machine.lose({code::kInternalError, "gone"}));
  EXPECT_EQ(client.told.size(), 2U);
}

TEST(McpClient, AnAnswerThatIsNoJsonEndsItsCall) {
  for (const std::string_view result : {"{\"x\": \"\xff\"}", "{", "{}, \"error\": {\"code\": 1}"}) {
    Client client;
    client.begin_legacy();
    const auto call = client.machine.call("tools/call", {});
    client.receive(
        fmt::format("{{\"jsonrpc\": \"2.0\", \"id\": {}, \"result\": {}}}", call.number, result));
    const auto* ended = client.last<CallEnded>();
    ASSERT_NE(ended, nullptr) << result;
    EXPECT_EQ(ended->number, call.number);
    EXPECT_TRUE(std::holds_alternative<Unreadable>(ended->outcome)) << result;
  }
}

TEST(McpClient, AHandshakeThatCannotBeReadIsNotWaitedFor) {
  for (const std::string_view answer :
       {R"({"jsonrpc":"2.0","id":2,"result":null})",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"x\":\"\xff\"}}"}) {
    Client client;
    client.take(client.machine.start());
    client.receive(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}})");
    client.receive(answer);
    ASSERT_NE(client.last<ServerUnusable>(), nullptr) << answer;
  }
}

TEST(McpClient, NoiseIsPassedOver) {
  Client client;
  client.begin_legacy();
  client.receive("Server listening on port 7");
  ASSERT_NE(client.last<ServerLogs>(), nullptr);
  const auto call = client.machine.call("tools/call", {});
  client.receive(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":7}})", call.number));
  ASSERT_NE(client.last<CallEnded>(), nullptr);
}

// Our two sides understand each other in both eras.
TEST(McpClient, SpeaksWithOurOwnServer) {
  for (const auto revisions :
       {ClientOptions::Revisions::automatic, ClientOptions::Revisions::legacy}) {
    Client client({.self = {"c", "", "1"}, .revisions = revisions});
    ServerMachine server(std::make_shared<ServerOffer>(ServerOffer{.self = {"s", "", "2"}}));
    client.take(client.machine.start());
    const auto exchange = [&] {
      for (std::size_t i = 0; i < client.sent.size(); ++i) {
        for (ServerAction& action : server.receive(0, to_text(client.sent[i]))) {
          if (auto* begun = std::get_if<BeginWork>(&action)) {
            auto more = server.finish(0, begun->work.id, Finished{{{"answer", 42}}});
            action = std::move(more.front());
          }
          client.receive(std::get<SendLine>(action).line);
        }
      }
      client.sent.clear();
    };
    exchange();
    ASSERT_TRUE(client.machine.is_ready());
    EXPECT_EQ(client.machine.server().peer.name, "s");
    client.take(client.machine.call("tools/call", {{"name", "x"}}).actions);
    exchange();
    ASSERT_NE(client.last<CallEnded>(), nullptr);
    EXPECT_EQ(std::get<JsonObject>(client.last<CallEnded>()->outcome).at("answer"), Json(42));
  }
}

}  // namespace
}  // namespace wright::mcp
