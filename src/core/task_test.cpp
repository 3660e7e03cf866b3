#include "core/task.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <utility>

namespace wright {
namespace {

// One that needs no memory of its own, and one that does.
template <std::size_t kBytes>
void lives_once() {
  const auto counted = std::make_shared<int>(0);
  {
    Task task([counted, ballast = std::array<char, kBytes>{}] { *counted += 1 + ballast[0]; });
    EXPECT_EQ(counted.use_count(), 2);
    task();
    Task moved = std::move(task);
    EXPECT_FALSE(task);  // NOLINT(bugprone-use-after-move): that is the point
    EXPECT_TRUE(moved);
    EXPECT_EQ(counted.use_count(), 2);
    moved();
    Task other([] {});
    other = std::move(moved);
    EXPECT_EQ(counted.use_count(), 2);
    other();
    other = {};
    EXPECT_EQ(counted.use_count(), 1);
    EXPECT_FALSE(other);
  }
  EXPECT_EQ(*counted, 3);
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(Task, holds_what_it_was_made_of_until_it_is_gone) {
  lives_once<1>();
  lives_once<200>();
}

TEST(Task, holds_what_cannot_be_copied_and_changes_it) {
  int last = 0;
  Task task([&last, number = std::make_unique<int>(1)] { last = ++*number; });
  task();
  task();
  EXPECT_EQ(last, 3);
}

TEST(Task, is_empty_when_made_of_nothing) {
  EXPECT_FALSE(Task());
  EXPECT_FALSE(Task(std::function<void()>()));
  EXPECT_TRUE(Task(std::function<void()>([] {})));
}

}  // namespace
}  // namespace wright
