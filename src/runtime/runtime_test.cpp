#include "wright/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <future>
#include <latch>
#include <set>
#include <stop_token>
#include <thread>

#include "wright/ask_user.h"
#include "wright/specialist.h"
#include "wright/testing.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;
using testing::ScriptedModel;

template <class T>
T value_of(Result<T> result) {
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(*result) : T{};
}

std::unique_ptr<Runtime> open_runtime(Store& store) {
  return value_of(Runtime::open({.store = &store, .grace = std::chrono::milliseconds(50)}));
}

// Answers the first message of a conversation with these calls, and the results with their texts.
Model calling(std::vector<ToolCall> wanted) {
  return model_from("test", "calling",
                    [wanted](const Request& request, const ModelCall&) -> Result<Response> {
                      if (request.messages.back().role == Role::user) return calls(wanted);
                      std::string text;
                      for (const Message& message : request.messages) {
                        for (const Part& part : message.parts) {
                          if (const auto* result = std::get_if<ToolResult>(&part))
                            text += result->content + ";";
                        }
                      }
                      return says(text);
                    });
}

AgentPointer agent_with(std::string name, Model model, std::vector<Tool> tools) {
  return std::make_shared<const Agent>(
      Agent{.name = std::move(name), .model = std::move(model), .tools = std::move(tools)});
}

Tool asking(std::string name = "ask") {
  return tool(std::move(name), "Asks", [](Context& context) -> Result<Json> {
    if (context.answers.answer) return *context.answers.answer;
    return wait_for_person(JsonObject{{"kind", "result"}, {"question", "Well?"}});
  });
}

TEST(Runtime, answers_many_sessions_at_once) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with("echoing", calling({call("echo", "{}", "1")}),
                                {tool("echo", "", [] { return "echoed"; })});
  std::vector<SessionId> ids;
  for (int i = 0; i < 200; ++i) ids.push_back(value_of(runtime->start(agent, "Go")));
  for (const SessionId id : ids) {
    const Answer answer = value_of(runtime->wait(id));
    EXPECT_EQ(answer.text, "echoed;");
    EXPECT_EQ(store->get_session(id)->status, SessionStatus::completed);
  }
  EXPECT_EQ(runtime->running(), 0U);
}

TEST(Runtime, refuses_an_agent_that_cannot_run) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  EXPECT_FALSE(runtime->start(std::make_shared<const Agent>(), "Hi"));
  EXPECT_EQ(runtime->running(), 0U);
}

TEST(Runtime, runs_the_calls_of_a_turn_beside_each_other_and_keeps_their_order) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::barrier meeting(3);  // nobody passes before all three are there
  const Tool meet = tool("meet", "", [&](Context& context) {
    meeting.arrive_and_wait();
    return std::string(context.call_id);
  });
  const auto agent = agent_with(
      "meeting",
      calling({call("meet", "{}", "a"), call("meet", "{}", "b"), call("meet", "{}", "c")}), {meet});
  EXPECT_EQ(value_of(runtime->wait(value_of(runtime->start(agent, "Go")))).text, "a;b;c;");
}

TEST(Runtime, runs_serial_calls_alone_and_in_order) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> inside = 0;
  std::string order;
  const auto enter = [&](Context& context) {
    EXPECT_EQ(++inside, 1);
    order += std::string(context.call_id);
    std::this_thread::yield();
    --inside;
  };
  const auto agent = agent_with(
      "serial", calling({call("one", "{}", "a"), call("one", "{}", "b"), call("one", "{}", "c")}),
      {tool("one", "", enter, {.concurrency = Concurrency::serial})});
  ASSERT_TRUE(runtime->wait(value_of(runtime->start(agent, "Go"))));
  EXPECT_EQ(order, "abc");
}

TEST(Runtime, runs_one_exclusive_call_at_a_time_among_all_sessions) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> inside = 0;
  std::atomic<int> ran = 0;
  const auto enter = [&] {
    EXPECT_EQ(++inside, 1);
    ++ran;
    std::this_thread::yield();
    --inside;
  };
  const auto agent = agent_with("exclusive", calling({call("one", "{}", "a")}),
                                {tool("one", "", enter, {.concurrency = Concurrency::exclusive})});
  std::vector<SessionId> ids;
  for (int i = 0; i < 30; ++i) ids.push_back(value_of(runtime->start(agent, "Go")));
  for (const SessionId id : ids) EXPECT_TRUE(runtime->wait(id));
  EXPECT_EQ(ran, 30);
}

TEST(Runtime, cancels_a_session_with_its_tools_and_specialists) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch begun(1);
  const Tool forever = tool("forever", "", [&](Context& context) {
    begun.count_down();
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, context.stop, [] { return false; });
  });
  const Agent below{
      .name = "below", .model = calling({call("forever", "{}", "1")}), .tools = {forever}};
  const auto above = agent_with("above", calling({call("below", R"({"message":"Go"})", "1")}),
                                {delegate_to(below)});
  const SessionId id = value_of(runtime->start(above, "Go"));
  begun.wait();
  ASSERT_TRUE(runtime->cancel(id, "Enough"));
  const auto answer = runtime->wait(id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::cancelled);
  EXPECT_EQ(answer.error().message, "Enough");
  for (const Session& session : value_of(store->list_sessions({}))) {
    EXPECT_EQ(session.status, SessionStatus::cancelled) << session.agent_name;
  }
}

TEST(Runtime, gives_up_a_tool_that_does_not_heed_a_cancellation) {
  const auto store = open_memory_store();
  std::latch begun(1);
  std::latch let_go(1);
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with("deaf", calling({call("deaf", "{}", "1")}), {tool("deaf", "", [&] {
                                  begun.count_down();
                                  let_go.wait();
                                })});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  begun.wait();
  ASSERT_TRUE(runtime->cancel(id));
  EXPECT_FALSE(runtime->wait(id));
  EXPECT_EQ(store->get_tool_calls(id)->front().status, CallStatus::unknown);
  EXPECT_EQ(store->get_session(id)->status, SessionStatus::cancelled);
  let_go.count_down();
}

TEST(Runtime, has_specialists_answer_in_sessions_of_their_own) {
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

TEST(Runtime, tells_the_agent_above_when_a_specialist_fails_or_would_go_in_a_circle) {
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
  const Answer answer = value_of(runtime->wait(value_of(runtime->start(agent, "Go"))));
  EXPECT_NE(answer.text.find("The specialist failed: Too much;"), std::string::npos) << answer.text;
  EXPECT_NE(answer.text.find("first is at work on this already"), std::string::npos) << answer.text;
  *make_first = {};
}

TEST(Runtime, gives_specialists_no_tools_but_their_own) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const Agent bare{.name = "bare", .model = calling({call("secret", "{}", "1")})};
  const auto agent = agent_with("above", calling({call("bare", R"({"message":"x"})", "1")}),
                                {delegate_to(bare), tool("secret", "", [] { return "leaked"; })});
  const Answer answer = value_of(runtime->wait(value_of(runtime->start(agent, "Go"))));
  EXPECT_EQ(answer.text, "The specialist failed: bare called secret and has no tools;");
}

TEST(Runtime, hands_a_conversation_over) {
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

TEST(Runtime, parks_until_somebody_answers_and_keeps_the_other_results) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> counted = 0;
  const auto agent =
      agent_with("asking", calling({call("ask", "{}", "1"), call("count", "{}", "2")}),
                 {asking(), tool("count", "", [&] { return ++counted; })});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  const Answer parked = value_of(runtime->wait(id));
  ASSERT_EQ(parked.status, Answer::Status::waiting);
  ASSERT_EQ(parked.waits.size(), 1U);
  EXPECT_EQ(store->get_session(id)->status, SessionStatus::waiting);
  EXPECT_EQ(runtime->running(), 0U);
  ASSERT_TRUE(runtime->answer(parked.waits[0].wait_id, Json("blue"), "Ada"));
  EXPECT_EQ(value_of(runtime->wait(id)).text, "blue;1;");
  EXPECT_EQ(counted, 1);
  const auto again = runtime->answer(parked.waits[0].wait_id, Json("red"), "Bob");
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("Ada"), std::string::npos) << again.error().message;
}

TEST(Runtime, lets_one_of_many_answers_win) {
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

TEST(Runtime, waits_at_any_depth_and_goes_on_in_another_process) {
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
    const Answer parked = value_of(runtime->wait(id));
    ASSERT_EQ(parked.waits.size(), 1U);
    wait = parked.waits[0].wait_id;
    EXPECT_NE(parked.waits[0].session_id, id);
  }
  EXPECT_EQ(value_of(store->get_waits({.session_id = id})).size(), 1U);
  const auto later = value_of(
      Runtime::open({.store = store.get(),
                     .agents = [&](const Session&) -> Result<AgentPointer> { return agent; }}));
  ASSERT_TRUE(later->answer(wait, Json("blue"), "Ada"));
  EXPECT_EQ(value_of(later->wait(id)).text, "counted;blue;counted;;;");
  EXPECT_EQ(counted, 2);
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

// Waits until the session that asks has parked, which its listeners are told.
PersonWait first_wait(Runtime& runtime, SessionId id) {
  std::promise<void> parked;
  std::set<SessionId> sessions;
  const auto subscription = value_of(runtime.subscribe(id, 0, [&](const SessionEvent& event) {
    if (event.type != "run_parked" || !sessions.insert(event.session_id).second) return;
    if (sessions.size() == 2) parked.set_value();
  }));
  parked.get_future().wait();
  const auto waits = value_of(runtime.store().get_waits({.status = WaitStatus::open}));
  EXPECT_EQ(waits.size(), 1U);
  return {.wait_id = waits.front().id, .session_id = waits.front().session_id};
}

TEST(Runtime, goes_on_with_a_specialist_that_was_answered_while_the_session_above_is_busy) {
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

TEST(Runtime, cancels_specialists_that_wait_with_the_session_above) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent =
      agent_with_a_waiting_specialist(tool("meanwhile", "", [](Context& context) -> Result<Json> {
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

TEST(Runtime, ends_a_wait_when_its_time_is_over) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const Tool ask = tool("ask", "", []() -> Result<Json> {
    return wait_for_person(JsonObject{{"kind", "result"}, {"timeout_secs", 1}});
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
  ASSERT_EQ(value_of(runtime->wait(id)).status, Answer::Status::waiting);
  answered.wait();
  EXPECT_EQ(value_of(runtime->wait(id)).text, "Without you");
  EXPECT_EQ(value_of(store->get_waits({.session_id = id})).at(0).status, WaitStatus::expired);
}

TEST(Runtime, says_at_once_that_nobody_is_there) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  const SessionId id = value_of(runtime->start(agent, "Go", {.people = People::nobody}));
  const Answer answer = value_of(runtime->wait(id));
  EXPECT_EQ(answer.status, Answer::Status::completed);
  EXPECT_EQ(answer.text.find("Nobody is there"), 0U) << answer.text;
}

TEST(Runtime, hides_passwords_in_what_it_stores) {
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
  const Answer answer = value_of(runtime->wait(id));
  EXPECT_NE(answer.text.find("41"), std::string::npos) << answer.text;
  EXPECT_EQ(answer.text.find("hunter2"), std::string::npos) << answer.text;
  EXPECT_EQ(to_text(*store->get_wait(wait)->answer).find("hunter2"), std::string::npos);
}

TEST(Runtime, refuses_a_session_that_another_one_drives) {
  const auto store = open_memory_store();
  const auto first = open_runtime(*store);
  const auto second = open_runtime(*store);
  std::latch begun(1);
  std::latch let_go(1);
  const auto agent = agent_with("busy", calling({call("busy", "{}", "1")}), {tool("busy", "", [&] {
                                  begun.count_down();
                                  let_go.wait();
                                })});
  const SessionId id = value_of(first->start(agent, "Go"));
  begun.wait();
  const auto refused = second->resume(id, agent);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << refused.error().message;
  EXPECT_FALSE(first->resume(id, agent));
  let_go.count_down();
  EXPECT_TRUE(first->wait(id));
}

TEST(Runtime, suspends_what_runs_when_it_ends_and_the_next_one_resumes_it) {
  const auto store = open_memory_store();
  std::atomic<int> asked = 0;
  std::latch begun(1);
  const auto agent =
      agent_with("slow",
                 model_from("test", "m",
                            [&](const Request&, const ModelCall& call) -> Result<Response> {
                              if (++asked > 1) return says("Done");
                              begun.count_down();
                              std::mutex mutex;
                              std::condition_variable_any stopped;
                              std::unique_lock lock(mutex);
                              stopped.wait(lock, call.stop, [] { return false; });
                              return fail(ErrorCode::cancelled, "stopped");
                            }),
                 {});
  SessionId id = 0;
  {
    const auto runtime = open_runtime(*store);
    id = value_of(runtime->start(agent, "Go"));
    begun.wait();
  }
  EXPECT_EQ(store->get_session(id)->status, SessionStatus::running);
  EXPECT_EQ(value_of(store->list_sessions({.is_abandoned = true})).size(), 1U);
  const auto later = value_of(
      Runtime::open({.store = store.get(),
                     .agents = [&](const Session&) -> Result<AgentPointer> { return agent; }}));
  EXPECT_EQ(value_of(later->resume_abandoned()), std::vector{id});
  EXPECT_EQ(value_of(later->wait(id)).text, "Done");
}

TEST(Runtime, takes_the_next_message_to_a_session) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with(
      "chat",
      model_from("test", "m",
                 [](const Request& request, const ModelCall&) {
                   return Result<Response>(says(std::to_string(request.messages.size())));
                 }),
      {});
  const SessionId id = value_of(runtime->start(agent, "One"));
  EXPECT_EQ(value_of(runtime->wait(id)).text, "1");
  ASSERT_TRUE(runtime->send(id, agent, "Two"));
  EXPECT_EQ(value_of(runtime->wait(id)).text, "3");
  EXPECT_EQ(store->get_messages(id)->size(), 4U);
  EXPECT_FALSE(runtime->resume(id, agent));
}

TEST(Runtime, stops_before_a_call_that_could_pass_the_budget_of_the_tree) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> asked = 0;
  const Agent below{.name = "below",
                    .model = model_from("test", "m", [&](const Request&, const ModelCall&) {
                      ++asked;
                      Response response = says("ok");
                      response.usage = {.input_tokens = 100, .output_tokens = 100};
                      return Result<Response>(std::move(response));
                    })};
  Agent top{.name = "top",
            .model = calling({call("below", R"({"message":"x"})", "1")}),
            .tools = {delegate_to(below)}};
  top.limits.max_tokens = 4150;  // room for one answer of 4,000 at a time, and for one specialist
  const SessionId id = value_of(runtime->start(std::make_shared<const Agent>(top), "Go"));
  const auto answer = runtime->wait(id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
  EXPECT_NE(answer.error().message.find("4150 tokens"), std::string::npos)
      << answer.error().message;
  EXPECT_EQ(asked, 1);
}

TEST(Runtime, ends_a_run_that_takes_too_long) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const Tool forever = tool("forever", "", [&](Context& context) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, context.stop, [] { return false; });
  });
  Agent agent{.name = "slow", .model = calling({call("forever", "{}", "1")}), .tools = {forever}};
  agent.limits.max_time = std::chrono::milliseconds(20);
  const auto answer =
      runtime->wait(value_of(runtime->start(std::make_shared<const Agent>(agent), "Go")));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
  EXPECT_NE(answer.error().detail.find("\"time\""), std::string::npos);
}

TEST(Runtime, tells_its_events_in_order_and_again_to_those_who_come_late) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  const WaitId wait = value_of(runtime->wait(id)).waits.at(0).wait_id;
  std::mutex mutex;
  std::vector<std::string> types;
  std::vector<std::uint64_t> numbers;
  const auto listen = [&](const SessionEvent& event) {
    const std::lock_guard lock(mutex);
    types.push_back(event.type);
    numbers.push_back(event.sequence);
  };
  {
    const Subscription all = value_of(runtime->subscribe(id, 0, listen));
    EXPECT_EQ(types, (std::vector<std::string>{"session_started", "model_started", "model_ended",
                                               "tool_started", "tool_ended", "run_parked"}));
  }
  const std::uint64_t seen = numbers.at(3);
  types.clear();
  numbers.clear();
  const Subscription rest = value_of(runtime->subscribe(id, seen, listen));
  EXPECT_EQ(types, (std::vector<std::string>{"tool_ended", "run_parked"}));
  ASSERT_TRUE(runtime->answer(wait, Json("blue"), "Ada"));
  ASSERT_TRUE(runtime->wait(id));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(types.back(), "run_ended");
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
}

TEST(Runtime, ends_the_calls_of_an_answer_that_came_after_the_cancellation) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch asked(1);
  std::latch let_go(1);
  const auto agent =
      agent_with("late",
                 model_from("test", "m",
                            [&](const Request&, const ModelCall&) {
                              asked.count_down();
                              let_go.wait();
                              return Result<Response>(calls({call("never", "{}", "1")}));
                            }),
                 {tool("never", "", [] { ADD_FAILURE() << "it ran"; })});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  asked.wait();
  ASSERT_TRUE(runtime->cancel(id, "Enough"));
  let_go.count_down();
  const auto answer = runtime->wait(id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::cancelled) << answer.error().message;
  const StoredCall row = value_of(store->get_tool_calls(id)).at(0);
  EXPECT_EQ(row.status, CallStatus::cancelled);
  EXPECT_EQ(row.error_details, "Cancelled: Enough");
}

TEST(Runtime, refuses_to_drive_a_specialists_session_a_second_time) {
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
  const auto refused = runtime->resume(child.id, std::make_shared<const Agent>(below));
  let_go.count_down();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(runtime->wait(id));
}

}  // namespace
}  // namespace wright
