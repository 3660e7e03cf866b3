#include "core/timer_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace wright {
namespace {

using std::chrono::seconds;

TEST(TimerQueue, gives_tasks_in_the_order_of_their_times) {
  TimerQueue queue;
  std::string said;
  const TimerQueue::Time start{};
  EXPECT_FALSE(queue.first());
  for (const char letter : std::string("cab")) {
    queue.add(start + seconds(letter), [&said, letter] { said += letter; });
  }
  queue.add(start + seconds('b'), [&said] { said += 'B'; });  // after the one of the same time
  EXPECT_EQ(queue.first(), start + seconds('a'));
  while (queue.first()) queue.take_first()();
  EXPECT_EQ(said, "abBc");
}

TEST(TimerQueue, forgets_what_was_removed_and_mixes_nothing_up) {
  TimerQueue queue;
  int alive = 0;
  const auto counted = [&alive] {
    ++alive;
    return std::shared_ptr<int>(&alive, [](int* count) { --*count; });
  };
  EXPECT_FALSE(TimerQueue::Timer());
  EXPECT_FALSE(queue.remove({}));
  std::vector<TimerQueue::Timer> timers;
  for (int round = 0; round < 3; ++round) {
    timers.clear();
    for (int i = 0; i < 100; ++i) {
      timers.push_back(queue.add(TimerQueue::Time(seconds(i)), [kept = counted()] {}));
      EXPECT_TRUE(timers.back());
    }
    EXPECT_EQ(alive, 100);
    for (const TimerQueue::Timer& timer : timers) {
      EXPECT_TRUE(queue.remove(timer));
      EXPECT_FALSE(queue.remove(timer));
    }
    EXPECT_EQ(alive, 0);
    EXPECT_FALSE(queue.first());
  }
}

}  // namespace
}  // namespace wright
