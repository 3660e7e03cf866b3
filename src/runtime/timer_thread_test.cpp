#include "runtime/timer_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <vector>

namespace wright::runtime {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(TimerThread, runs_what_is_due_earlier_than_what_it_sleeps_for) {
  TimerThread timers;
  const auto now = steady_clock::now();
  std::promise<void> asleep;
  timers.run_at(now, [&] { asleep.set_value(); });
  asleep.get_future().wait();
  timers.run_at(now + hours(2), [] { FAIL() << "it is not due"; });
  timers.run_at(now + hours(3), [] { FAIL() << "it is not due"; });
  std::promise<void> done;
  timers.run_at(now + milliseconds(5), [&] { done.set_value(); });
  done.get_future().wait();
  timers.end();
}

TEST(TimerThread, runs_what_comes_after_everything_was_cancelled) {
  TimerThread timers;
  for (int round = 0; round < 200; ++round) {
    const auto now = steady_clock::now();
    const Host::Timer later = timers.run_at(now + hours(1), [] { FAIL() << "it was cancelled"; });
    const Host::Timer latest = timers.run_at(now + hours(2), [] { FAIL() << "it was cancelled"; });
    timers.cancel(later);
    std::promise<void> done;
    timers.run_at(now, [&] { done.set_value(); });
    done.get_future().wait();
    timers.cancel(latest);
  }
  timers.end();
}

TEST(TimerThread, runs_tasks_in_the_order_of_their_times) {
  TimerThread timers;
  const auto now = steady_clock::now();
  std::vector<int> order;
  std::promise<void> done;
  timers.run_at(now + milliseconds(30), [&] {
    order.push_back(3);
    done.set_value();
  });
  timers.run_at(now + milliseconds(20), [&] { order.push_back(2); });
  timers.run_at(now + milliseconds(10), [&] { order.push_back(1); });
  done.get_future().wait();
  timers.end();
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

}  // namespace
}  // namespace wright::runtime
