#include "mcp/server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace wright::mcp {
namespace {

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}})";

std::shared_ptr<const ServerOffer> offer() {
  return std::make_shared<ServerOffer>(ServerOffer{.self = {"wright", "", "1"},
                                                   .has_resources = true,
                                                   .has_prompts = true,
                                                   .has_logging = true,
                                                   .state_key = "secret"});
}

// A machine, and what it has said and wants done.
struct Server {
  ServerMachine machine{offer()};
  std::vector<Json> said;
  std::vector<Work> work;
  std::vector<WorkId> stopped;

  void take(ServerActions actions) {
    for (ServerAction& action : actions) {
      if (auto* line = std::get_if<SendLine>(&action)) {
        said.push_back(parse_json(line->line).value());
      } else if (auto* begun = std::get_if<BeginWork>(&action)) {
        work.push_back(std::move(begun->work));
      } else {
        stopped.push_back(std::get<StopWork>(action).id);
      }
    }
  }
  void receive(std::string_view text) { take(machine.receive(1000, text)); }
  void finish(WorkId id, WorkOutcome outcome) {
    take(machine.finish(1000, id, std::move(outcome)));
  }
  void begin(std::string_view version, std::string_view capabilities = "{}") {
    receive(fmt::format(R"({{"jsonrpc":"2.0","id":"init","method":"initialize","params":)"
                        R"({{"protocolVersion":"{}","capabilities":{},"clientInfo":)"
                        R"({{"name":"t","version":"0"}}}}}})",
                        version, capabilities));
    receive(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    said.clear();
  }
  std::int64_t problem() const { return said.back().at("error").at("code").as_int64(); }
};

TEST(McpServer, AnswersTheHandshakeInTheClientsRevisionOrTheNewest) {
  for (const auto& [asked, answered] : {std::pair{"2024-11-05", "2024-11-05"},
                                        {"2025-06-18", "2025-06-18"},
                                        {"2025-11-25", "2025-11-25"},
                                        {"1999-01-01", "2025-11-25"},
                                        {"2026-07-28", "2025-11-25"}}) {
    Server server;
    server.receive(fmt::format(
        R"({{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{}"}}}})",
        asked));
    ASSERT_EQ(server.said.size(), 1U);
    EXPECT_EQ(server.said[0].at("result").at("protocolVersion"), Json(answered));
  }
}

TEST(McpServer, LivesOnWhenAClientLooksForTheNewestRevisionFirst) {
  Server server;
  server.receive(fmt::format(
      R"({{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{}}}}})", kMeta));
  const Json& result = server.said.back().at("result");
  EXPECT_EQ(result.at("supportedVersions").at(0), Json("2026-07-28"));
  EXPECT_EQ(result.at("resultType"), Json("complete"));
  EXPECT_TRUE(result.as_object().contains("ttlMs"));
  server.begin("2025-11-25");
  server.receive(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  ASSERT_EQ(server.work.size(), 1U);
  server.finish(server.work[0].id, Finished{{{"tools", JsonArray{}}}});
  EXPECT_FALSE(server.said.back().at("result").as_object().contains("resultType"));
}

TEST(McpServer, SaysWhatAModernRequestLacks) {
  Server server;
  server.receive(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_EQ(server.problem(), code::kInvalidParams);
  server.receive(R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":)"
                 R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  EXPECT_EQ(server.problem(), code::kInvalidParams);
  server.receive(R"({"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":)"
                 R"({"io.modelcontextprotocol/protocolVersion":"2030-01-01",)"
                 R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
  EXPECT_EQ(server.problem(), code::kUnsupportedVersion);
  EXPECT_EQ(server.said.back().at("error").at("data").at("requested"), Json("2030-01-01"));
  server.receive(
      fmt::format(R"({{"jsonrpc":"2.0","id":4,"method":"ping","params":{{{}}}}})", kMeta));
  EXPECT_EQ(server.problem(), code::kMethodNotFound);
  EXPECT_TRUE(server.work.empty());
}

TEST(McpServer, ChecksTheShapeOfParams) {
  Server server;
  server.begin("2025-11-25");
  for (const std::string_view params :
       {R"("tools/call","params":{})", R"("tools/call","params":{"name":7})",
        R"("tools/call","params":{"name":"x","arguments":[1]})", R"("resources/read")",
        R"("tools/list","params":{"cursor":7})"}) {
    server.receive(fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":{}}})", params));
    EXPECT_EQ(server.problem(), code::kInvalidParams) << params;
  }
  server.receive(R"({"jsonrpc":"2.0","id":1,"method":"completion/complete"})");
  EXPECT_EQ(server.problem(), code::kMethodNotFound);
  EXPECT_TRUE(server.work.empty());
}

TEST(McpServer, AnIdThatIsInUseIsRefusedAndTheFirstCallGoesOn) {
  Server server;
  server.begin("2025-11-25");
  const std::string_view call =
      R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}})";
  server.receive(call);
  server.receive(call);
  EXPECT_EQ(server.problem(), code::kInvalidRequest);
  ASSERT_EQ(server.work.size(), 1U);
  server.finish(server.work[0].id, Finished{{{"content", JsonArray{}}}});
  EXPECT_TRUE(server.said.back().as_object().contains("result"));
  server.receive(call);
  EXPECT_EQ(server.work.size(), 2U);
}

TEST(McpServer, ACancelledCallIsStoppedAndNotAnswered) {
  Server server;
  server.begin("2025-11-25");
  server.receive(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}})");
  server.receive(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  EXPECT_EQ(server.stopped, std::vector<WorkId>{server.work[0].id});
  server.finish(server.work[0].id, Finished{});
  EXPECT_TRUE(server.said.empty());
  EXPECT_FALSE(server.machine.has_open_work());
}

TEST(McpServer, ProgressGoesToThoseWhoAskedForItAndOnlyRises) {
  Server server;
  server.begin("2025-11-25");
  server.receive(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x",)"
                 R"("_meta":{"progressToken":"t"}}})");
  const WorkId id = server.work[0].id;
  EXPECT_TRUE(server.work[0].wants_progress);
  server.take(server.machine.report(id, {1, 2, "half"}));
  server.take(server.machine.report(id, {1, 2, "again"}));
  server.take(server.machine.report(id, {2, 2, ""}));
  ASSERT_EQ(server.said.size(), 2U);
  EXPECT_EQ(server.said[0].at("params").at("progressToken"), Json("t"));
  EXPECT_EQ(server.said[0].at("params").at("message"), Json("half"));
}

NeedsInput question() {
  return {.requests = {{"name", "elicitation/create", {{"message", "Who?"}}}},
          .state = {{"step", 1}}};
}

TEST(McpServer, AsksALegacyClientWithARequestOfItsOwn) {
  Server server;
  server.begin("2025-11-25", R"({"elicitation":{}})");
  server.receive(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}})");
  server.finish(server.work[0].id, question());
  ASSERT_EQ(server.said.size(), 1U);
  EXPECT_EQ(server.said[0].at("method"), Json("elicitation/create"));
  server.receive(fmt::format(
      R"({{"jsonrpc":"2.0","id":{},"result":{{"action":"accept","content":{{"a":1}}}}}})",
      to_text(server.said[0].at("id"))));
  ASSERT_EQ(server.work.size(), 2U);
  EXPECT_EQ(server.work[1].id, server.work[0].id);
  EXPECT_EQ(server.work[1].state.at("step"), Json(1));
  EXPECT_EQ(std::get<JsonObject>(server.work[1].answers.at("name")).at("action"), Json("accept"));
  server.finish(server.work[1].id, Finished{{{"content", JsonArray{}}}});
  EXPECT_EQ(server.said.back().at("id"), Json(5));
}

TEST(McpServer, CancelsItsOwnQuestionWithTheCall) {
  Server server;
  server.begin("2025-11-25", R"({"elicitation":{}})");
  server.receive(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}})");
  server.finish(server.work[0].id, question());
  const Json asked = server.said[0].at("id");
  server.receive(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  EXPECT_EQ(server.said.back().at("method"), Json("notifications/cancelled"));
  EXPECT_EQ(server.said.back().at("params").at("requestId"), asked);
  server.receive(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{}}}})", to_text(asked)));
  EXPECT_EQ(server.work.size(), 1U);
}

TEST(McpServer, AsksAModernClientWithAResultThatItAnswersByAskingAgain) {
  Server first;
  const auto call = [](int id, std::string_view more) {
    return fmt::format(
        R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"x","arguments":)"
        R"({{"a":1}},{}{}}}}})",
        id, kMeta, more);
  };
  first.receive(call(1, ""));
  first.finish(first.work[0].id, question());
  const Json& asked = first.said.back().at("result");
  EXPECT_EQ(asked.at("resultType"), Json("input_required"));
  EXPECT_EQ(asked.at("inputRequests").at("name").at("method"), Json("elicitation/create"));
  const std::string state = to_text(asked.at("requestState"));

  // Another instance with the same key takes the answers.
  Server second;
  second.receive(call(2, fmt::format(R"(,"requestState":{},"inputResponses":{{"name":{{"action":)"
                                     R"("accept"}}}})",
                                     state)));
  ASSERT_EQ(second.work.size(), 1U);
  EXPECT_EQ(second.work[0].state.at("step"), Json(1));
  EXPECT_TRUE(second.work[0].answers.contains("name"));

  // Nobody else's state is taken.
  std::string changed = state;
  changed[5] = changed[5] == 'x' ? 'y' : 'x';
  second.receive(call(3, fmt::format(R"(,"requestState":{})", changed)));
  EXPECT_EQ(second.problem(), code::kInvalidParams);
  // Answers that nobody asked for count for nothing.
  second.receive(call(4, R"(,"inputResponses":{"name":{"action":"accept"}})"));
  ASSERT_EQ(second.work.size(), 2U);
  EXPECT_TRUE(second.work[1].answers.empty());
}

TEST(McpServer, AsksOnlyClientsThatCanBeAsked) {
  Server server;
  server.begin("2025-11-25");
  server.receive(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}})");
  server.finish(server.work[0].id, question());
  EXPECT_EQ(server.problem(), code::kMissingCapability);
  EXPECT_TRUE(server.said.back()
                  .at("error")
                  .at("data")
                  .at("requiredCapabilities")
                  .as_object()
                  .contains("elicitation"));
}

TEST(McpServer, EveryRequestOfABatchIsAnswered) {
  Server server;
  server.begin("2025-03-26");
  server.receive(fmt::format(R"([{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{}}}}},)"
                             R"({{"jsonrpc":"2.0","id":2,"method":"ping"}}])",
                             kMeta));
  ASSERT_EQ(server.said.size(), 1U);
  ASSERT_TRUE(server.said[0].is_array());
  EXPECT_EQ(server.said[0].as_array().size(), 2U);
  EXPECT_TRUE(server.work.empty());
}

TEST(McpServer, SubscriptionsAreLimited) {
  Server server;
  for (int i = 0; i < 100; ++i) {
    server.receive(
        fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"subscriptions/listen","params":)"
                    R"({{"notifications":{{"toolsListChanged":true}},{}}}}})",
                    i, kMeta));
  }
  EXPECT_EQ(std::ranges::count_if(
                server.said, [](const Json& line) { return line.as_object().contains("error"); }),
            36);
}

TEST(McpServer, BatchesBelongToOneRevision) {
  const std::string_view batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call",)"
      R"("params":{"name":"x"}},{"jsonrpc":"2.0","method":"notifications/x"},7])";
  Server newer;
  newer.begin("2025-11-25");
  newer.receive(batch);
  EXPECT_EQ(newer.problem(), code::kInvalidRequest);

  Server server;
  server.begin("2025-03-26");
  server.receive(batch);
  EXPECT_TRUE(server.said.empty());  // one of it is still under way
  server.finish(server.work[0].id, Finished{});
  ASSERT_EQ(server.said.size(), 1U);
  EXPECT_EQ(server.said[0].as_array().size(), 3U);
}

TEST(McpServer, TellsListenersWhatTheyListenFor) {
  Server server;
  server.receive(fmt::format(
      R"({{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{{{},)"
      R"("notifications":{{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}}}}}})",
      kMeta));
  EXPECT_EQ(server.said.back().at("method"), Json("notifications/subscriptions/acknowledged"));
  server.said.clear();
  server.take(server.machine.announce(Change::prompts));
  EXPECT_TRUE(server.said.empty());
  server.take(server.machine.announce(Change::tools));
  server.take(server.machine.announce_update("a:b"));
  server.take(server.machine.announce_update("c:d"));
  ASSERT_EQ(server.said.size(), 2U);
  EXPECT_EQ(server.said[0].at("params").at("_meta").as_object().begin()->value(), Json("sub"));
  server.receive(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sub"}})");
  server.said.clear();
  server.take(server.machine.announce(Change::tools));
  EXPECT_TRUE(server.said.empty());
}

// Where nobody tells of changes, nobody is promised to hear of them.
TEST(McpServer, WithoutNewsPromisesNone) {
  auto quiet = std::make_shared<ServerOffer>(*offer());
  quiet->has_news = false;
  for (const std::string_view version : {"2025-11-25", "2026-07-28"}) {
    Server server;
    server.machine = ServerMachine(quiet);
    JsonObject capabilities;
    if (version == "2026-07-28") {
      server.receive(fmt::format(
          R"({{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{}}}}})", kMeta));
      capabilities = server.said.back().at("result").at("capabilities").as_object();
      server.receive(fmt::format(
          R"({{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{{{},)"
          R"("notifications":{{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}}}}}})",
          kMeta));
      EXPECT_EQ(server.said.back().at("params").at("notifications"), Json(JsonObject{}));
    } else {
      server.receive(
          R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
      capabilities = server.said.back().at("result").at("capabilities").as_object();
      server.receive(
          R"({"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:b"}})");
      EXPECT_EQ(server.problem(), code::kMethodNotFound);
    }
    for (const char* list : {"tools", "resources", "prompts"}) {
      EXPECT_EQ(capabilities.at(list), Json(JsonObject{})) << version << list;
    }
  }
}

TEST(McpServer, LogsAsLoudAsTheClientWants) {
  Server server;
  server.begin("2025-11-25");
  server.receive(
      R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"warning"}})");
  server.receive(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}})");
  server.said.clear();
  server.take(server.machine.log(server.work[0].id, LoggingLevel::info, "quiet"));
  server.take(server.machine.log(server.work[0].id, LoggingLevel::error, "loud"));
  ASSERT_EQ(server.said.size(), 1U);
  EXPECT_EQ(server.said[0].at("params").at("data"), Json("loud"));
  server.receive(
      R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}})");
  EXPECT_EQ(server.problem(), code::kInvalidParams);
}

}  // namespace
}  // namespace wright::mcp
