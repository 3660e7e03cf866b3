#include "mcp_server/host.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <atomic>
#include <latch>
#include <thread>

#include "store/store_testing.h"
#include "wright/driver.h"
#include "wright/testing.h"
#include "wright/tools.h"

namespace wright::mcp_server {
namespace {

mcp::Work work(std::string method, std::string_view params, std::string_view capabilities = "{}") {
  auto client = std::make_shared<mcp::ClientView>();
  client->capabilities = parse_json(capabilities).value().as_object();
  return {.id = 1,
          .method = std::move(method),
          .params = parse_json(params).value().as_object(),
          .client = std::move(client)};
}

JsonObject result_of(const mcp::WorkOutcome& outcome) {
  const auto* finished = std::get_if<mcp::Finished>(&outcome);
  EXPECT_NE(finished, nullptr);
  return finished != nullptr ? finished->result : JsonObject();
}

std::string text_of(const mcp::WorkOutcome& outcome) {
  return std::string(result_of(outcome).at("content").at(0).at("text").as_string());
}

Tool echo() {
  return tool({.name = "echo",
               .description = "Says it again",
               .parameters = parse_json(R"({"type":"object","properties":{"text":{"type":"string"}},
                "required":["text"]})")
                                 .value(),
               .options = {.effect = Effect::read}},
              [](const Json& arguments, const Context&) -> Result<Json> {
                return arguments.at("text");
              })
      .value();
}

struct Hosted {
  std::unique_ptr<Store> store = open_memory_store();
  std::shared_ptr<Agent> worker = std::make_shared<Agent>();
  std::unique_ptr<Host> host;

  explicit Hosted(std::vector<Result<Response>> turns = {}, bool shows_sessions = true) {
    worker->name = "worker";
    worker->tools = {ask_user_tool(), echo()};
    worker->model = testing::ScriptedModel(std::move(turns)).model();
    auto caller = std::make_shared<Agent>();
    caller->tools = {echo(), ask_user_tool()};
    host = std::make_unique<Host>(Offering{.caller = std::move(caller),
                                           .agents = {{.tool = "ask_worker",
                                                       .description = "Works",
                                                       .make = [this]() -> Result<AgentToRun> {
                                                         return AgentToRun{worker, JsonObject{}};
                                                       }}},
                                           .store = store.get(),
                                           .shows_sessions = shows_sessions,
                                           .dashboard = [] { return "http://127.0.0.1:7"; }});
  }
};

TEST(McpHost, ToolsAreListedInAStableOrderAndCalledThroughThePipeline) {
  Hosted hosted;
  const JsonObject listed = result_of(hosted.host->perform(work("tools/list", "{}"), {}));
  EXPECT_EQ(listed.at("tools").at(0).at("name"), Json("echo"));
  EXPECT_EQ(listed.at("tools").at(0).at("annotations").at("readOnlyHint"), Json(true));
  EXPECT_EQ(listed.at("tools").at(2).at("name"), Json("ask_worker"));
  EXPECT_TRUE(std::holds_alternative<mcp::Problem>(
      hosted.host->perform(work("tools/list", R"({"cursor":"7"})"), {})));

  EXPECT_EQ(text_of(hosted.host->perform(
                work("tools/call", R"({"name":"echo","arguments":{"text":"hi"}})"), {})),
            "hi");
  const auto bad =
      hosted.host->perform(work("tools/call", R"({"name":"echo","arguments":{}})"), {});
  EXPECT_EQ(result_of(bad).at("isError"), Json(true));
  const auto unknown = hosted.host->perform(work("tools/call", R"({"name":"nobody"})"), {});
  EXPECT_EQ(std::get<mcp::Problem>(unknown).code, mcp::code::kInvalidParams);
}

constexpr std::string_view kAsk =
    R"({"name":"ask_user","arguments":{"questions":[{"id":"who","question":"Who?"}]}})";

TEST(McpHost, AToolThatNeedsAPersonAsksTheClients) {
  Hosted hosted;
  EXPECT_EQ(result_of(hosted.host->perform(work("tools/call", kAsk), {})).at("isError"),
            Json(true));

  mcp::Work asked = work("tools/call", kAsk, R"({"elicitation":{}})");
  const auto outcome = hosted.host->perform(asked, {});
  const auto* needs = std::get_if<mcp::NeedsInput>(&outcome);
  ASSERT_NE(needs, nullptr);
  ASSERT_EQ(needs->requests.size(), 1U);
  asked.state = needs->state;
  asked.answers[needs->requests[0].key] =
      parse_json(R"({"action":"accept","content":{"who":"Ada"}})").value().as_object();
  EXPECT_NE(text_of(hosted.host->perform(asked, {})).find("Ada"), std::string::npos);
  asked.answers[needs->requests[0].key] = JsonObject{{"action", "decline"}};
  EXPECT_EQ(result_of(hosted.host->perform(asked, {})).at("isError"), Json(true));
}

// A password: it is typed at the dashboard, and the client's person is sent there.
TEST(McpHost, WhatMustNotBeTypedIntoAClientIsAnsweredAtTheDashboard) {
  Hosted hosted({testing::calls({testing::call("ask_user", R"({"questions":[{"id":"pin",
                    "question":"PIN?","type":"password"}]})",
                                               "1")}),
                 testing::says("thanks")});
  constexpr std::string_view kCall = R"({"name":"ask_worker","arguments":{"prompt":"Go"}})";
  const auto at_dashboard = [&](std::string_view capabilities) {
    mcp::Work asked = work("tools/call", kCall, capabilities);
    return std::pair(asked, hosted.host->perform(asked, {}));
  };
  auto [asked, outcome] = at_dashboard(R"({"elicitation":{"url":{}}})");
  const auto* needs = std::get_if<mcp::NeedsInput>(&outcome);
  ASSERT_NE(needs, nullptr) << text_of(outcome);
  const JsonObject& params = needs->requests.at(0).params;
  EXPECT_EQ(params.at("mode"), Json("url"));
  const SessionId id = needs->state.at("session_id").as_int64();
  EXPECT_EQ(params.at("url"), Json("http://127.0.0.1:7/#/sessions/" + std::to_string(id)));
  EXPECT_FALSE(params.at("elicitationId").as_string().empty());
  asked.state = needs->state;
  const std::string key = needs->requests[0].key;
  asked.answers[key] = JsonObject{{"action", "decline"}};
  EXPECT_EQ(result_of(hosted.host->perform(asked, {})).at("isError"), Json(true));
  asked.answers[key] = JsonObject{{"action", "accept"}};
  const auto waits = hosted.store->get_waits({.session_id = id}).value();
  std::jthread person([&] {
    (void)answer_wait(*hosted.store, waits.at(0).id, JsonObject{{"pin", "1234"}}, "dashboard");
  });
  // Clients of 2025-11-25 hear that what they sent their person away for is over.
  auto older = std::make_shared<mcp::ClientView>(*asked.client);
  older->version = mcp::kNewestLegacyVersion;
  asked.client = older;
  std::vector<std::pair<std::string, Json>> told;
  WorkControls controls;
  controls.notify = [&](std::string_view method, const JsonObject& sent) {
    told.emplace_back(method, sent.at("elicitationId"));
  };
  EXPECT_EQ(text_of(hosted.host->perform(asked, controls)), "thanks");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].first, "notifications/elicitation/complete");
  EXPECT_EQ(told[0].second, params.at("elicitationId"));
}

TEST(McpHost, EveryCallIsRecorded) {
  Hosted hosted;
  hosted.host->perform(work("tools/call", R"({"name":"echo","arguments":{"text":"hi"}})"), {});
  mcp::Work second = work("tools/call", R"({"name":"echo","arguments":{}})");
  second.id = 2;
  hosted.host->perform(second, {});
  const auto sessions = hosted.store->list_sessions({}).value();
  ASSERT_EQ(sessions.size(), 1U);
  EXPECT_EQ(sessions[0].status, SessionStatus::completed);  // nobody is to drive it
  const auto calls = hosted.store->get_tool_calls(sessions[0].id).value();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].status, CallStatus::completed);
  EXPECT_EQ(calls[0].request, R"({"text":"hi"})");
  EXPECT_EQ(calls[0].response, Json("hi"));
  EXPECT_TRUE(calls[0].execution_time_ms);
  EXPECT_EQ(calls[1].status, CallStatus::failed);
  EXPECT_TRUE(calls[1].error_details);
  EXPECT_NE(calls[0].tool_call_id, calls[1].tool_call_id);
  // Another process has other ids for the same request.
  Hosted other;
  other.host->perform(work("tools/call", R"({"name":"echo","arguments":{"text":"hi"}})"), {});
  EXPECT_NE(other.store->get_tool_calls(other.store->list_sessions({}).value()[0].id)
                .value()[0]
                .tool_call_id,
            calls[0].tool_call_id);
}

TEST(McpHost, ACallThatWaitsForAPersonIsOneCallInTheRecord) {
  Hosted hosted;
  mcp::Work asked = work("tools/call", kAsk, R"({"elicitation":{}})");
  const auto outcome = hosted.host->perform(asked, {});
  const auto& needs = std::get<mcp::NeedsInput>(outcome);
  const SessionId id = hosted.store->list_sessions({}).value().at(0).id;
  EXPECT_EQ(hosted.store->get_tool_calls(id).value().at(0).status, CallStatus::waiting);
  asked.state = needs.state;
  asked.answers[needs.requests[0].key] =
      parse_json(R"({"action":"accept","content":{"who":"Ada"}})").value().as_object();
  hosted.host->perform(asked, {});
  const auto calls = hosted.store->get_tool_calls(id).value();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].status, CallStatus::completed);
}

// Pays when a person has approved, and not before it is let.
struct Paying {
  std::unique_ptr<Store> store = open_memory_store();
  std::latch has_begun{1};
  std::latch may_end{1};
  std::atomic<int> payments = 0;

  std::unique_ptr<Host> host() {
    auto caller = std::make_shared<Agent>();
    caller->name = "calls";
    caller->tools = {tool("pay", "Pays", [this](const Context& context) -> ToolReply {
      if (!context.answers.approval)
        return Waiting{.kind = WaitKind::approval, .shown = {{"sum", 5}}};
      ++payments;
      has_begun.count_down();
      may_end.wait();
      return Output{.value = "paid"};
    })};
    return std::make_unique<Host>(Offering{.caller = std::move(caller), .store = store.get()});
  }
  StoredCall row() {
    return store->get_tool_calls(store->list_sessions({}).value().at(0).id).value().at(0);
  }
};

mcp::Work approved(const mcp::Work& asked, const mcp::WorkOutcome& outcome) {
  mcp::Work again = asked;
  const auto& needs = std::get<mcp::NeedsInput>(outcome);
  again.state = needs.state;
  again.answers[needs.requests.at(0).key] =
      parse_json(R"({"action":"accept","content":{"decision":"once"}})").value().as_object();
  return again;
}

// A client whose connection broke behind the approval sends it again, here or at another instance.
TEST(McpHost, AnApprovalThatComesAgainTellsWhatCameOfTheCall) {
  Paying paying;
  const auto first = paying.host();
  const auto second = paying.host();
  const mcp::Work asked = work("tools/call", R"({"name":"pay"})", R"({"elicitation":{}})");
  const auto outcome = first->perform(asked, {});
  const mcp::Work again = approved(asked, outcome);
  // What cannot be remembered is not offered.
  EXPECT_EQ(std::get<mcp::NeedsInput>(outcome)
                .requests.at(0)
                .params.at("requestedSchema")
                .at("properties")
                .at("decision")
                .at("enum"),
            parse_json(R"(["once","refuse"])").value());
  std::string told;
  std::thread caller([&] { told = text_of(first->perform(again, {})); });
  paying.has_begun.wait();
  for (const Host* host : {first.get(), second.get()}) {
    const std::string under_way = text_of(host->perform(again, {}));
    EXPECT_NE(under_way.find("not made again"), std::string::npos) << under_way;
    EXPECT_EQ(under_way.find("was not made"), std::string::npos) << under_way;
  }
  paying.may_end.count_down();
  caller.join();
  EXPECT_EQ(told, "paid");
  for (const Host* host : {first.get(), second.get()}) {
    const JsonObject result = result_of(host->perform(again, {}));
    EXPECT_EQ(result.at("content").at(0).at("text"), Json("paid"));
    EXPECT_FALSE(result.contains("isError"));
  }
  EXPECT_EQ(paying.payments, 1);
}

TEST(McpHost, WhatAProcessThatDiedHadBegunIsUnknownAndNotMadeAgain) {
  Paying paying;
  const auto first = paying.host();
  const mcp::Work asked = work("tools/call", R"({"name":"pay"})", R"({"elicitation":{}})");
  const mcp::Work again = approved(asked, first->perform(asked, {}));
  std::thread caller([&] { (void)first->perform(again, {}); });
  paying.has_begun.wait();
  ASSERT_TRUE(end_dead_runners(*paying.store));
  EXPECT_EQ(paying.row().status, CallStatus::executing) << "its process lives";
  // As when it has died.
  const auto runners = paying.store->get_runners();
  for (const Runner& runner : runners.value()) {
    ASSERT_TRUE(paying.store->end_runner(runner.id));
  }
  ASSERT_TRUE(end_dead_runners(*paying.store));
  ASSERT_TRUE(end_dead_runners(*paying.store)) << "whoever comes second finds it done";
  const StoredCall row = paying.row();
  EXPECT_EQ(row.status, CallStatus::unknown);
  EXPECT_EQ(row.error_details, "The process ended while it ran");
  const auto messages = paying.store->get_messages(row.session_id).value();
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(std::get<ToolResult>(messages[1].message.parts.at(0)).call_id, row.tool_call_id);

  const JsonObject told = result_of(paying.host()->perform(again, {}));
  EXPECT_EQ(told.at("isError"), Json(true));
  EXPECT_EQ(told.at("content").at(0).at("text"), Json(kOutcomeUnknown));
  // It was only asleep: what it knows counts.
  paying.may_end.count_down();
  caller.join();
  EXPECT_EQ(paying.row().status, CallStatus::completed);
  EXPECT_EQ(paying.payments, 1);
}

TEST(McpHost, CallsAreRecordedThoughTheirSessionOrTheirRunnerIsGone) {
  Hosted hosted;
  const auto echoed = [&] {
    return text_of(hosted.host->perform(
        work("tools/call", R"({"name":"echo","arguments":{"text":"hi"}})"), {}));
  };
  EXPECT_EQ(echoed(), "hi");
  ASSERT_TRUE(hosted.store->delete_session(hosted.store->list_sessions({}).value().at(0).id));
  EXPECT_EQ(echoed(), "hi");
  const auto runners = hosted.store->get_runners();
  for (const Runner& runner : runners.value()) {
    ASSERT_TRUE(hosted.store->end_runner(runner.id));
  }
  EXPECT_EQ(echoed(), "hi");
  EXPECT_EQ(
      hosted.store->get_tool_calls(hosted.store->list_sessions({}).value().at(0).id).value().size(),
      2U);
}

TEST(McpHost, WhatThePersonDoesNotAnswerHasFailed) {
  Hosted hosted;
  const auto row = [&] {
    return hosted.store->get_tool_calls(hosted.store->list_sessions({}).value().at(0).id)
        .value()
        .back();
  };
  hosted.host->perform(work("tools/call", kAsk), {});
  EXPECT_EQ(row().status, CallStatus::failed) << "the client cannot ask";
  mcp::Work asked = work("tools/call", kAsk, R"({"elicitation":{}})");
  asked.id = 2;
  const auto outcome = hosted.host->perform(asked, {});
  const auto& needs = std::get<mcp::NeedsInput>(outcome);
  EXPECT_EQ(row().status, CallStatus::waiting);
  asked.state = needs.state;
  asked.answers[needs.requests[0].key] = JsonObject{{"action", "decline"}};
  hosted.host->perform(asked, {});
  EXPECT_EQ(row().status, CallStatus::failed);
}

TEST(McpHost, OnlySessionsThatBeganHereCanBeGoneOnWith) {
  Hosted hosted({testing::says("One."), testing::says("Two.")}, false);
  const SessionId other =
      hosted.store->create_session({.agent_name = "worker", .user_prompt = "private"}).value();
  ASSERT_TRUE(hosted.store->complete_session(other, "a secret"));
  const auto ask = [&](SessionId session) {
    return result_of(hosted.host->perform(
        work("tools/call", R"({"name":"ask_worker","arguments":{"prompt":"On?","session_id":)" +
                               std::to_string(session) + "}}"),
        {}));
  };
  EXPECT_EQ(ask(other).at("isError"), Json(true));
  const SessionId own =
      result_of(hosted.host->perform(
                    work("tools/call", R"({"name":"ask_worker","arguments":{"prompt":"Go"}})"), {}))
          .at("structuredContent")
          .at("session_id")
          .as_int64();
  EXPECT_EQ(ask(own).at("structuredContent").at("answer"), Json("Two."));
  EXPECT_EQ(hosted.store->get_session(other).value().user_prompt, "private");
}

TEST(McpHost, AnotherInstanceKnowsWhoBeganASession) {
  Hosted first({testing::says("One.")}, false);
  Hosted second({testing::says("Two.")}, false);
  const auto ask = [](Hosted& hosted, Store& store, std::string principal, std::string session) {
    Host host(Offering{.caller = std::make_shared<Agent>(),
                       .agents = {{.tool = "ask_worker",
                                   .description = "Works",
                                   .make = [&]() -> Result<AgentToRun> {
                                     return AgentToRun{hosted.worker, JsonObject{}};
                                   }}},
                       .store = &store});
    mcp::Work call =
        work("tools/call", R"({"name":"ask_worker","arguments":{"prompt":"On?")" + session + "}}");
    call.principal = std::move(principal);
    return result_of(host.perform(call, {}));
  };
  Store& store = *first.store;
  const auto begun = ask(first, store, "token a", "");
  const std::string number = to_text(begun.at("structuredContent").at("session_id"));
  EXPECT_EQ(ask(second, store, "token b", R"(,"session_id":)" + number).at("isError"), Json(true));
  EXPECT_EQ(ask(second, store, "", R"(,"session_id":)" + number).at("isError"), Json(true));
  EXPECT_EQ(ask(second, store, "token a", R"(,"session_id":)" + number)
                .at("structuredContent")
                .at("answer"),
            Json("Two."));
}

TEST(McpHost, AnAgentAnswersWithItsSession) {
  Hosted hosted({testing::says("The answer is 7.")});
  const JsonObject result = result_of(hosted.host->perform(
      work("tools/call", R"({"name":"ask_worker","arguments":{"prompt":"Sum?"}})"), {}));
  EXPECT_EQ(result.at("structuredContent").at("answer"), Json("The answer is 7."));
  const SessionId id = result.at("structuredContent").at("session_id").as_int64();
  EXPECT_EQ(hosted.store->get_session(id).value().status, SessionStatus::completed);

  const JsonObject read = result_of(hosted.host->perform(
      work("resources/read", R"({"uri":"wright://sessions/)" + std::to_string(id) + R"("})"), {}));
  EXPECT_NE(read.at("contents").at(0).at("text").as_string().find("The answer is 7."),
            std::string::npos);
  const JsonObject listed = result_of(hosted.host->perform(work("resources/list", "{}"), {}));
  EXPECT_EQ(listed.at("resources").as_array().size(), 1U);
  for (const std::string_view uri : {"wright://sessions/99", "wright://sessions/x", "file:///x"}) {
    EXPECT_TRUE(std::holds_alternative<mcp::Problem>(hosted.host->perform(
        work("resources/read", R"({"uri":")" + std::string(uri) + R"("})"), {})));
  }
}

TEST(McpHost, AnAgentThatAsksWaitsInTheStoreAndGoesOnWithTheAnswer) {
  Hosted hosted({testing::calls({testing::call(
                     "ask_user", R"({"questions":[{"id":"who","question":"Who?"}]})")}),
                 testing::says("Hello.")});
  mcp::Work asked = work("tools/call", R"({"name":"ask_worker","arguments":{"prompt":"Greet"}})",
                         R"({"elicitation":{}})");
  std::vector<std::string> steps;
  WorkControls controls{
      .progress = [&](const mcp::Progress& progress) { steps.push_back(progress.message); }};
  const auto outcome = hosted.host->perform(asked, controls);
  const auto* needs = std::get_if<mcp::NeedsInput>(&outcome);
  ASSERT_NE(needs, nullptr);
  EXPECT_FALSE(steps.empty());
  const auto waits = hosted.store->get_waits({.status = WaitStatus::open}).value();
  ASSERT_EQ(waits.size(), 1U);

  asked.state = needs->state;
  asked.answers[needs->requests[0].key] =
      parse_json(R"({"action":"accept","content":{"who":"Ada"}})").value().as_object();
  EXPECT_EQ(text_of(hosted.host->perform(asked, {})), "Hello.");
}

TEST(McpHost, SessionsAreListedBesideOneThatCannotBeRead) {
  const TemporaryFolder folder;
  const auto path = folder / "store.db";
  const auto store = store::value_of(open_sqlite_store(path));
  for (const char* agent : {"first", "second", "third"}) {
    store::value_of(store->create_session(store::session_named(agent)));
  }
  store::rows_of(store::connect_plainly(path).get(),
                 "UPDATE agent_sessions SET config = '{broken' WHERE agent_name = 'second'");
  Host host(
      Offering{.caller = std::make_shared<Agent>(), .store = store.get(), .shows_sessions = true});
  const JsonObject listed = result_of(host.perform(work("resources/list", "{}"), {}));
  const JsonArray& resources = listed.at("resources").as_array();
  ASSERT_EQ(resources.size(), 3U);
  EXPECT_EQ(resources[0].at("name"), Json("session-3"));
  EXPECT_FALSE(resources[0].as_object().contains("description"));
  EXPECT_NE(resources[1].at("description").as_string().find("cannot be read"), std::string::npos);
  EXPECT_EQ(resources[2].at("name"), Json("session-1"));

  const JsonObject completed = result_of(
      host.perform(work("completion/complete",
                        R"({"ref":{"type":"ref/resource","uri":"wright://sessions/{id}"},)"
                        R"("argument":{"name":"id","value":""}})"),
                   {}));
  EXPECT_EQ(completed.at("completion").at("values").as_array().size(), 3U);
  const auto reading = [&](std::string_view id) {
    return host.perform(
        work("resources/read", fmt::format(R"({{"uri":"wright://sessions/{}"}})", id)), {});
  };
  EXPECT_TRUE(std::holds_alternative<mcp::Finished>(reading("1")));
  const auto refused = reading("2");
  const auto* problem = std::get_if<mcp::Problem>(&refused);
  ASSERT_NE(problem, nullptr);
  EXPECT_NE(problem->message.find("cannot be read"), std::string::npos);
}

TEST(McpHost, PromptsLeadToAgents) {
  Hosted hosted;
  EXPECT_EQ(result_of(hosted.host->perform(work("prompts/list", "{}"), {}))
                .at("prompts")
                .at(0)
                .at("name"),
            Json("ask_worker"));
  const JsonObject got = result_of(hosted.host->perform(
      work("prompts/get", R"({"name":"ask_worker","arguments":{"task":"Sing"}})"), {}));
  EXPECT_NE(got.at("messages").at(0).at("content").at("text").as_string().find("Sing"),
            std::string::npos);
  EXPECT_TRUE(std::holds_alternative<mcp::Problem>(
      hosted.host->perform(work("prompts/get", R"({"name":"ask_worker"})"), {})));
}

}  // namespace
}  // namespace wright::mcp_server
