#include "wright/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/runtime_testing.h"
#include "store/forwarding_store.h"
#include "wright/agent.h"

namespace wright {
namespace {

using testing::agent_with;
using testing::asking;
using testing::call;
using testing::calling;
using testing::lasting;
using testing::open_runtime;
using testing::says;
using testing::ScriptedModel;
using testing::value_of;

TEST(Runtime, answers_many_sessions_at_once) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with("echoing", calling({call("echo", "{}", "1")}),
                                {tool("echo", "", [] { return "echoed"; })});
  std::vector<SessionId> ids;
  for (int i = 0; i < 200; ++i) ids.push_back(value_of(runtime->start(agent, "Go")));
  for (const SessionId id : ids) {
    const RunResult answer = value_of(runtime->wait(id));
    EXPECT_EQ(answer.text, "echoed;");
    EXPECT_EQ(store->get_session(id)->status, SessionStatus::completed);
  }
  EXPECT_EQ(runtime->running(), 0U);
}

TEST(Runtime, waits_no_longer_than_it_is_told) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch has_begun{1};
  const auto agent = agent_with("lasting", calling({call("forever", "{}", "1")}),
                                {lasting([&] { has_begun.count_down(); })});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  has_begun.wait();
  const auto waited = runtime->wait(id, std::chrono::milliseconds(1));
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::timeout);
  EXPECT_TRUE(runtime->cancel(id));
  const auto ended = runtime->wait(id, std::chrono::minutes(5));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::cancelled);
}

TEST(Runtime, refuses_an_agent_that_cannot_run) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  EXPECT_FALSE(runtime->start(std::make_shared<const Agent>(), "Hi"));
  EXPECT_FALSE(runtime->start(nullptr, "Hi"));
  EXPECT_EQ(runtime->running(), 0U);
}

TEST(Runtime, runs_the_calls_of_a_turn_beside_each_other_and_keeps_their_order) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::barrier meeting(3);  // nobody passes before all three are there
  const Tool meet = tool("meet", "", [&](const Context& context) {
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
  const auto enter = [&](const Context& context) {
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
  const auto refused = second->resume(agent, id);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << refused.error().message;
  EXPECT_FALSE(first->resume(agent, id));
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

// With hours to end and to stop, a call that does neither by itself would be waited for.
TEST(Runtime, stops_calls_within_the_time_that_draining_may_take) {
  const auto store = open_memory_store();
  const auto runtime =
      value_of(Runtime::open({.store = store.get(), .grace = std::chrono::hours(10)}));
  std::latch has_begun(1);
  const auto agent = agent_with("hanging", calling({call("forever")}),
                                {lasting([&] { has_begun.count_down(); })});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  has_begun.wait();
  runtime->drain(std::chrono::milliseconds(100));
  EXPECT_EQ(value_of(store->get_session(id)).status, SessionStatus::running);
  EXPECT_FALSE(value_of(store->get_session(id)).runner_id) << "whoever wants to may go on with it";
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
  ASSERT_TRUE(runtime->send(agent, id, "Two"));
  while (runtime->running() > 0) std::this_thread::yield();  // its answer is there before we ask
  EXPECT_EQ(value_of(runtime->wait(id)).text, "3");
  EXPECT_EQ(store->get_messages(id)->size(), 4U);
  EXPECT_FALSE(runtime->resume(agent, id));
}

// What a listener has heard so far.
class Heard {
 public:
  Listener listener() {
    return [this](const SessionEvent& event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(event);
      changed_.notify_all();
    };
  }
  // Waits until there are so many.
  std::vector<std::string> types(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return events_.size() >= count; });
    std::vector<std::string> types;
    for (const SessionEvent& event : events_) types.push_back(event.type);
    return types;
  }
  std::uint64_t number(std::size_t index) {
    const std::lock_guard lock(mutex_);
    return events_.at(index).sequence;
  }
  bool is_in_order() {
    const std::lock_guard lock(mutex_);
    return std::ranges::is_sorted(events_, {}, &SessionEvent::sequence);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<SessionEvent> events_;
};

TEST(Runtime, tells_its_events_in_order_and_again_to_those_who_come_late) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch may_end(1);
  const auto agent =
      agent_with("asking", calling({call("slow", "{}", "1"), call("ask", "{}", "2")}),
                 {asking(), tool("slow", "", [&] { may_end.wait(); }, {.effect = Effect::read})});
  const SessionId id = value_of(runtime->start(agent, "Go"));
  Heard first;
  const Subscription all = value_of(runtime->subscribe(id, 0, first.listener()));
  first.types(6);  // the second call waits, the first one runs
  Heard late;
  const Subscription rest = value_of(runtime->subscribe(id, first.number(1), late.listener()));
  EXPECT_EQ(late.types(4).front(), "model_ended");
  may_end.count_down();
  const WaitId wait = value_of(runtime->wait(id)).waits.at(0).wait_id;
  EXPECT_EQ(first.types(8).back(), "run_waiting");
  // What happened before it waited is in the store.
  Heard waiting;
  const Subscription again = value_of(runtime->subscribe(id, 0, waiting.listener()));
  EXPECT_EQ(waiting.types(2), (std::vector<std::string>{"message", "message"}));
  ASSERT_TRUE(runtime->answer(wait, Json("blue"), "Ada"));
  ASSERT_TRUE(runtime->wait(id));
  EXPECT_EQ(first.types(9).back(), "run_ended");
  EXPECT_EQ(waiting.types(3).back(), "run_ended");
  EXPECT_TRUE(first.is_in_order());
}

TEST(Runtime, is_not_harmed_by_listeners_that_throw_or_never_come_back) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::latch may_end(1);
  std::latch may_speak(1);
  const auto agent =
      agent_with("patient",
                 model_from("test", "patient",
                            [&](const Request&, const ModelCall&) -> Result<Response> {
                              may_speak.wait();
                              return says("Hi");
                            }),
                 {});
  const SessionId one = value_of(runtime->start(agent, "Go"));
  const SessionId two = value_of(runtime->start(agent, "Go"));
  {
    const auto stuck = runtime->subscribe(one, 0, [&](const SessionEvent&) { may_end.wait(); });
    const auto throwing = runtime->subscribe(
        two, 0, [](const SessionEvent&) { throw std::runtime_error("I do not like it"); });
    may_speak.count_down();
    EXPECT_EQ(value_of(runtime->wait(one)).text, "Hi");
    EXPECT_EQ(value_of(runtime->wait(two)).text, "Hi");
    may_end.count_down();
  }
}

TEST(Runtime, shows_one_observer_all_sessions_with_their_origin) {
  const auto store = open_memory_store();
  std::mutex mutex;
  std::map<std::string, int> ended;  // by agent and depth
  const auto runtime = value_of(Runtime::open(
      {.store = store.get(), .observer = [&](const Event& event, const EventOrigin& origin) {
         if (!std::holds_alternative<RunEnded>(event)) return;
         const std::lock_guard lock(mutex);
         ++ended[std::string(origin.agent) + std::to_string(origin.depth)];
         EXPECT_EQ(origin.parent_session_id.has_value(), origin.depth > 0);
         EXPECT_GT(origin.time_ms, 0);
       }}));
  Agent expert{.name = "expert", .model = ScriptedModel({says("Yes"), says("Yes")}).model()};
  const auto agent = agent_with("asking", calling({call("expert", R"({"message":"?"})", "1")}),
                                {delegate_to(expert)});
  const SessionId one = value_of(runtime->start(agent, "Go"));
  const SessionId two = value_of(runtime->start(agent, "Go"));
  ASSERT_TRUE(runtime->wait(one));
  ASSERT_TRUE(runtime->wait(two));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(ended, (std::map<std::string, int>{{"asking0", 2}, {"expert1", 2}}));
}

TEST(Runtime, cancels_whatever_a_session_does) {
  const auto store = open_memory_store();
  const auto agent = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  {
    const auto runtime = open_runtime(*store);
    const SessionId waiting = value_of(runtime->start(agent, "Go"));
    ASSERT_TRUE(runtime->wait(waiting));
    ASSERT_TRUE(runtime->cancel(waiting, "Enough"));
    EXPECT_FALSE(runtime->wait(waiting));
    EXPECT_EQ(store->get_session(waiting)->status, SessionStatus::cancelled);
    EXPECT_FALSE(runtime->cancel(waiting, "Again"));  // it has ended
  }
  SessionId elsewhere = 0;
  {
    const auto runtime = open_runtime(*store);
    elsewhere = value_of(runtime->start(agent, "Go"));
    ASSERT_TRUE(runtime->wait(elsewhere));
  }
  // Another process, which knows no agents.
  const auto runtime = open_runtime(*store);
  ASSERT_TRUE(runtime->cancel(elsewhere, "Enough"));
  EXPECT_EQ(store->get_session(elsewhere)->status, SessionStatus::cancelled);
  EXPECT_EQ(store->get_waits({.session_id = elsewhere})->front().status, WaitStatus::cancelled);
  const SessionId queued = value_of(
      store->create_session({.agent_name = "asking", .user_prompt = "Go", .is_queued = true}));
  ASSERT_TRUE(runtime->cancel(queued, "Enough"));
  EXPECT_EQ(store->get_session(queued)->status, SessionStatus::cancelled);
}

TEST(Runtime, cancels_what_another_process_drives) {
  const auto store = open_memory_store();
  const auto here = open_runtime(*store);
  const auto there = open_runtime(*store);
  std::latch has_begun(1);
  const auto agent = agent_with("busy", calling({call("forever", "{}", "1")}),
                                {lasting([&] { has_begun.count_down(); })});
  const SessionId id = value_of(there->start(agent, "Go"));
  has_begun.wait();
  ASSERT_TRUE(here->cancel(id, "From afar"));
  const auto answer = there->wait(id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "From afar");
}

TEST(Runtime, takes_sessions_from_the_queue) {
  const auto store = open_memory_store();
  const auto agent = agent_with("quick", ScriptedModel({says("One"), says("Two")}).model(), {});
  const auto runtime = value_of(
      Runtime::open({.store = store.get(),
                     .agents = [&](const Session&) -> Result<AgentPointer> { return agent; }}));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(
        store->create_session({.agent_name = "quick", .user_prompt = "Go", .is_queued = true}));
  }
  const auto claimed = value_of(runtime->claim(5));
  ASSERT_EQ(claimed.size(), 2U);
  for (const SessionId id : claimed) EXPECT_TRUE(runtime->wait(id));
  EXPECT_TRUE(value_of(runtime->claim(5)).empty());
}

TEST(Runtime, puts_back_what_it_cannot_drive) {
  const auto store = open_memory_store();
  const auto agent =
      agent_with("known", ScriptedModel({says("1"), says("2"), says("3")}).model(), {});
  const auto queue = [&](const char* name, std::vector<std::string> labels = {}) {
    return value_of(store->create_session(
        {.agent_name = name, .user_prompt = "Go", .is_queued = true, .labels = std::move(labels)}));
  };
  const SessionId foreign = queue("foreign");
  const SessionId elsewhere = queue("known", {"elsewhere"});
  const SessionId known = queue("known");
  const auto open = [&](std::vector<std::string> labels, std::string only) {
    return value_of(
        Runtime::open({.store = store.get(),
                       .agents = [agent, only](const Session& session) -> Result<AgentPointer> {
                         if (session.agent_name == only) return agent;
                         return fail(ErrorCode::not_found, "Not here");
                       },
                       .labels = std::move(labels)}));
  };
  const auto here = open({}, "known");
  EXPECT_EQ(value_of(here->claim(9)), std::vector<SessionId>{known});
  const Session back = value_of(store->get_session(foreign));
  EXPECT_EQ(back.status, SessionStatus::queued);
  EXPECT_EQ(back.runner_id, std::nullopt);
  EXPECT_EQ(back.lease_epoch, 1);
  EXPECT_TRUE(value_of(here->claim(9)).empty());
  EXPECT_EQ(value_of(store->get_session(foreign)).lease_epoch, 1) << "it is left to others";
  const auto there = open({"elsewhere"}, "foreign");
  EXPECT_EQ(value_of(there->claim(9)), std::vector<SessionId>{foreign});
  EXPECT_TRUE(there->wait(foreign));
  const auto also_there = open({"elsewhere"}, "known");
  EXPECT_EQ(value_of(also_there->claim(9)), std::vector<SessionId>{elsewhere});
  EXPECT_TRUE(also_there->wait(elsewhere));
}

TEST(Runtime, goes_on_with_what_was_answered_while_nobody_drove_it) {
  const auto store = open_memory_store();
  const auto agent = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  SessionId id = 0;
  {
    const auto runtime = open_runtime(*store);
    id = value_of(runtime->start(agent, "Go"));
    const WaitId wait = value_of(runtime->wait(id)).waits.at(0).wait_id;
    // The process that takes the answer ends before it can go on.
    ASSERT_TRUE(answer_wait(*store, wait, Json("blue"), "Ada"));
  }
  const auto runtime = value_of(
      Runtime::open({.store = store.get(),
                     .agents = [&](const Session&) -> Result<AgentPointer> { return agent; }}));
  EXPECT_EQ(value_of(runtime->resume_abandoned()), std::vector<SessionId>{id});
  EXPECT_EQ(value_of(runtime->wait(id)).text, "blue;");
}

// After a crash of many processes there may be very many.
TEST(Runtime, takes_abandoned_sessions_page_by_page) {
  class Watched final : public store::ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
      if (filter.needs_driver) most = std::max(most.load(), filter.limit);
      return ForwardingStore::list_sessions(filter);
    }
    std::atomic<std::size_t> most = 0;
  };
  constexpr std::size_t kAbandoned = 450;
  const auto kept = open_memory_store();
  Watched store(*kept);
  const auto agent = agent_with(
      "plain",
      model_from("p", "m",
                 [](const Request&, const ModelCall&) -> Result<Response> { return says("Done"); }),
      {});
  for (std::size_t i = 0; i < kAbandoned; ++i) {
    const SessionId id = value_of(store.create_session(
        {.agent_name = "plain", .provider = "p", .model = "m", .user_prompt = "Go"}));
    value_of(store.create_message(id, Role::user, "Go"));
  }
  const auto runtime = value_of(Runtime::open(
      {.store = &store, .agents = [&](const Session&) -> Result<AgentPointer> { return agent; }}));
  EXPECT_EQ(value_of(runtime->resume_abandoned(3)).size(), 3U);
  std::vector<SessionId> rest = value_of(runtime->resume_abandoned());
  EXPECT_EQ(rest.size(), kAbandoned - 3);
  std::ranges::sort(rest);
  EXPECT_EQ(std::ranges::adjacent_find(rest), rest.end());
  for (const SessionId id : rest) EXPECT_EQ(value_of(runtime->wait(id)).text, "Done");
  EXPECT_LT(store.most, kAbandoned) << "never all of them at once";
}

}  // namespace
}  // namespace wright
