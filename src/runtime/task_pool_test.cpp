#include "runtime/task_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <future>
#include <latch>
#include <memory>
#include <thread>

namespace wright::runtime {
namespace {

TEST(TaskPool, finishes_everything_before_it_ends) {
  std::atomic<int> done = 0;
  {
    TaskPool pool(2, 3);
    for (int i = 0; i < 1000; ++i) {
      pool.run_soon([&] { ++done; });
      pool.run_blocking([&] { ++done; }, [&] { ++done; });
    }
  }
  EXPECT_EQ(done, 3000);
}

// ThreadSanitizer sees whether what was handed in outruns who handed it in.
TEST(TaskPool, may_end_with_a_task_whose_giver_is_still_at_it) {
  for (int i = 0; i < 200; ++i) {
    auto pool = std::make_unique<TaskPool>(1, 1);
    std::latch is_idle(1);
    pool->run_soon([&] { is_idle.count_down(); });
    is_idle.wait();
    std::latch has_run(1);
    std::thread giver([&given = *pool, &has_run] { given.run_soon([&] { has_run.count_down(); }); });
    has_run.wait();
    pool.reset();
    giver.join();
  }
}

TEST(TaskPool, runs_as_many_of_a_kind_at_once_as_it_may) {
  std::barrier meeting(4);  // nobody passes before all four are there
  std::latch over(4);
  TaskPool pool(2, 4);
  for (int i = 0; i < 4; ++i) {
    pool.run_blocking([&] { meeting.arrive_and_wait(); }, [&] { over.count_down(); });
  }
  over.wait();
}

TEST(TaskPool, never_runs_more_of_a_kind_at_once_than_it_may) {
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> left = 500;
  const auto block = [&] {
    const int now = ++inside;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::yield();
    --inside;
    --left;
  };
  {
    TaskPool pool(8, 2);
    // From outside, and handed in by short tasks, which keep one for their own thread.
    for (int i = 0; i < 250; ++i) {
      pool.run_blocking(block, {});
      pool.run_soon([&] { pool.run_blocking(block, {}); });
    }
  }
  EXPECT_LE(most, 2);
  EXPECT_EQ(left, 0);
}

TEST(TaskPool, advances_while_everything_that_may_block_does) {
  std::promise<void> opened;
  const std::shared_future<void> gate = opened.get_future().share();
  std::latch blocked(2);
  std::promise<void> advanced;
  TaskPool pool(1, 2);
  for (int i = 0; i < 2; ++i) {
    pool.run_soon([&] {
      pool.run_blocking(
          [&] {
            blocked.count_down();
            gate.wait();
          },
          {});
    });
  }
  blocked.wait();
  pool.run_soon([&] { advanced.set_value(); });
  advanced.get_future().wait();
  opened.set_value();
}

TEST(TaskPool, goes_on_in_the_same_thread_where_nobody_has_to_be_woken) {
  std::promise<bool> is_same;
  TaskPool pool(2, 2);
  pool.run_soon([&] {
    const auto first = std::this_thread::get_id();
    pool.run_blocking(
        [] {},
        [&, first] {
          pool.run_soon([&, first] { is_same.set_value(std::this_thread::get_id() == first); });
        });
  });
  EXPECT_TRUE(is_same.get_future().get());
}

// A task that blocks may wait for what it has handed in.
TEST(TaskPool, does_not_keep_what_a_blocking_task_hands_in) {
  std::promise<void> over;
  TaskPool pool(1, 1);
  pool.run_blocking(
      [&] {
        std::promise<void> helped;
        pool.run_soon([&] { helped.set_value(); });
        helped.get_future().wait();
        over.set_value();
      },
      {});
  over.get_future().wait();
}

TEST(TaskPool, gives_what_it_cannot_keep_to_others) {
  std::barrier meeting(3);
  std::latch over(3);
  TaskPool pool(2, 4);
  // All three are handed in by one thread, and need three to end.
  pool.run_soon([&] {
    for (int i = 0; i < 3; ++i) {
      pool.run_blocking([&] { meeting.arrive_and_wait(); }, [&] { over.count_down(); });
    }
  });
  over.wait();
}

TEST(TaskPool, gives_the_place_of_a_task_that_was_given_up_to_others) {
  const auto let_go = std::make_shared<std::latch>(1);
  const auto begun = std::make_shared<std::latch>(1);
  const auto ended = std::make_shared<std::latch>(1);
  std::atomic<bool> has_followed = false;
  {
    TaskPool pool(1, 1);
    const Host::Ticket stuck = pool.run_blocking(
        [=] {
          begun->count_down();
          let_go->wait();
          ended->count_down();
        },
        [&] { has_followed = true; });
    begun->wait();
    pool.give_up(stuck);
    std::latch other(1);
    pool.run_blocking([&] { other.count_down(); }, {});
    other.wait();
  }  // does not wait for the first
  let_go->count_down();
  ended->wait();
  EXPECT_FALSE(has_followed);
}

TEST(TaskPool, finds_a_thread_for_every_task_while_threads_start_sleep_and_wake) {
  for (int life = 0; life < 20; ++life) {
    TaskPool pool(2, 3);  // threads start with the first tasks
    for (int round = 0; round < 50; ++round) {
      std::latch over(6);
      for (int i = 0; i < 2; ++i) {
        pool.run_soon([&] { pool.run_blocking([] {}, [&] { over.count_down(); }); });
        pool.run_blocking([&] { over.count_down(); }, {});
        pool.run_writing([&] { pool.run_soon([&] { over.count_down(); }); });
      }
      over.wait();
    }
  }
}

// As many threads as there are wait at once, each for what it has handed in itself.
TEST(TaskPool, does_the_work_of_threads_that_wait_for_it) {
  constexpr int kWaiting = 20;
  std::latch over(kWaiting);
  TaskPool pool(1, 1);
  const auto wait_for_help = [&] {
    std::promise<void> helped;
    pool.run_soon([&] { pool.run_blocking([&] { helped.set_value(); }, {}); });
    pool.begin_waiting();
    helped.get_future().wait();
    pool.end_waiting();
    over.count_down();
  };
  for (int i = 0; i < kWaiting / 2; ++i) {
    pool.run_soon(wait_for_help);
    pool.run_blocking(wait_for_help, {});
  }
  over.wait();
}

TEST(TaskPool, runs_no_more_at_once_when_those_that_waited_are_back) {
  TaskPool pool(1, 2);
  std::latch back(8);
  std::promise<void> opened;
  const std::shared_future<void> gate = opened.get_future().share();
  std::latch waiting(8);
  for (int i = 0; i < 8; ++i) {
    pool.run_blocking(
        [&] {
          pool.begin_waiting();
          waiting.count_down();
          gate.wait();
          pool.end_waiting();
        },
        [&] { back.count_down(); });
  }
  waiting.wait();
  opened.set_value();
  back.wait();
  std::atomic<int> inside = 0;
  std::atomic<bool> is_too_many = false;
  std::latch over(200);
  for (int i = 0; i < 200; ++i) {
    pool.run_blocking(
        [&] {
          if (++inside > 2) is_too_many = true;
          std::this_thread::yield();
          --inside;
        },
        [&] { over.count_down(); });
  }
  over.wait();
  EXPECT_FALSE(is_too_many);
}

TEST(TaskPool, forgets_the_place_of_a_task_that_is_given_up_while_it_waits) {
  const auto let_go = std::make_shared<std::latch>(1);
  const auto begun = std::make_shared<std::latch>(1);
  std::atomic<int> most = 0;
  {
    TaskPool pool(1, 1);
    std::latch ended(1);
    const Host::Ticket stuck = pool.run_blocking(
        [&, let_go, begun] {
          pool.begin_waiting();
          begun->count_down();
          let_go->wait();
          pool.end_waiting();
          ended.count_down();
        },
        {});
    begun->wait();
    pool.give_up(stuck);
    let_go->count_down();
    ended.wait();
    std::atomic<int> inside = 0;
    std::latch over(50);
    for (int i = 0; i < 50; ++i) {
      pool.run_blocking(
          [&] {
            most = std::max<int>(most, ++inside);
            std::this_thread::yield();
            --inside;
          },
          [&] { over.count_down(); });
    }
    over.wait();
  }
  EXPECT_EQ(most, 1);
}

TEST(TaskPool, drops_a_task_that_was_given_up_before_it_began) {
  std::latch let_go(1);
  std::latch begun(1);
  std::atomic<bool> has_run = false;
  {
    TaskPool pool(1, 1);
    pool.run_blocking(
        [&] {
          begun.count_down();
          let_go.wait();
        },
        {});
    begun.wait();
    pool.give_up(pool.run_blocking([&] { has_run = true; }, {}));
    let_go.count_down();
  }
  EXPECT_FALSE(has_run);
}

}  // namespace
}  // namespace wright::runtime
