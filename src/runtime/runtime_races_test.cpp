// Things that happen at the same moment, again and again: whoever comes first, nothing is lost.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/runtime_testing.h"
#include "store/forwarding_store.h"

namespace wright {
namespace {

using namespace testing;

constexpr int kRounds = 400;

TEST(RuntimeRaces, cancels_right_after_the_start) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto agent = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  for (int round = 0; round < kRounds; ++round) {
    const SessionId id = value_of(runtime->start(agent, "Go"));
    const auto cancelled = runtime->cancel(id, "Enough");
    ASSERT_TRUE(cancelled) << round << ": " << cancelled.error().message;
    EXPECT_FALSE(runtime->wait(id));
    EXPECT_EQ(store->get_session(id)->status, SessionStatus::cancelled) << round;
  }
}

// Whichever of the two wins, the session ends, and no call begins after the session was cancelled.
TEST(RuntimeRaces, cancels_while_a_person_answers) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> ran = 0;
  const auto approved = tool("write", "", [&] { ++ran; }, {.needs_approval = true});
  const auto agent = agent_with("writing", calling({call("write", "{}", "1")}), {approved});
  for (int round = 0; round < kRounds; ++round) {
    const SessionId id = value_of(runtime->start(agent, "Go"));
    const auto waiting = runtime->wait(id);
    ASSERT_TRUE(waiting && waiting->waits.size() == 1) << round;
    const WaitId wait = waiting->waits.front().wait_id;
    ran = 0;
    std::latch both(2);
    Result<StoredWait> answered = fail(ErrorCode::internal, "not tried");
    std::thread person([&] {
      both.arrive_and_wait();
      answered = runtime->answer(wait, to_json(Approval{.decision = Decision::once}), "person");
    });
    both.arrive_and_wait();
    const auto cancelled = runtime->cancel(id, "Enough");
    const int ran_by_then = ran;
    person.join();
    (void)runtime->wait(id);
    const auto status = store->get_session(id)->status;
    if (cancelled && status != SessionStatus::cancelled) {
      // It may have been about to end: all that was left was to say so.
      EXPECT_EQ(status, SessionStatus::completed) << round;
      EXPECT_EQ(ran_by_then, 1) << round << ": it went on after it was cancelled";
    } else if (!cancelled) {
      EXPECT_EQ(status, SessionStatus::completed) << round << ": " << cancelled.error().message;
      EXPECT_TRUE(answered) << round;
    }
    EXPECT_LE(ran, 1);
    if (!answered) EXPECT_EQ(ran, 0) << round;
  }
}

// Each of them finds the session waiting, and wants to go on with it.
TEST(RuntimeRaces, many_people_answer_questions_of_one_session) {
  constexpr std::size_t kPeople = 8;
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::vector<ToolCall> questions;
  std::vector<Tool> tools;
  std::string all_answers;
  for (std::size_t i = 0; i < kPeople; ++i) {
    const std::string number = std::to_string(i);
    questions.push_back(call("ask" + number, "{}", number));
    tools.push_back(asking("ask" + number));
    all_answers += "yes;";
  }
  const auto agent = agent_with("asking", calling(std::move(questions)), std::move(tools));
  for (int round = 0; round < kRounds / 4; ++round) {
    const SessionId id = value_of(runtime->start(agent, "Go"));
    const auto waiting = runtime->wait(id);
    ASSERT_TRUE(waiting && waiting->waits.size() == kPeople) << round;
    std::latch all(kPeople);
    std::vector<std::jthread> people;
    for (const PersonWait& each : waiting->waits) {
      people.emplace_back([&runtime, &all, round, wait = each.wait_id] {
        all.arrive_and_wait();
        EXPECT_TRUE(runtime->answer(wait, "yes", "person")) << round;
      });
    }
    people.clear();
    EXPECT_EQ(value_of(runtime->wait(id)).text, all_answers) << round;
  }
}

// Between the look at whether a session has what it waits for and going on with it, another does.
class LookedAtTooEarly final : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    const bool is_look = filter.needs_driver && filter.after && !has_looked_.exchange(true);
    if (is_look) before_look();
    auto found = ForwardingStore::list_sessions(filter);
    if (is_look) after_look();
    return found;
  }
  std::function<void()> before_look = [] {};
  std::function<void()> after_look = [] {};

 private:
  std::atomic<bool> has_looked_ = false;
};

TEST(RuntimeRaces, a_session_that_has_ended_since_it_was_looked_at_is_left_alone) {
  const auto memory = open_memory_store();
  LookedAtTooEarly store(*memory);
  const auto runtime = open_runtime(store);
  const auto agent = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  bool was_answered = false;
  std::latch has_ended(1);
  store.before_look = [&] {
    const auto open = memory->get_waits({.status = WaitStatus::open});
    was_answered =
        open && open->size() == 1 &&
        memory->answer_wait(open->front().id, {.answer = "yes", .answered_by = "person"});
  };
  store.after_look = [&] {
    EXPECT_TRUE(runtime->resume(agent, 1));
    while (runtime->running() > 0) std::this_thread::yield();
    has_ended.count_down();
  };
  const SessionId id = value_of(runtime->start(agent, "Go"));
  has_ended.wait();
  EXPECT_TRUE(was_answered);
  EXPECT_EQ(value_of(runtime->wait(id)).text, "yes;");
}

TEST(RuntimeRaces, listens_while_a_session_is_resumed) {
  const auto store = open_memory_store();
  const auto agent = agent_with("asking", calling({call("ask", "{}", "1")}), {asking()});
  for (int round = 0; round < kRounds / 4; ++round) {
    SessionId id = 0;
    WaitId wait = 0;
    {
      const auto runtime = open_runtime(*store);
      id = value_of(runtime->start(agent, "Go"));
      const auto waiting = runtime->wait(id);
      ASSERT_TRUE(waiting && !waiting->waits.empty());
      wait = waiting->waits.front().wait_id;
    }
    ASSERT_TRUE(store->answer_wait(wait, {.answer = "yes", .answered_by = "person"}));
    const auto runtime = open_runtime(*store);
    std::atomic<int> heard = 0;
    std::latch both(2);
    Result<Subscription> subscription = fail(ErrorCode::internal, "not tried");
    std::thread listener([&] {
      both.arrive_and_wait();
      subscription = runtime->subscribe(id, 0, [&](const SessionEvent&) { ++heard; });
    });
    both.arrive_and_wait();
    const auto resumed = runtime->resume(agent, id);
    listener.join();
    ASSERT_TRUE(resumed) << resumed.error().message;
    EXPECT_EQ(value_of(runtime->wait(id)).text, "yes;") << round;
  }
}

}  // namespace
}  // namespace wright
