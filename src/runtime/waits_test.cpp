#include "session/waits.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "runtime/person_answer.h"
#include "runtime/runtime_testing.h"
#include "store/forwarding_store.h"
#include "wright/agent.h"
#include "wright/people.h"
#include "wright/tools.h"

namespace wright {
namespace {

using testing::agent_with;
using testing::asking;
using testing::call;
using testing::calling;
using testing::calls;
using testing::open_runtime;
using testing::says;
using testing::value_of;

// Session 1 stands below 2, and 2 below 1.
class CircleStore : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Result<Session> get_session(SessionId id) override {
    return Session{.id = id, .parent_session_id = id == 1 ? 2 : 1};
  }
};

// Some programs let a person edit a call; the call that was shown would have run.
TEST(Waits, of_an_approval_take_no_other_call) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> ran = 0;
  const auto write = tool("write", "", [&] { ++ran; }, {.needs_approval = true});
  const auto agent = agent_with("writing", calling({call("write", "{}", "1")}), {write});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  const WaitId wait = value_of(runtime->wait(id)).waits.at(0).wait_id;
  const JsonObject edited{{"decision", "once"}, {"arguments", {{"path", "other"}}}};
  const auto refused = runtime->answer(wait, edited, "person");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("'arguments'"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(value_of(store->get_wait(wait)).status, WaitStatus::open);
  value_of(runtime->answer(wait, JsonObject{{"decision", "once"}, {"reason", "fine"}}, "person"));
  value_of(runtime->wait(id));
  EXPECT_EQ(ran, 1);
}

TEST(Waits, tell_a_circle_of_sessions_instead_of_following_it) {
  const auto store = open_memory_store();
  CircleStore circle(*store);
  const auto root = root_session(circle, 1);
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().code, ErrorCode::storage);
  EXPECT_EQ(root.error().message, "Session 1 stands above itself: the database is damaged");
}

TEST(Waits, waits_until_somebody_answers_and_keeps_the_other_results) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> counted = 0;
  const auto agent =
      agent_with("asking", calling({call("ask", "{}", "1"), call("count", "{}", "2")}),
                 {asking(), tool("count", "", [&] { return ++counted; })});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  const RunResult waiting = value_of(runtime->wait(id));
  ASSERT_EQ(waiting.status, RunResult::Status::waiting);
  ASSERT_EQ(waiting.waits.size(), 1U);
  EXPECT_EQ(store->get_session(id)->status, SessionStatus::waiting);
  EXPECT_EQ(runtime->running(), 0U);
  ASSERT_TRUE(runtime->answer(waiting.waits[0].wait_id, Json("blue"), "Ada"));
  EXPECT_EQ(value_of(runtime->wait(id)).text, "blue;1;");
  EXPECT_EQ(counted, 1);
  const auto again = runtime->answer(waiting.waits[0].wait_id, Json("red"), "Bob");
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("Ada"), std::string::npos) << again.error().message;
}

// The call goes on where it was, here and in a process that has only the store.
TEST(Waits, give_the_last_state_back_with_its_answer) {
  const auto store = open_memory_store();
  std::vector<Json> states;
  const Tool halves = tool("halves", "", [&](const Context& context) -> ToolReply {
    states.push_back(context.answers.state);
    const auto next = static_cast<std::int64_t>(states.size());
    if (next == 3) return Output{.value = "whole"};
    return Waiting{.kind = WaitKind::result, .shown = "?", .state = next};
  });
  const auto agent = agent_with("asking", calling({call("halves", "{}", "1")}), {halves});
  SessionId id = 0;
  WaitId second = 0;
  {
    const auto runtime = open_runtime(*store);
    id = value_of(runtime->start(agent, "Go"));
    const WaitId first = value_of(runtime->wait(id)).waits.at(0).wait_id;
    ASSERT_TRUE(runtime->answer(first, Json("a"), "Ada"));
    second = value_of(runtime->wait(id)).waits.at(0).wait_id;
  }
  ASSERT_TRUE(answer_wait(*store, second, Json("b"), "Ada"));
  const auto resumed = resume(*store, *agent, id);
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(states, (std::vector<Json>{nullptr, 1, 2}));
}

// Somebody else ends the session in the moment after it was answered or is to be cancelled.
class EndingStore : public store::ForwardingStore {
 public:
  explicit EndingStore(Store& inner) : ForwardingStore(inner), kept_(inner) {}
  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    auto applied = kept_.apply_all(batches);
    for (const Batch& batch : batches) {
      for (const Write& write : batch.writes) {
        if (!std::holds_alternative<AnswerWait>(write) &&
            !std::holds_alternative<RequestCancel>(write)) {
          continue;
        }
        EXPECT_TRUE(kept_.apply_one(
            UpdateSession{.session_id = session, .status = SessionStatus::cancelled}));
      }
    }
    return applied;
  }
  SessionId session = 0;

 private:
  Store& kept_;
};

TEST(Waits, what_took_effect_is_no_error_though_the_session_has_ended_meanwhile) {
  const auto memory = open_memory_store();
  EndingStore store(*memory);
  const auto runtime = open_runtime(store);
  const auto agent = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  store.session = value_of(runtime->start(agent, "Go"));
  const WaitId wait = value_of(runtime->wait(store.session)).waits.at(0).wait_id;
  const auto answered = runtime->answer(wait, Json("blue"), "Ada");
  EXPECT_TRUE(answered) << answered.error().message;
  store.session = value_of(runtime->start(agent, "Go"));
  (void)runtime->wait(store.session);
  const auto cancelled = runtime->cancel(store.session, "Enough");
  EXPECT_TRUE(cancelled) << cancelled.error().message;
}

TEST(Waits, tells_of_calls_of_which_nobody_knows_what_became) {
  const auto store = open_memory_store();
  const Message acts{Role::assistant, {call("act", "{}", "1"), call("ask", "{}", "2")}};
  const auto created = store->create_session_with(
      {.agent_name = "acting", .user_prompt = "Go"},
      std::vector<Write>{AppendMessage{.message = Message::user("Go")},
                         AppendMessage{.message = acts, .started_calls = 1}});
  ASSERT_TRUE(created);
  std::vector<std::string> told;
  const auto runtime = value_of(Runtime::open(
      {.store = store.get(), .observer = [&](const Event& event, const EventOrigin&) {
         if (const auto* started = std::get_if<ToolStarted>(&event)) {
           told.push_back("started " + started->call.id);
         } else if (const auto* ended = std::get_if<ToolEnded>(&event)) {
           told.push_back((ended->is_unknown ? "unknown " : "ended ") + ended->call.id);
         }
       }}));
  const auto agent =
      agent_with("acting", calling({}), {tool("act", "", [] { return 1; }), asking()});
  ASSERT_TRUE(runtime->resume(agent, created->first));
  (void)runtime->wait(created->first);
  EXPECT_EQ(told, (std::vector<std::string>{"unknown 1", "started 2", "ended 2"}));
  EXPECT_EQ(store->get_tool_calls(created->first)->at(0).status, CallStatus::unknown);
}

TEST(Waits, lets_one_of_many_answers_win) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  const WaitId wait = value_of(runtime->wait(id)).waits.at(0).wait_id;
  std::atomic<int> won = 0;
  std::atomic<int> refused = 0;
  std::barrier together(100);
  std::vector<std::thread> threads;
  for (int i = 0; i < 100; ++i) {
    threads.emplace_back([&, i] {
      together.arrive_and_wait();
      const auto answered = runtime->answer(wait, Json(std::to_string(i)), std::to_string(i));
      if (answered) {
        ++won;
      } else if (answered.error().code == ErrorCode::already_exists) {
        ++refused;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(refused, 99);
  const auto stored = value_of(store->get_wait(wait));
  EXPECT_EQ(value_of(runtime->wait(id)).text, std::string(stored.answer->get_string()) + ";");
}

TEST(Waits, waits_at_any_depth_and_goes_on_in_another_process) {
  const auto store = open_memory_store();
  std::atomic<int> counted = 0;
  const Tool count = tool("count", "", [&] {
    ++counted;
    return "counted";
  });
  const Agent deep{.name = "deep",
                   .model = calling({call("ask", "{}", "1"), call("count", "{}", "2")}),
                   .tools = {asking(), count}};
  const Agent middle{.name = "middle",
                     .model = calling({call("deep", R"({"message":"x"})", "1")}),
                     .tools = {delegate_to(deep)}};
  const auto agent = agent_with(
      "top", calling({call("count", "{}", "1"), call("middle", R"({"message":"x"})", "2")}),
      {delegate_to(middle), count});
  SessionId id = 0;
  WaitId wait = 0;
  {
    const auto runtime = open_runtime(*store);
    id = value_of(runtime->start(agent, "Go"));
    const RunResult waiting = value_of(runtime->wait(id));
    ASSERT_EQ(waiting.waits.size(), 1U);
    wait = waiting.waits[0].wait_id;
    EXPECT_NE(waiting.waits[0].session_id, id);
  }
  EXPECT_EQ(value_of(store->get_waits({.session_id = id})).size(), 1U);
  const auto later = value_of(
      Runtime::open({.store = store.get(),
                     .agents = [&](const Session&) -> Result<AgentPointer> { return agent; }}));
  ASSERT_TRUE(later->answer(wait, Json("blue"), "Ada"));
  EXPECT_EQ(value_of(later->wait(id)).text, "counted;blue;counted;;;");
  EXPECT_EQ(counted, 2);
}

TEST(Waits, ends_a_wait_when_its_time_is_over) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const Tool ask = tool("ask", "", [] {
    return Waiting{.kind = WaitKind::result, .shown = "?", .timeout = std::chrono::seconds(1)};
  });
  std::latch answered(1);
  const auto agent =
      agent_with("asking",
                 model_from("test", "m",
                            [&](const Request& request, const ModelCall&) {
                              if (request.messages.size() == 1)
                                return Result<Response>(calls({call("ask", "{}", "1")}));
                              answered.count_down();
                              return Result<Response>(says("Without you"));
                            }),
                 {ask});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  ASSERT_EQ(value_of(runtime->wait(id)).status, RunResult::Status::waiting);
  answered.wait();
  EXPECT_EQ(value_of(runtime->wait(id)).text, "Without you");
  EXPECT_EQ(value_of(store->get_waits({.session_id = id})).at(0).status, WaitStatus::expired);
}

// Acts, and asks in the middle.
Tool paying(std::optional<std::chrono::seconds> timeout = {}) {
  return tool("pay", "Pays", [timeout](const Context& context) -> ToolReply {
    if (context.answers.answer) {
      const Json* is_yes = context.answers.answer->as_object().if_contains("completed");
      return Output{.value = is_yes != nullptr && is_yes->as_bool() ? "confirmed" : "unconfirmed"};
    }
    return Waiting{.kind = WaitKind::question,
                   .shown = {{"question", "Well?"}},
                   .timeout = timeout,
                   .state = {{"has_begun", true}}};
  });
}

TEST(Waits, of_calls_that_have_begun_end_with_what_the_call_says_when_nobody_answers_in_time) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch told(1);
  const auto agent =
      agent_with("paying",
                 model_from("test", "m",
                            [&](const Request& request, const ModelCall&) {
                              if (request.messages.size() == 1)
                                return Result<Response>(calls({call("pay", "{}", "1")}));
                              told.count_down();
                              return Result<Response>(says("Done"));
                            }),
                 {paying(std::chrono::seconds(0))});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  told.wait();
  EXPECT_EQ(value_of(runtime->wait(id)).text, "Done");
  const auto rows = value_of(store->get_tool_calls(id));
  EXPECT_EQ(rows.at(0).status, CallStatus::completed);
  EXPECT_EQ(rows.at(0).response, Json("unconfirmed"));
  EXPECT_EQ(value_of(store->get_waits({.session_id = id})).at(0).status, WaitStatus::expired);
}

// Left by the process that began it.
SessionId session_that_asks_in_the_middle(Store& store) {
  const auto runtime = open_runtime(store);
  const SessionId id = value_of(
      runtime->start(agent_with("paying", calling({call("pay", "{}", "1")}), {paying()}), "Go"));
  EXPECT_EQ(value_of(runtime->wait(id)).status, RunResult::Status::waiting);
  return id;
}

TEST(Waits, of_calls_that_have_begun_leave_them_unknown_when_a_process_without_the_agent_cancels) {
  const auto store = open_memory_store();
  const SessionId id = session_that_asks_in_the_middle(*store);
  const auto other = open_runtime(*store);
  ASSERT_TRUE(other->cancel(id, "Enough"));
  (void)other->wait(id);
  EXPECT_EQ(store->get_session(id)->status, SessionStatus::cancelled);
  EXPECT_EQ(store->get_tool_calls(id)->front().status, CallStatus::unknown);
  EXPECT_EQ(store->get_waits({.session_id = id})->front().status, WaitStatus::cancelled);
}

// As when the server of a tool is not there for a moment.
TEST(Waits, of_calls_that_have_begun_leave_them_unknown_when_their_tool_is_gone) {
  const auto store = open_memory_store();
  const SessionId id = session_that_asks_in_the_middle(*store);
  const WaitId wait = value_of(store->get_waits({.session_id = id})).at(0).id;
  ASSERT_TRUE(store->apply_one(
      AnswerWait{.wait_id = wait, .answer = {{"completed", true}}, .answered_by = "ada"}));
  const auto other = open_runtime(*store);
  ASSERT_TRUE(other->resume(agent_with("paying", calling({call("pay", "{}", "1")}), {}), id));
  EXPECT_EQ(value_of(other->wait(id)).status, RunResult::Status::completed);
  EXPECT_EQ(store->get_tool_calls(id)->front().status, CallStatus::unknown);
}

TEST(Waits, says_at_once_that_nobody_is_there) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  const SessionId id = value_of(runtime->start(agent, "Go", {.people = People::nobody}));
  const RunResult answer = value_of(runtime->wait(id));
  EXPECT_EQ(answer.status, RunResult::Status::completed);
  EXPECT_EQ(answer.text.find("Nobody is there"), 0U) << answer.text;
}

TEST(Waits, hides_passwords_in_what_it_stores) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const std::string questions =
      R"({"questions":[{"id":"pass","question":"Password?","type":"password"},)"
      R"({"id":"age","question":"Age?","type":"number"}]})";
  const auto agent =
      agent_with("asking", calling({call("ask_user", questions, "1")}), {ask_user_tool()});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  const WaitId wait = value_of(runtime->wait(id)).waits.at(0).wait_id;
  const auto wrong = runtime->answer(wait, JsonObject{{"pass", "hunter2"}, {"age", "old"}}, "Ada");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message.find("hunter2"), std::string::npos);
  ASSERT_TRUE(runtime->answer(wait, JsonObject{{"pass", "hunter2"}, {"age", 41}}, "Ada"));
  const RunResult answer = value_of(runtime->wait(id));
  EXPECT_NE(answer.text.find("41"), std::string::npos) << answer.text;
  EXPECT_EQ(answer.text.find("hunter2"), std::string::npos) << answer.text;
  EXPECT_EQ(to_text(*store->get_wait(wait)->answer).find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace wright
