#include "app/terminal/interruption.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <future>

#include "app/settings/file_output.h"
#include "app/terminal/console.h"

namespace wright::app {
namespace {

TEST(Interruption, is_a_stop_token_that_can_be_forgotten) {
  Interruption interruption;
  std::promise<void> heard;
  interruption.watch([&] { heard.set_value(); });
  const std::stop_token before = interruption.token();
  ASSERT_EQ(kill(getpid(), SIGTERM), 0);
  heard.get_future().wait();
  EXPECT_TRUE(before.stop_requested());
  EXPECT_EQ(interruption.first_signal(), SIGTERM);
  interruption.forget();
  EXPECT_FALSE(interruption.has_happened());
  EXPECT_EQ(interruption.first_signal(), 0);
  EXPECT_TRUE(before.stop_requested()) << "whoever was stopped stays so";
}

// In a process of its own, which two signals end.
[[noreturn]] void interrupt_twice() {
  Interruption interruption;
  interruption.before_quitting([] { write_all(STDERR_FILENO, "last words"); });
  interruption.watch([] { kill(getpid(), SIGINT); });
  kill(getpid(), SIGINT);
  while (true) pause();
}

TEST(InterruptionDeathTest, has_last_words_when_it_happens_twice) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(interrupt_twice(), ::testing::ExitedWithCode(130), "last words");
}

}  // namespace
}  // namespace wright::app
