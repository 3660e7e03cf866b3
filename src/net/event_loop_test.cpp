#include "net/event_loop.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <future>
#include <string>

namespace wright::net {
namespace {

using std::chrono::milliseconds;

TEST(EventLoop, runs_posted_tasks_in_order_in_one_thread) {
  std::vector<int> order;
  std::vector<std::thread::id> threads;
  {
    EventLoop loop;
    for (int i = 0; i < 100; ++i) {
      loop.post([&, i] {
        order.push_back(i);
        threads.push_back(std::this_thread::get_id());
      });
    }
  }
  ASSERT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(std::ranges::count(threads, threads.front()), 100);
  EXPECT_NE(threads.front(), std::this_thread::get_id());
}

TEST(EventLoop, runs_timers_by_time_and_then_by_order_of_asking) {
  std::promise<std::string> done;
  EventLoop loop;
  std::string order;
  loop.post([&] {
    const auto now = EventLoop::Clock::now();
    loop.run_at(now + milliseconds(3), [&] { done.set_value(order); });
    loop.run_at(now + milliseconds(2), [&] { order += "c"; });
    loop.run_at(now + milliseconds(1), [&] { order += "a"; });
    loop.run_at(now + milliseconds(1), [&] { order += "b"; });
    loop.cancel(loop.run_at(now, [&] { order += "never"; }));
  });
  EXPECT_EQ(done.get_future().get(), "abc");
}

TEST(EventLoop, a_task_may_post_and_set_timers) {
  std::promise<void> done;
  EventLoop loop;
  loop.post(
      [&] { loop.post([&] { loop.run_at(EventLoop::Clock::now(), [&] { done.set_value(); }); }); });
  done.get_future().get();
}

TEST(EventLoop, a_task_that_posts_itself_again_and_again_holds_up_nobody) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    std::promise<void> is_heard;
    std::promise<void> others_ran;
    bool has_heard = false;
    std::function<void()> again;
    EventLoop loop;
    again = [&] {
      if (!has_heard) loop.post(again);
    };
    loop.post([&] {
      loop.watch(ends[0], EPOLLIN, [&](std::uint32_t) {
        has_heard = true;
        loop.forget(ends[0]);
        is_heard.set_value();
      });
      again();
    });
    loop.post([&] { others_ran.set_value(); });
    others_ran.get_future().get();
    ASSERT_EQ(write(ends[1], "a", 1), 1);
    is_heard.get_future().get();
  }
  close(ends[0]);
  close(ends[1]);
}

TEST(EventLoop, tells_when_a_descriptor_is_ready_until_it_is_forgotten) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::promise<std::string> done;
  {
    EventLoop loop;
    std::string received;
    loop.post([&] {
      loop.watch(ends[0], EPOLLIN, [&](std::uint32_t) {
        char byte = 0;
        ASSERT_EQ(read(ends[0], &byte, 1), 1);
        received += byte;
        if (received.size() < 3) return;
        loop.forget(ends[0]);
        done.set_value(received);
      });
    });
    ASSERT_EQ(write(ends[1], "abcd", 4), 4);
    EXPECT_EQ(done.get_future().get(), "abc");
  }
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace wright::net
