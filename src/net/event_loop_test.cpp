#include "net/event_loop.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/no_broken_pipe.h"

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

// Runs the loop in this thread until the task that it posts has run.
std::thread::id thread_of_a_task(EventLoop& loop) {
  std::thread::id found;
  loop.post([&] { found = std::this_thread::get_id(); });
  while (found == std::thread::id()) loop.place()->attend(WaitingPlace::Wait::no);
  return found;
}

TEST(EventLoop, runs_in_the_thread_of_whoever_has_taken_its_place) {
  EventLoop loop;
  ASSERT_TRUE(loop.place()->take());
  EXPECT_FALSE(loop.place()->take());  // it is taken
  EXPECT_EQ(thread_of_a_task(loop), std::this_thread::get_id());
  EXPECT_FALSE(loop.is_own_thread());
  bool is_own = false;
  loop.post([&] { is_own = loop.is_own_thread(); });
  loop.place()->attend(WaitingPlace::Wait::no);
  EXPECT_TRUE(is_own);

  loop.place()->release();
  std::promise<std::thread::id> thread;
  loop.post([&] { thread.set_value(std::this_thread::get_id()); });
  EXPECT_NE(thread.get_future().get(), std::this_thread::get_id());
}

TEST(EventLoop, a_guest_waits_for_descriptors_timers_and_posts_and_comes_back_when_called) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    EventLoop loop;
    const auto place = loop.place();
    ASSERT_TRUE(place->take());
    bool is_ready = false;
    bool is_due = false;
    bool is_posted = false;
    loop.post([&] {
      loop.watch(ends[0], EPOLLIN, [&](std::uint32_t) {
        is_ready = true;
        loop.forget(ends[0]);
      });
    });
    std::thread other([&] { (void)!write(ends[1], "a", 1); });
    while (!is_ready) place->attend(WaitingPlace::Wait::until_something_happens);
    other.join();
    loop.post(
        [&] { loop.run_at(EventLoop::Clock::now() + milliseconds(2), [&] { is_due = true; }); });
    while (!is_due) place->attend(WaitingPlace::Wait::until_something_happens);
    other = std::thread([&] { loop.post([&] { is_posted = true; }); });
    while (!is_posted) place->attend(WaitingPlace::Wait::until_something_happens);
    other.join();
    other = std::thread([&] { place->call(); });
    EXPECT_TRUE(place->attend(WaitingPlace::Wait::until_something_happens));
    other.join();
  }
  close(ends[0]);
  close(ends[1]);
}

TEST(NoBrokenPipe, makes_an_error_of_the_signal_and_leaves_none_behind) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  {
    const NoBrokenPipe no_broken_pipe;
    EXPECT_EQ(write(ends[1], "a", 1), -1);
    EXPECT_EQ(errno, EPIPE);
  }  // would end this process if it were told now
  sigset_t blocked;
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
  EXPECT_EQ(sigismember(&blocked, SIGPIPE), 0);
  close(ends[1]);
}

TEST(EventLoop, ends_although_it_is_taken_and_then_has_no_place) {
  std::shared_ptr<WaitingPlace> place;
  bool has_run = false;
  std::thread guest;
  {
    EventLoop loop;
    place = loop.place();
    ASSERT_TRUE(place->take());
    std::promise<void> is_there;
    loop.post([&] { is_there.set_value(); });
    guest = std::thread([&] {
      while (place->attend(WaitingPlace::Wait::until_something_happens)) {
      }
    });
    is_there.get_future().wait();
    loop.post([&] { has_run = true; });
  }
  guest.join();
  EXPECT_TRUE(has_run);
  EXPECT_FALSE(place->take());
  EXPECT_FALSE(place->attend(WaitingPlace::Wait::no));
}

}  // namespace
}  // namespace wright::net
