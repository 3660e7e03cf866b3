#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <latch>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "core/said_nothing.h"
#include "runtime/runtime_testing.h"
#include "store/forwarding_store.h"
#include "wright/agent.h"

namespace wright {
namespace {

using testing::agent_with;
using testing::asking;
using testing::call;
using testing::calling;
using testing::open_runtime;
using testing::says;
using testing::value_of;

// What models over HTTP answer.
const auto kEmptyAnswer = fail(ErrorCode::answer_cut, fmt::format("It {}", kSaidNothing));

TEST(Specialists, that_say_nothing_are_a_failure_with_a_name) {
  for (const auto& nothing : std::vector<Result<Response>>{says(""), says(" \n"), kEmptyAnswer}) {
    const auto store = open_memory_store();
    const Agent mute{
        .name = "mute",
        .model = model_from("test", "mute",
                            [nothing](const Request&, const ModelCall&) { return nothing; })};
    const testing::ScriptedModel script(
        {testing::calls({call("mute", R"({"message":"Well?"})", "1")}), says("It said nothing.")});
    const Agent editor{.name = "editor", .model = script.model(), .tools = {delegate_to(mute)}};
    const auto answer = run(*store, editor, "Ask it");
    ASSERT_TRUE(answer) << answer.error().message;
    const auto calls = value_of(store->get_tool_calls(answer->session_id));
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls.front().status, CallStatus::failed);
    EXPECT_EQ(calls.front().error_details, "No response from specialist agent");
  }
}

// Takes nothing of a run that comes after the first end of a session.
class StoreThatFailsAfterAnEnd final : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    std::vector<Result<BatchIds>> results;
    for (const Batch& batch : batches) {
      const bool is_of_session = std::ranges::any_of(batch.writes, [](const Write& write) {
        return std::holds_alternative<HoldLease>(write);
      });
      results.push_back(has_ended_ && is_of_session
                            ? fail(ErrorCode::storage, "The disk is full")
                            : std::move(ForwardingStore::apply_all({&batch, 1}).front()));
      has_ended_ = has_ended_ || std::ranges::any_of(batch.writes, ends);
    }
    return results;
  }

 private:
  static bool ends(const Write& write) {
    const auto* update = std::get_if<UpdateSession>(&write);
    return update != nullptr &&
           (update->status == SessionStatus::failed || update->status == SessionStatus::completed);
  }

  bool has_ended_ = false;
};

// The process ends between the specialist's end and the answer to the call above.
TEST(Specialists, that_said_nothing_are_told_of_in_the_same_words_after_a_crash) {
  for (const auto& nothing : std::vector<Result<Response>>{says(""), kEmptyAnswer}) {
    const auto store = open_memory_store();
    const Agent mute{
        .name = "mute",
        .model = model_from("test", "mute",
                            [nothing](const Request&, const ModelCall&) { return nothing; })};
    const auto editor = agent_with("editor", calling({call("mute", R"({"message":"Well?"})", "1")}),
                                   {delegate_to(mute)});
    StoreThatFailsAfterAnEnd breaking(*store);
    EXPECT_FALSE(run(breaking, *editor, "Ask it"));
    const auto sessions = value_of(store->list_sessions({}));
    ASSERT_EQ(sessions.size(), 2U);
    EXPECT_EQ(sessions.back().status, SessionStatus::running);
    EXPECT_TRUE(sessions.front().ended_at.has_value()) << "the specialist's";
    const auto answer = resume(*store, *editor, sessions.back().id);
    ASSERT_TRUE(answer) << answer.error().message;
    const auto calls = value_of(store->get_tool_calls(sessions.back().id));
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls.front().error_details, "No response from specialist agent");
  }
}

TEST(Specialists, are_not_asked_without_words) {
  const auto store = open_memory_store();
  const Agent mute{.name = "mute", .model = testing::ScriptedModel({says("Hm?")}).model()};
  const testing::ScriptedModel script({testing::calls({call("mute", R"({"message":""})", "1"),
                                                       call("mute", R"({"message":" \n"})", "2")}),
                                       says("I said nothing.")});
  const Agent editor{.name = "editor", .model = script.model(), .tools = {delegate_to(mute)}};
  const auto answer = run(*store, editor, "Ask it");
  ASSERT_TRUE(answer) << answer.error().message;
  for (const StoredCall& asked : value_of(store->get_tool_calls(answer->session_id))) {
    EXPECT_EQ(asked.status, CallStatus::failed) << asked.tool_call_id;
  }
  EXPECT_EQ(value_of(store->list_sessions({})).size(), 1U) << "it has no session";
}

TEST(Specialists, has_specialists_answer_in_sessions_of_their_own) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const Agent poet{
      .name = "poet",
      .instructions = "Write verses.\n\nAlways.",
      .model = model_from("test", "poet", [](const Request& request, const ModelCall&) {
        EXPECT_EQ(request.messages.size(), 1U);
        return Result<Response>(says("Ode: " + request.messages[0].text()));
      })};
  const Tool as_tool = delegate_to(poet);
  EXPECT_EQ(as_tool.spec.name, "poet");
  EXPECT_EQ(as_tool.spec.description, "Write verses.");
  const auto agent = agent_with("editor",
                                calling({call("poet", R"({"message":"sea"})", "1"),
                                         call("poet", R"({"message":"sky"})", "2")}),
                                {as_tool});
  const SessionId id = value_of(runtime->start(agent, "Two odes"));
  EXPECT_EQ(value_of(runtime->wait(id)).text, "Ode: sea;Ode: sky;");
  const auto children = value_of(store->list_sessions({.parent_session_id = id}));
  ASSERT_EQ(children.size(), 2U);
  for (const Session& child : children) {
    EXPECT_EQ(child.status, SessionStatus::completed);
    EXPECT_EQ(child.agent_name, "poet");
    ASSERT_TRUE(child.parent_call_id);
  }
  for (const StoredCall& each : value_of(store->get_tool_calls(id))) {
    EXPECT_EQ(each.status, CallStatus::completed);
  }
}

TEST(Specialists, tells_the_agent_above_when_a_specialist_fails_or_would_go_in_a_circle) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const Agent broken{.name = "broken",
                     .model = model_from("test", "m", [](const Request&, const ModelCall&) {
                       return Result<Response>(fail(ErrorCode::overloaded, "Too much"));
                     })};
  // Two agents that name each other.
  const auto make_first = std::make_shared<std::function<Result<AgentPointer>()>>();
  const Specialist first{.name = "first", .make = [make_first] { return (*make_first)(); }};
  const auto second = agent_with("second", calling({call("first", R"({"message":"x"})", "1")}),
                                 {value_of(delegate_to(first, "The first"))});
  const auto agent = agent_with("first",
                                calling({call("broken", R"({"message":"x"})", "1"),
                                         call("second", R"({"message":"x"})", "2")}),
                                {delegate_to(broken), delegate_to(*second)});
  *make_first = [agent]() -> Result<AgentPointer> { return agent; };
  const RunResult answer = value_of(runtime->wait(value_of(runtime->start(agent, "Go"))));
  EXPECT_NE(answer.text.find("The specialist failed: Too much;"), std::string::npos) << answer.text;
  EXPECT_NE(answer.text.find("first is at work on this already"), std::string::npos) << answer.text;
  *make_first = {};
}

TEST(Specialists, gives_specialists_no_tools_but_their_own) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const Agent bare{.name = "bare", .model = calling({call("secret", "{}", "1")})};
  const auto agent = agent_with("above", calling({call("bare", R"({"message":"x"})", "1")}),
                                {delegate_to(bare), tool("secret", "", [] { return "leaked"; })});
  const RunResult answer = value_of(runtime->wait(value_of(runtime->start(agent, "Go"))));
  EXPECT_EQ(answer.text, "The specialist failed: bare called secret and has no tools;");
}

TEST(Specialists, hands_a_conversation_over) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const Agent second{.name = "second",
                     .instructions = "I am second",
                     .model = model_from("test", "m", [](const Request& request, const ModelCall&) {
                       EXPECT_EQ(request.system, "I am second");
                       EXPECT_EQ(request.messages.size(), 3U);
                       return Result<Response>(says("From the second"));
                     })};
  const auto agent =
      agent_with("first", calling({call("transfer_to_second", "{}", "1")}), {hand_off_to(second)});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  EXPECT_EQ(value_of(runtime->wait(id)).text, "From the second");
  EXPECT_EQ(store->get_session(id)->agent_name, "second");
}

// Asks a specialist, whose specialist asks a person, and does something else meanwhile.
AgentPointer agent_with_a_waiting_specialist(const Tool& meanwhile) {
  const Agent deep{.name = "deep", .model = calling({call("ask", "{}", "1")}), .tools = {asking()}};
  const Agent middle{.name = "middle",
                     .model = calling({call("deep", R"({"message":"Ask"})", "1")}),
                     .tools = {delegate_to(deep)}};
  return agent_with(
      "top", calling({call("middle", R"({"message":"Ask"})", "1"), call("meanwhile", "{}", "2")}),
      {delegate_to(middle), meanwhile});
}

// Waits until the session that asks is waiting, which its listeners are told.
PersonWait first_wait(Runtime& runtime, SessionId id) {
  std::promise<void> waiting;
  std::set<SessionId> sessions;
  const auto subscription = value_of(runtime.subscribe(id, 0, [&](const SessionEvent& event) {
    if (event.type != "run_waiting" || !sessions.insert(event.session_id).second) return;
    if (sessions.size() == 2) waiting.set_value();
  }));
  waiting.get_future().wait();
  const auto waits = value_of(runtime.store()->get_waits({.status = WaitStatus::open}));
  EXPECT_EQ(waits.size(), 1U);
  return {.wait_id = waits.front().id, .session_id = waits.front().session_id};
}

TEST(Specialists, goes_on_with_a_specialist_that_was_answered_while_the_session_above_is_busy) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch answered(1);
  const auto agent = agent_with_a_waiting_specialist(tool("meanwhile", "", [&] {
    answered.wait();
    return "busy";
  }));
  const SessionId id = value_of(runtime->start(agent, "Go"));
  const PersonWait wait = first_wait(*runtime, id);
  ASSERT_TRUE(runtime->answer(wait.wait_id, "blue", "Ada"));
  // The specialists end although the tool of the session above still runs.
  for (int bound = 0; bound < 1'000'000; ++bound) {
    if (store->get_session(id + 1)->status == SessionStatus::completed) break;
    std::this_thread::yield();
  }
  EXPECT_EQ(store->get_session(id)->status, SessionStatus::running);
  EXPECT_EQ(store->get_session(id + 1)->status, SessionStatus::completed);
  EXPECT_EQ(store->get_session(wait.session_id)->status, SessionStatus::completed);
  answered.count_down();
  EXPECT_EQ(value_of(runtime->wait(id)).text, "blue;;;busy;");
}

// The clock of the machine counts from its start.
TEST(Specialists, that_another_process_goes_on_with_have_worked_no_longer_than_they_did) {
  const auto began = std::chrono::steady_clock::now();
  const auto store = open_memory_store();
  const auto agent = agent_with_a_waiting_specialist(tool("meanwhile", "", [] { return "quick"; }));
  SessionId id = 0;
  {
    const auto runtime = open_runtime(*store);
    id = value_of(runtime->start(agent, "Go"));
    const PersonWait wait = first_wait(*runtime, id);
    EXPECT_EQ(value_of(runtime->wait(id)).waits.size(), 1U);
    value_of(store->answer_wait(wait.wait_id, {"blue", "Ada"}));
  }
  const auto runtime = open_runtime(*store);
  ASSERT_TRUE(runtime->resume(agent, id));
  value_of(runtime->wait(id));
  const std::chrono::duration<double, std::milli> all = std::chrono::steady_clock::now() - began;
  for (const SessionId session : {id, id + 1}) {
    for (const StoredCall& each : value_of(store->get_tool_calls(session))) {
      EXPECT_LE(each.execution_time_ms.value_or(0), all.count()) << each.tool_name;
    }
  }
}

TEST(Specialists, cancels_specialists_that_wait_with_the_session_above) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with_a_waiting_specialist(
      tool("meanwhile", "", [](const Context& context) -> Result<Json> {
        std::latch stopped(1);
        const std::stop_callback heed(context.stop, [&] { stopped.count_down(); });
        stopped.wait();
        return fail(ErrorCode::cancelled, "Stopped");
      }));
  const SessionId id = value_of(runtime->start(agent, "Go"));
  const PersonWait wait = first_wait(*runtime, id);
  ASSERT_TRUE(runtime->cancel(id, "Enough"));
  EXPECT_EQ(runtime->wait(id).error().code, ErrorCode::cancelled);
  for (const SessionId session : {id, id + 1, wait.session_id}) {
    EXPECT_EQ(store->get_session(session)->status, SessionStatus::cancelled) << session;
    for (const StoredCall& each : value_of(store->get_tool_calls(session))) {
      EXPECT_TRUE(each.completed_at.has_value());
    }
  }
  EXPECT_EQ(store->get_wait(wait.wait_id)->status, WaitStatus::cancelled);
}

TEST(Specialists, refuses_to_drive_a_specialists_session_a_second_time) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch begun(1);
  std::latch let_go(1);
  const Agent below{
      .name = "below", .model = calling({call("busy", "{}", "1")}), .tools = {tool("busy", "", [&] {
                                                                      begun.count_down();
                                                                      let_go.wait();
                                                                    })}};
  const auto above = agent_with("above", calling({call("below", R"({"message":"x"})", "1")}),
                                {delegate_to(below)});
  const SessionId id = value_of(runtime->start(above, "Go"));
  begun.wait();
  const Session child = value_of(store->list_sessions({.parent_session_id = id})).at(0);
  const auto refused = runtime->resume(std::make_shared<const Agent>(below), child.id);
  let_go.count_down();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(runtime->wait(id));
}

}  // namespace
}  // namespace wright
