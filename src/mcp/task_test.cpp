// Tasks as both machines speak of them.
#include "mcp/task.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "mcp/client.h"
#include "mcp/server.h"

namespace wright::mcp {
namespace {

JsonObject object_of(std::string_view text) {
  return parse_json(text).value().as_object();
}

ServerMachine machine() {
  return ServerMachine(std::make_shared<ServerOffer>(
      ServerOffer{.has_tasks = true, .has_lasting_connections = false}));
}

// The only line that comes of it.
JsonObject said(const ServerActions& actions) {
  EXPECT_EQ(actions.size(), 1U);
  const auto* line = actions.empty() ? nullptr : std::get_if<SendLine>(&actions.front());
  return line != nullptr ? object_of(line->line) : JsonObject();
}

std::string modern(std::string_view method, std::string_view more, bool knows_tasks) {
  return to_text(
      object_of(std::string(R"({"jsonrpc":"2.0","id":1,"method":")") + std::string(method) +
                R"(","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                R"("io.modelcontextprotocol/clientCapabilities":)" +
                (knows_tasks ? R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})" : "{}") +
                "}" + std::string(more) + "}}"));
}

JsonObject initialized(ServerMachine& server, std::string_view version) {
  return said(server.receive(
      0, std::string(
             R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")") +
             std::string(version) + R"(","capabilities":{}}})"));
}

TEST(McpTask, GoesThroughJsonInBothRevisions) {
  const Task task{.id = "a",
                  .status = TaskStatus::input_required,
                  .message = "waits",
                  .created_at = task_time(1'790'000'000'250),
                  .updated_at = "2026-07-28T10:00:00Z",
                  .ttl_ms = 60'000,
                  .poll_ms = 20};
  EXPECT_EQ(task.created_at, "2026-09-21T14:13:20.250Z");
  for (const Era era : {Era::legacy, Era::modern}) {
    const JsonObject json = to_json(task, era);
    EXPECT_EQ(json.contains("ttlMs"), era == Era::modern);
    EXPECT_EQ(json.contains("pollInterval"), era == Era::legacy);
    const auto read = task_from(json, era);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(to_json(*read, era), json);
  }
  EXPECT_TRUE(to_json(Task{.id = "a"}, Era::modern).at("ttlMs").is_null());
  EXPECT_FALSE(task_from(object_of(R"({"status":"working"})"), Era::modern));
  EXPECT_FALSE(task_from(object_of(R"({"taskId":"a","status":"odd"})"), Era::modern));
  EXPECT_FALSE(
      task_from(object_of(R"({"taskId":"a","status":"working","ttlMs":-1})"), Era::modern)->ttl_ms);
}

TEST(McpTask, IsPromisedAsEachRevisionHasIt) {
  ServerMachine server = machine();
  const JsonObject found =
      said(server.receive(0, modern("server/discover", "", true))).at("result").as_object();
  EXPECT_TRUE(has_tasks_extension(found.at("capabilities").as_object()));
  EXPECT_FALSE(found.at("capabilities").as_object().contains("tasks"));
  EXPECT_EQ(found.at("capabilities").at("tools").at("listChanged"), Json(true));

  ServerMachine older = machine();
  const JsonObject greeted = initialized(older, "2025-11-25").at("result").as_object();
  const JsonObject& capabilities = greeted.at("capabilities").as_object();
  EXPECT_TRUE(takes_calls_as_tasks(capabilities));
  EXPECT_FALSE(capabilities.contains("extensions"));
  EXPECT_FALSE(capabilities.at("tools").as_object().contains("listChanged"))
      << "nobody could tell them";

  ServerMachine oldest = machine();
  const JsonObject old = initialized(oldest, "2025-06-18").at("result").as_object();
  EXPECT_FALSE(old.at("capabilities").as_object().contains("tasks"));
}

TEST(McpTask, NeedsAClientThatKnowsTasks) {
  for (const std::string_view method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    ServerMachine server = machine();
    const std::string_view more = R"(,"taskId":"a","inputResponses":{})";
    const JsonObject refused = said(server.receive(0, modern(method, more, false)));
    EXPECT_EQ(refused.at("error").at("code"), Json(code::kMissingCapability)) << method;
    EXPECT_TRUE(
        has_tasks_extension(refused.at("error").at("data").at("requiredCapabilities").as_object()));
    const auto taken = server.receive(0, modern(method, more, true));
    EXPECT_TRUE(std::holds_alternative<BeginWork>(taken.at(0))) << method;
  }
  ServerMachine server = machine();
  const std::string_view listening = R"(,"notifications":{"taskIds":["a"]})";
  EXPECT_EQ(said(server.receive(0, modern("subscriptions/listen", listening, false)))
                .at("error")
                .at("code"),
            Json(code::kMissingCapability));
  const JsonObject heard = said(server.receive(0, modern("subscriptions/listen", listening, true)));
  EXPECT_TRUE(heard.at("params").at("notifications").as_object().empty());
}

TEST(McpTask, HasTheMethodsOfItsRevisionAlone) {
  const auto code_of = [](const JsonObject& answer) { return answer.at("error").at("code"); };
  ServerMachine server = machine();
  for (const std::string_view method : {"tasks/result", "tasks/list"}) {
    const auto answer = said(server.receive(0, modern(method, R"(,"taskId":"a")", true)));
    EXPECT_EQ(code_of(answer), Json(code::kMethodNotFound)) << method;
  }
  EXPECT_EQ(code_of(said(server.receive(0, modern("tasks/get", "", true)))),
            Json(code::kInvalidParams));
  ServerMachine older = machine();
  initialized(older, "2025-11-25");
  const auto ask = [&](std::string_view method) {
    return older.receive(0, std::string(R"({"jsonrpc":"2.0","id":2,"method":")") +
                                std::string(method) + R"(","params":{"taskId":"a"}})");
  };
  EXPECT_EQ(code_of(said(ask("tasks/update"))), Json(code::kMethodNotFound));
  EXPECT_TRUE(std::holds_alternative<BeginWork>(ask("tasks/result").at(0)));
  ServerMachine oldest = machine();
  initialized(oldest, "2025-06-18");
  EXPECT_EQ(code_of(said(oldest.receive(
                0, R"({"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"a"}})"))),
            Json(code::kMethodNotFound));
}

TEST(McpTask, IsAnAnswerOnlyWhereOneWasPossible) {
  const JsonObject flat = object_of(R"({"resultType":"task","taskId":"a","status":"working"})");
  EXPECT_TRUE(std::holds_alternative<TaskCreated>(outcome_of(flat, Era::modern, MayBeTask::yes)));
  EXPECT_TRUE(std::holds_alternative<Unreadable>(outcome_of(flat, Era::modern, MayBeTask::no)));
  const JsonObject nested = object_of(R"({"task":{"taskId":"a","status":"working"}})");
  EXPECT_TRUE(std::holds_alternative<TaskCreated>(outcome_of(nested, Era::legacy, MayBeTask::yes)));
  EXPECT_TRUE(std::holds_alternative<JsonObject>(outcome_of(nested, Era::legacy, MayBeTask::no)));
  EXPECT_TRUE(std::holds_alternative<Unreadable>(
      outcome_of(object_of(R"({"resultType":"task"})"), Era::modern, MayBeTask::yes)));
  EXPECT_TRUE(std::holds_alternative<Unreadable>(
      outcome_of(object_of(R"({"resultType":"odd"})"), Era::modern, MayBeTask::yes)));
  EXPECT_TRUE(std::holds_alternative<JsonObject>(outcome_of({}, Era::modern, MayBeTask::yes)));
}

}  // namespace
}  // namespace wright::mcp
