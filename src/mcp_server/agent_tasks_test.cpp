// Agents that are called as tasks, in both revisions, by a host that may be another one each time.
#include "mcp_server/agent_tasks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <stop_token>
#include <thread>

#include "store/forwarding_store.h"
#include "wright/driver.h"
#include "wright/testing.h"
#include "wright/tools.h"

namespace wright::mcp_server {
namespace {

constexpr std::string_view kGo = R"({"name":"ask_worker","arguments":{"prompt":"Go"}})";
constexpr std::string_view kGoAsTask =
    R"({"name":"ask_worker","arguments":{"prompt":"Go"},"task":{"ttl":60000}})";

// Lets a test wait for what others write.
class WatchedStore : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    auto results = ForwardingStore::apply_all(batches);
    const std::lock_guard lock(mutex_);
    ++writes_;
    written_.notify_all();
    return results;
  }

  Result<RunnerNews> get_news(RunnerId id) override {
    auto news = ForwardingStore::get_news(id);
    if (news && !news->spoken_to.empty() && !was_heard_.exchange(true)) heard_.count_down();
    return news;
  }
  // Until a driver knows that somebody has spoken to a session of its own.
  void await_hearing() { heard_.wait(); }

  // Asks again after every write. False: it has not become so in a minute.
  bool await(const std::function<bool()>& is_so) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    std::unique_lock lock(mutex_);
    while (true) {
      const std::int64_t seen = writes_;
      lock.unlock();
      if (is_so()) return true;
      lock.lock();
      if (!written_.wait_until(lock, until, [&] { return writes_ != seen; })) return false;
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable written_;
  std::int64_t writes_ = 0;
  std::latch heard_{1};
  std::atomic<bool> was_heard_ = false;
};

class McpAgentTasks : public ::testing::TestWithParam<mcp::Era> {
 protected:
  bool is_modern() const { return GetParam() == mcp::Era::modern; }

  // Another instance with the same store.
  void host(std::vector<Result<Response>> turns, std::vector<Tool> tools = {}) {
    host(testing::ScriptedModel(std::move(turns)).model(), std::move(tools));
  }
  void host(Model model, std::vector<Tool> tools) {
    host_.reset();
    auto worker = std::make_shared<Agent>();
    worker->name = "worker";
    worker->tools = std::move(tools);
    worker->tools.push_back(ask_user_tool());
    worker->model = std::move(model);
    host_ = std::make_unique<Host>(Offering{.caller = std::make_shared<Agent>(),
                                            .agents = {{.tool = "ask_worker",
                                                        .description = "Works",
                                                        .make = [worker]() -> Result<AgentToRun> {
                                                          return AgentToRun{worker, {}};
                                                        }}},
                                            .store = store_,
                                            .dashboard = [] { return "http://127.0.0.1:7"; }});
  }

  mcp::Work work(std::string method, JsonObject params) const {
    auto client = std::make_shared<mcp::ClientView>();
    client->era = GetParam();
    client->version = is_modern() ? mcp::kModernVersion : mcp::kNewestLegacyVersion;
    client->capabilities = {
        {"elicitation", JsonObject{{"form", JsonObject{}}, {"url", JsonObject{}}}}};
    if (is_modern()) client->capabilities = mcp::with_tasks_extension(client->capabilities);
    return {.id = 1,
            .method = std::move(method),
            .params = std::move(params),
            .client = std::move(client),
            .principal = "Ada"};
  }

  static JsonObject result_in(const mcp::WorkOutcome& outcome) {
    const auto* finished = std::get_if<mcp::Finished>(&outcome);
    EXPECT_NE(finished, nullptr);
    return finished != nullptr ? finished->result : JsonObject();
  }

  std::string begin() {
    const auto params = parse_json(is_modern() ? kGo : kGoAsTask).value().as_object();
    const JsonObject created = result_in(host_->perform(work("tools/call", params), {}));
    if (is_modern()) {
      EXPECT_EQ(created.at("resultType"), Json("task"));
    }
    const JsonObject& task = is_modern() ? created : created.at("task").as_object();
    EXPECT_EQ(task.at("status"), Json("working"));
    return mcp::text_in(task, "taskId");
  }

  mcp::WorkOutcome about(std::string_view method, std::string_view id, JsonObject params = {}) {
    params["taskId"] = id;
    return host_->perform(work(std::string(method), std::move(params)), {});
  }

  JsonObject once_it_is(std::string_view status, std::string_view id) {
    JsonObject seen;
    EXPECT_TRUE(watched_.await([&] {
      seen = result_in(about("tasks/get", id));
      return mcp::text_in(seen, "status") == status;
    })) << to_text(seen);
    return seen;
  }
  bool ends_as(SessionStatus status) {
    return watched_.await([&] { return store_->get_session(1)->status == status; });
  }

  // What came of it, by the way of the revision.
  JsonObject result_of(std::string_view id) {
    if (is_modern()) return once_it_is("completed", id).at("result").as_object();
    JsonObject result = result_in(about("tasks/result", id));
    EXPECT_EQ(result.at("_meta").at(mcp::kRelatedTask).at("taskId"), Json(id));
    return result;
  }

  std::unique_ptr<Store> kept_ = open_memory_store();
  WatchedStore watched_{*kept_};
  Store* const store_ = &watched_;
  std::unique_ptr<Host> host_;
};

TEST_P(McpAgentTasks, end_with_what_the_call_would_have_answered) {
  host({testing::says("forty-two")});
  const std::string id = begin();
  EXPECT_EQ(id.size(), 32U);
  const JsonObject result = result_of(id);
  EXPECT_EQ(result.at("content").at(0).at("text"), Json("forty-two"));
  EXPECT_EQ(result.at("structuredContent").at("answer"), Json("forty-two"));
  const JsonObject seen = once_it_is("completed", id);
  EXPECT_EQ(seen.contains("result"), is_modern());
  EXPECT_TRUE(seen.at(is_modern() ? "ttlMs" : "ttl").is_null());
  EXPECT_EQ(store_->list_sessions({})->size(), 1U);
}

// Only agents are: what a client of 2025-11-25 must not do, and one of 2026-07-28 may say in vain.
TEST_P(McpAgentTasks, are_no_other_tools) {
  host({});
  const JsonObject listed = result_in(host_->perform(work("tools/list", {}), {}));
  const JsonObject& agent = listed.at("tools").at(0).as_object();
  EXPECT_EQ(agent.contains("execution"), !is_modern());
  auto caller = std::make_shared<Agent>();
  caller->tools = {tool("word", "", [] { return "said"; })};
  Host with_tool(Offering{.caller = caller, .agents = {{.tool = "ask"}}, .store = store_});
  const auto call = work("tools/call", {{"name", "word"}, {"task", JsonObject{}}});
  const auto outcome = with_tool.perform(call, {});
  if (is_modern()) {
    EXPECT_EQ(result_in(outcome).at("content").at(0).at("text"), Json("said"));
  } else {
    EXPECT_EQ(std::get<mcp::Problem>(outcome).code, mcp::code::kMethodNotFound);
  }
  const Host without_agents(Offering{.caller = caller, .store = store_});
  EXPECT_EQ(result_in(without_agents.perform(call, {})).at("content").at(0).at("text"),
            Json("said"));
}

TEST_P(McpAgentTasks, are_their_callers_alone) {
  host({testing::says("forty-two")});
  const std::string id = begin();
  mcp::Work other = work("tasks/get", {{"taskId", id}});
  other.principal = "Bob";
  EXPECT_EQ(std::get<mcp::Problem>(host_->perform(other, {})).code, mcp::code::kInvalidParams);
  EXPECT_EQ(std::get<mcp::Problem>(about("tasks/get", "none")).code, mcp::code::kInvalidParams);
  EXPECT_EQ(std::get<mcp::Problem>(about("tasks/cancel", "none")).code, mcp::code::kInvalidParams);
}

TEST_P(McpAgentTasks, go_on_in_another_instance_when_theirs_is_gone) {
  std::latch begun(1);
  const auto slow = [&](bool is_first) {
    return tool("slow", "",
                [&begun, is_first](const Context& context) -> Result<std::string> {
                  if (!is_first) return "looked";
                  begun.count_down();
                  std::latch never(1);
                  const std::stop_callback end(context.stop, [&] { never.count_down(); });
                  never.wait();
                  return fail(ErrorCode::cancelled, "stopped");
                },
                {.effect = Effect::read});
  };
  const auto calls = testing::calls({testing::call("slow", "{}", "1")});
  host({calls}, {slow(true)});
  const std::string id = begin();
  begun.wait();
  host({testing::says("after all")}, {slow(false)});
  EXPECT_EQ(result_of(id).at("content").at(0).at("text"), Json("after all"));
  EXPECT_EQ(store_->list_sessions({})->size(), 1U) << "it is the same session";
}

TEST_P(McpAgentTasks, that_are_cancelled_stay_so) {
  std::latch begun(1);
  const Tool endless = tool("endless", "", [&](const Context& context) {
    begun.count_down();
    std::latch stopped(1);
    const std::stop_callback end(context.stop, [&] { stopped.count_down(); });
    stopped.wait();
  });
  host({testing::calls({testing::call("endless", "{}", "1")}), testing::says("done")}, {endless});
  const std::string id = begin();
  begun.wait();
  const JsonObject answer = result_in(about("tasks/cancel", id));
  EXPECT_EQ(mcp::text_in(answer, "status"), is_modern() ? "" : "cancelled");
  EXPECT_EQ(mcp::text_in(result_in(about("tasks/get", id)), "status"), "cancelled");
  // Once more is an acknowledgement in the one revision and a mistake in the other.
  const auto again = about("tasks/cancel", id);
  EXPECT_EQ(std::holds_alternative<mcp::Finished>(again), is_modern());
  EXPECT_TRUE(ends_as(SessionStatus::cancelled));
  EXPECT_EQ(mcp::text_in(result_in(about("tasks/get", id)), "status"), "cancelled");
}

TEST_P(McpAgentTasks, ask_the_clients_person_and_go_on_with_the_answer) {
  const auto asks = testing::calls(
      {testing::call("ask_user", R"({"questions":[{"id":"who","question":"Who?"}]})", "1")});
  host({asks, testing::says("thanks")});
  const std::string id = begin();
  const JsonObject seen = once_it_is("input_required", id);
  // Another instance takes the answer.
  host({testing::says("thanks")});
  const JsonObject given{{"action", "accept"}, {"content", JsonObject{{"who", "Ada"}}}};
  if (is_modern()) {
    const JsonObject& requests = seen.at("inputRequests").as_object();
    ASSERT_EQ(requests.size(), 1U);
    const std::string key(requests.begin()->key());
    EXPECT_EQ(requests.begin()->value().at("method"), Json("elicitation/create"));
    // What was never asked is passed over.
    result_in(about("tasks/update", id, {{"inputResponses", JsonObject{{"wait_99", given}}}}));
    EXPECT_EQ(mcp::text_in(result_in(about("tasks/get", id)), "status"), "input_required");
    result_in(about("tasks/update", id, {{"inputResponses", JsonObject{{key, given}}}}));
  } else {
    mcp::Work fetching = work("tasks/result", {{"taskId", id}});
    const auto outcome = host_->perform(fetching, {});
    const auto* needs = std::get_if<mcp::NeedsInput>(&outcome);
    ASSERT_NE(needs, nullptr);
    EXPECT_EQ(needs->requests.at(0).params.at("_meta").at(mcp::kRelatedTask).at("taskId"),
              Json(id));
    fetching.answers[needs->requests.at(0).key] = given;
    EXPECT_EQ(result_in(host_->perform(fetching, {})).at("content").at(0).at("text"),
              Json("thanks"));
  }
  EXPECT_EQ(result_of(id).at("content").at(0).at("text"), Json("thanks"));
}

TEST_P(McpAgentTasks, whose_question_is_declined_end_and_their_session_waits) {
  const auto asks = testing::calls(
      {testing::call("ask_user", R"({"questions":[{"id":"who","question":"Who?"}]})", "1")});
  host({asks});
  const std::string id = begin();
  once_it_is("input_required", id);
  const JsonObject declined{{"action", "decline"}};
  const WaitId wait = store_->get_waits({})->at(0).id;
  const std::string key = "wait_" + std::to_string(wait);
  if (is_modern()) {
    result_in(about("tasks/update", id, {{"inputResponses", JsonObject{{key, declined}}}}));
    EXPECT_EQ(once_it_is("completed", id).at("result").at("isError"), Json(true));
  } else {
    mcp::Work fetching = work("tasks/result", {{"taskId", id}});
    fetching.answers[key] = declined;
    EXPECT_EQ(result_in(host_->perform(fetching, {})).at("isError"), Json(true));
    EXPECT_EQ(once_it_is("failed", id).at("taskId"), Json(id));
  }
  EXPECT_EQ(store_->get_wait(wait)->status, WaitStatus::open);
}

TEST_P(McpAgentTasks, keep_their_results_when_their_session_goes_on) {
  host({testing::says("first"), testing::says("second")});
  const std::string first = begin();
  ASSERT_TRUE(ends_as(SessionStatus::completed));
  // Somebody goes on with it before anybody has looked.
  auto agent = Agent{.name = "worker"};
  agent.model = testing::ScriptedModel({testing::says("by hand")}).model();
  ASSERT_TRUE(send(*store_, agent, 1, "And?"));
  EXPECT_EQ(result_of(first).at("content").at(0).at("text"), Json("first"));
}

// Words on the way belong to the turn of the task, and so does the answer to them.
TEST_P(McpAgentTasks, that_somebody_steers_end_with_what_came_last) {
  std::latch begun(1);
  std::atomic<bool> is_first = true;
  const Tool slow = tool(ToolSpec{.name = "slow", .parameters = JsonObject{{"type", "object"}}},
                         [&](const Json&, const Context&) -> Result<Json> {
                           if (!is_first.exchange(false)) return "looked again";
                           begun.count_down();
                           watched_.await_hearing();
                           return "looked";
                         })
                        .value();
  // It says something and calls until it has read the words, so that words come behind words.
  const auto is_brief = [](const Message& each) { return each.text() == "Be brief"; };
  std::atomic<int> turns = 0;
  host(model_from("test", "m",
                  [&](const Request& request, const ModelCall&) -> Result<Response> {
                    if (std::ranges::any_of(request.messages, is_brief)) {
                      return testing::says("as you say");
                    }
                    const std::string id = std::to_string(++turns);
                    return testing::calls({testing::call("slow", R"({"n":)" + id + "}", id)},
                                          "I look.");
                  }),
       {slow});
  const std::string id = begin();
  begun.wait();
  auto person = Runtime::open({.store = store_, .workers = 1});
  ASSERT_TRUE(person) << person.error().message;
  auto agent = std::make_shared<Agent>(Agent{.name = "worker"});
  agent->model = testing::ScriptedModel({}).model();
  const auto steered = (*person)->steer(agent, 1, Message::user("Be brief"));
  ASSERT_TRUE(steered) << steered.error().message;
  EXPECT_EQ(result_of(id).at("content").at(0).at("text"), Json("as you say"));
  const auto messages = store_->get_messages(1).value();
  EXPECT_TRUE(std::ranges::any_of(messages, is_brief, &StoredMessage::message));
  EXPECT_EQ(messages.back().message.text(), "as you say");
}

// What must not be typed into a client is answered at the dashboard, and the client hears of it.
TEST_P(McpAgentTasks, tell_when_what_the_person_was_sent_away_for_is_over) {
  const auto asks = testing::calls({testing::call(
      "ask_user", R"({"questions":[{"id":"pin","question":"PIN?","type":"password"}]})", "1")});
  host({asks, testing::says("thanks")});
  const std::string id = begin();
  once_it_is("input_required", id);
  const StoredWait wait = store_->get_waits({.status = WaitStatus::open})->at(0);
  const std::string key = "wait_" + std::to_string(wait.id);
  const JsonObject agrees{{"action", "accept"}};
  std::vector<JsonObject> told;
  WorkControls controls;
  controls.notify = [&](std::string_view method, const JsonObject& params) {
    EXPECT_EQ(method, "notifications/elicitation/complete");
    told.push_back(params);
  };
  std::jthread person;
  const auto answers_elsewhere = [&] {
    person = std::jthread([&] {
      while (store_->get_records({.kind = "mcp_task"})
                 ->at(0)
                 .value.as_object()
                 .contains("elsewhere") == false) {
        std::this_thread::yield();
      }
      (void)answer_wait(*store_, wait.id, JsonObject{{"pin", "1234"}}, "dashboard");
    });
  };
  answers_elsewhere();
  if (is_modern()) {
    result_in(about("tasks/update", id, {{"inputResponses", JsonObject{{key, agrees}}}}));
    once_it_is("completed", id);
    EXPECT_TRUE(told.empty()) << "there is no such notification";
    return;
  }
  mcp::Work fetching = work("tasks/result", {{"taskId", id}});
  fetching.answers[key] = agrees;
  EXPECT_EQ(result_in(host_->perform(fetching, controls)).at("content").at(0).at("text"),
            Json("thanks"));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].at("elicitationId"),
            Json(fmt::format("wright-{}-{}", wait.session_id, wait.id)));
  EXPECT_EQ(told[0].at("_meta").at(mcp::kRelatedTask).at("taskId"), Json(id));
  // Who asks for the result once more hears nothing of it.
  result_in(host_->perform(work("tasks/result", {{"taskId", id}}), controls));
  EXPECT_EQ(told.size(), 1U);
}

// A person goes on with the session of a task, and nobody has looked at the task.
TEST_P(McpAgentTasks, that_failed_stay_failed_when_their_session_goes_on) {
  host({Result<Response>(fail(ErrorCode::invalid_argument, "the vendor says 400"))});
  const std::string id = begin();
  while (store_->get_session(1)->status != SessionStatus::failed) std::this_thread::yield();
  host_.reset();  // and has noted why
  auto agent = Agent{.name = "worker"};
  agent.model = testing::ScriptedModel({testing::says("SECRET")}).model();
  ASSERT_TRUE(send(*store_, agent, 1, "a person goes on"));
  // Another instance is asked: what became of it is stored.
  host({});
  const JsonObject result = is_modern() ? once_it_is("completed", id).at("result").as_object()
                                        : result_in(about("tasks/result", id));
  EXPECT_EQ(result.at("isError"), Json(true));
  const std::string text = to_text(result);
  EXPECT_NE(text.find("the vendor says 400"), std::string::npos) << text;
  EXPECT_EQ(text.find("SECRET"), std::string::npos) << text;
}

TEST_P(McpAgentTasks, leave_the_turns_of_others_alone) {
  host({testing::says("first answer")});
  const std::string id = begin();
  while (store_->get_session(1)->status != SessionStatus::completed) std::this_thread::yield();
  // The turn of somebody else waits for an approval of theirs.
  auto agent = Agent{.name = "worker"};
  agent.tools = {ask_user_tool()};
  agent.model = testing::ScriptedModel(
                    {testing::calls({testing::call(
                        "ask_user", R"({"questions":[{"id":"who","question":"Who?"}]})", "1")})})
                    .model();
  ASSERT_TRUE(send(*store_, agent, 1, "a person goes on"));
  ASSERT_EQ(store_->get_session(1)->status, SessionStatus::waiting);
  const WaitId wait = store_->get_waits({.status = WaitStatus::open})->at(0).id;
  // As where nobody saw the task end: only the messages tell.
  auto records = store_->get_records({.kind = "mcp_task"}).value();
  ASSERT_EQ(records.size(), 1U);
  JsonObject forgotten = records[0].value.as_object();
  for (const char* key : {"ended", "ended_at", "result"}) forgotten.erase(key);
  ASSERT_TRUE(store_->apply_one(PutRecord{.kind = "mcp_task",
                                          .key = records[0].key,
                                          .value = forgotten,
                                          .version = records[0].version}));
  const JsonObject given{{"action", "accept"}, {"content", JsonObject{{"who", "Mallory"}}}};
  const std::string key = "wait_" + std::to_string(wait);
  if (is_modern()) {
    result_in(about("tasks/update", id, {{"inputResponses", JsonObject{{key, given}}}}));
  } else {
    mcp::Work fetching = work("tasks/result", {{"taskId", id}});
    fetching.answers[key] = given;
    (void)host_->perform(fetching, {});
  }
  EXPECT_EQ(store_->get_wait(wait)->status, WaitStatus::open);
  (void)about("tasks/cancel", id);
  EXPECT_EQ(store_->get_session(1)->status, SessionStatus::waiting);
  EXPECT_FALSE(store_->get_session(1)->cancel_reason);
  EXPECT_EQ(result_of(id).at("content").at(0).at("text"), Json("first answer"));
}

INSTANTIATE_TEST_SUITE_P(Eras, McpAgentTasks,
                         ::testing::Values(mcp::Era::legacy, mcp::Era::modern));

// Only there does a client wait for a result.
using McpAgentTasksOfOlderClients = McpAgentTasks;
INSTANTIATE_TEST_SUITE_P(Eras, McpAgentTasksOfOlderClients, ::testing::Values(mcp::Era::legacy));

TEST_P(McpAgentTasksOfOlderClients, go_on_when_whoever_waits_for_their_result_has_gone) {
  std::latch begun(1);
  std::latch let_go(1);
  const Tool slow = tool("slow", "", [&] {
    begun.count_down();
    let_go.wait();
    return "looked";
  });
  host({testing::calls({testing::call("slow", "{}", "1")}), testing::says("forty-two")}, {slow});
  const std::string id = begin();
  begun.wait();
  std::stop_source gone;
  auto waiting = std::async(std::launch::async, [&] {
    WorkControls controls;
    controls.stop = gone.get_token();
    return host_->perform(work("tasks/result", {{"taskId", id}}), controls);
  });
  gone.request_stop();
  const bool has_returned = waiting.wait_for(std::chrono::seconds(60)) == std::future_status::ready;
  EXPECT_TRUE(has_returned) << "it would be waited for as long as the session runs";
  EXPECT_EQ(mcp::text_in(result_in(about("tasks/get", id)), "status"), "working");
  let_go.count_down();
  const auto outcome = waiting.get();
  EXPECT_TRUE(std::holds_alternative<mcp::Problem>(outcome));
  EXPECT_EQ(result_of(id).at("content").at(0).at("text"), Json("forty-two"));
}

}  // namespace
}  // namespace wright::mcp_server
