#include "server/replay_thread.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <memory>

namespace wright::server {
namespace {

void wait_for_stop(const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait(lock, stop, [] { return false; });
}

// Waits until it has been stopped, and tells so.
ReplayThread::Telling no_work(const std::stop_token&) {
  return {};
}

class Stopped {
 public:
  ReplayThread::Work work() {
    return [this](const std::stop_token& stop) {
      wait_for_stop(stop);
      return [this] { has_ended_.set_value(); };
    };
  }
  void await() { has_ended_.get_future().wait(); }

 private:
  std::promise<void> has_ended_;
};

TEST(ReplayThread, has_one_at_a_time) {
  ReplayThread replays{{}};
  Stopped first;
  auto stop = replays.begin(first.work());
  ASSERT_TRUE(stop);
  const auto second = replays.begin(no_work);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::overloaded);
  stop->request_stop();
  first.await();
  // Whoever is told of the end may begin the next.
  Stopped third;
  auto begun = replays.begin(third.work());
  ASSERT_TRUE(begun);
  begun->request_stop();
  third.await();
}

TEST(ReplayThread, stops_when_the_server_is_about_to_end) {
  std::stop_source ending;
  ReplayThread replays{ending.get_token()};
  Stopped replay;
  ASSERT_TRUE(replays.begin(replay.work()));
  ending.request_stop();
  replay.await();
  EXPECT_EQ(replays.begin(no_work).error().code, ErrorCode::unavailable);
}

TEST(ReplayThread, stops_with_its_end_whatever_it_throws) {
  for (const bool throws : {false, true}) {
    ReplayThread replays{{}};
    ASSERT_TRUE(replays.begin([throws](const std::stop_token& stop) {
      wait_for_stop(stop);
      if (throws) throw 1;
      return ReplayThread::Telling();
    }));
  }
}

}  // namespace
}  // namespace wright::server
