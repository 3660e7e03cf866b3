#include "runtime/task_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/waiting_place.h"
#include "runtime/task_habits.h"

namespace wright::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// After which a place is looked into although there is other work.
constexpr std::chrono::milliseconds kLongUnattended{1};
constexpr int kCalmBeats = 3;  // after which nobody watches until there is something to watch

}  // namespace

class TaskPool::State {
 public:
  State(std::size_t most_short, std::size_t most_blocking)
      : short_{most_short}, blocking_{most_blocking} {}

  void run_soon(const std::shared_ptr<State>& self, Host::Task task) {
    if (!has_place_) learn_of_place();
    hand_in(self, short_, {.task = std::move(task)});
  }

  Host::Ticket run_blocking(const std::shared_ptr<State>& self, Host::Task task, Host::Task after,
                            std::string_view kind) {
    const Host::Ticket ticket = ++last_ticket_;
    hand_in(self, blocking_,
            {std::move(task), std::move(after), ticket, TaskHabits::kind_of(kind)});
    return ticket;
  }

  void run_writing(const std::shared_ptr<State>& self, Host::Task task) {
    enqueue(self, writing_, {.task = std::move(task), .kind = TaskHabits::kWriting});
  }

  void give_up(const std::shared_ptr<State>& self, Host::Ticket ticket) {
    Job dropped;  // destroyed without the lock: it may own anything
    std::unique_lock lock(mutex_);
    const auto waiting = std::ranges::find(blocking_.waiting, ticket, &Job::ticket);
    if (waiting != blocking_.waiting.end()) {
      dropped = std::move(*waiting);
      blocking_.waiting.erase(waiting);
      return;
    }
    let_go_of_ended();
    const auto worker = std::ranges::find_if(
        workers_, [&](const Worker& each) { return each.ticket == ticket && !each.is_given_up; });
    if (worker == workers_.end()) return;  // it has just ended
    worker->is_given_up = true;
    ++given_up_;
    --blocking_.running;
    expect_no_more(*worker);
    unlock_and_call(self, lock);
  }

  // Everything that is in the queues is done when this returns.
  void end() {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    offered_.reset();
    // A task that is still to end may wait for what happens there.
    if (const auto place = forget_place()) {
      if (attendance_ == Attendance::waiting) attendance_ = Attendance::coming_back;
      place->release();
      place->call();
    }
    wake_all();
    watch_.notify_all();
    ended_.wait(lock, [&] {
      return std::ranges::all_of(
          workers_, [](const Worker& worker) { return worker.is_given_up || worker.has_ended; });
    });
    for (Worker& worker : workers_) {
      if (worker.is_given_up && !worker.has_ended) {
        worker.thread.detach();
      } else {
        worker.thread.join();  // it holds no lock any more
      }
    }
    lock.unlock();
    if (watcher_.joinable()) watcher_.join();
  }

 private:
  struct Job {
    Host::Task task = {};
    Host::Task after = {};
    Host::Ticket ticket = 0;
    TaskHabits::Kind kind = TaskHabits::kUnknown;
    Clock::time_point handed_in = {};
  };
  struct Lane {
    const std::size_t most;
    std::size_t running = 0;
    std::deque<Job> waiting = {};

    bool has_room() const { return running < most; }
    bool is_ready() const { return has_room() && !waiting.empty(); }
    bool keeps_waiting(Clock::time_point now) const {
      return is_ready() && now - waiting.front().handed_in > kPatience;
    }
  };
  struct Worker {
    std::thread thread = {};
    Host::Ticket ticket = 0;  // of the job that it is at
    bool is_given_up = false;
    bool has_ended = false;
    bool is_expected = false;  // it is at a job that should be over soon
    std::uint64_t jobs = 0;    // that it has begun, and how many of them the watch has seen
    std::uint64_t jobs_seen = 0;
  };
  // Who is at the place.
  enum class Attendance : std::uint8_t { nobody, waiting, coming_back };
  // What the thread that is at work keeps for itself.
  struct Hand {
    const State* pool = nullptr;
    bool is_blocking = false;
    Lane* lane = nullptr;  // of the job that is kept
    std::optional<Job> kept = {};
  };
  static thread_local Hand* hand;

  // Threads that were given up and came to their end after all.
  void let_go_of_ended() {
    for (auto worker = workers_.begin(); worker != workers_.end();) {
      if (worker->is_given_up && worker->has_ended) {
        worker->thread.join();
        worker = workers_.erase(worker);
        --given_up_;
      } else {
        ++worker;
      }
    }
  }

  // A task that blocks keeps nothing: what it waits for may be what it would have kept.
  bool is_at_short_task() const {
    return hand != nullptr && hand->pool == this && !hand->is_blocking;
  }

  void hand_in(const std::shared_ptr<State>& self, Lane& lane, Job job) {
    if (!is_at_short_task() || hand->kept) return enqueue(self, lane, std::move(job));
    hand->lane = &lane;
    hand->kept = std::move(job);
  }

  // A thread at a short task looks into the queues in a moment, and calls others then.
  void enqueue(const std::shared_ptr<State>& self, Lane& lane, Job job) {
    std::unique_lock lock(mutex_);
    const auto now = place_ ? Clock::now() : Clock::time_point();
    job.handed_in = now;
    lane.waiting.push_back(std::move(job));
    if (is_at_short_task() || (expected_ > 0 && !keeps_waiting(now))) return;
    unlock_and_call(self, lock);
  }

  bool keeps_waiting(Clock::time_point now) const {
    return short_.keeps_waiting(now) || writing_.keeps_waiting(now) || blocking_.keeps_waiting(now);
  }

  // Another thread, if there is something for it to do. One at a time: who was called and begins a
  // job calls the next. It is called without the lock, which it needs.
  void unlock_and_call(const std::shared_ptr<State>& self, std::unique_lock<std::mutex>& lock) {
    const bool has_quick = short_.is_ready() || writing_.is_ready();
    const bool has_work = has_quick || blocking_.is_ready();
    const bool is_one_coming =
        woken_ > 0 || starting_ > 0 || attendance_ == Attendance::coming_back;
    if (is_one_coming || !(has_work || may_attend())) return lock.unlock();
    // Who waits at the place comes with a look at the rest; a task that may block leaves it there.
    if (attendance_ == Attendance::waiting && (has_quick || idle_ == 0)) {
      attendance_ = Attendance::coming_back;
      const auto place = place_;
      lock.unlock();
      return place->call();
    }
    const bool is_to_be_woken = idle_ > 0;
    if (is_to_be_woken) {
      --idle_;
      ++woken_;
    } else if (!is_ending_ &&
               workers_.size() - given_up_ < short_.most + writing_.most + blocking_.most) {
      start_worker(self);
    }
    lock.unlock();
    if (is_to_be_woken) changed_.notify_one();
  }

  void wake_all() {
    woken_ += std::exchange(idle_, 0);
    changed_.notify_all();
  }

  void start_worker(const std::shared_ptr<State>& self) {
    Worker& worker = workers_.emplace_back();
    ++starting_;
    try {
      worker.thread = std::thread([self, &worker] { self->work(self, worker); });
    } catch (const std::system_error&) {
      --starting_;
      workers_.pop_back();
      if (workers_.size() == given_up_) throw;  // nobody else would do the work
    }
  }

  // What is ready to be written waits until every session that is ready has had its turn, and may
  // have something to write too.
  Lane* next_lane() {
    for (Lane* lane : {&short_, &writing_, &blocking_}) {
      if (lane->is_ready()) return lane;
    }
    return nullptr;
  }

  void work(const std::shared_ptr<State>& self, Worker& worker) {
    Hand own{.pool = this};
    hand = &own;
    std::unique_lock lock(mutex_);
    --starting_;
    while (!worker.is_given_up) {
      Lane* lane = next_lane();
      if (lane == nullptr) {
        const bool is_over = is_ending_ && short_.waiting.empty() && writing_.waiting.empty() &&
                             blocking_.waiting.empty();
        if (is_over) {
          wake_all();  // others may have waited for room
          break;
        }
        take_offered_place(self);
        if (may_attend()) {
          attend(self, worker, WaitingPlace::Wait::until_something_happens, lock);
          continue;
        }
        ++idle_;
        changed_.wait(lock, [this] { return woken_ > 0; });
        --woken_;
        continue;
      }
      if (is_place_neglected()) {
        attend(self, worker, WaitingPlace::Wait::no, lock);
        continue;
      }
      Job job = std::move(lane->waiting.front());
      lane->waiting.pop_front();
      run(self, worker, *lane, std::move(job), lock);
    }
    hand = nullptr;
    worker.has_ended = true;
    ended_.notify_all();
  }

  // Runs the job, and then what it left in this thread's hand, as long as there is room for it.
  void run(const std::shared_ptr<State>& self, Worker& worker, Lane& first, Job job,
           std::unique_lock<std::mutex>& lock) {
    Lane* lane = &first;
    while (true) {
      ++lane->running;
      worker.ticket = job.ticket;
      const TaskHabits::Kind kind = job.kind;
      const auto began = begin(self, worker, lane == &short_ || habits_.is_quick(kind), lock);
      hand->is_blocking = lane == &blocking_;
      job.task();
      hand->is_blocking = false;
      if (job.ticket != 0) {
        lock.lock();
        worker.ticket = 0;
        const bool is_given_up = worker.is_given_up;
        lock.unlock();
        if (is_given_up) {
          job = {};
          lock.lock();
          return;
        }
      }
      if (job.after) job.after();
      job = {};  // what it owns is let go without the lock
      lock.lock();
      --lane->running;
      expect_no_more(worker);
      if (began && kind != TaskHabits::kUnknown) habits_.took(kind, Clock::now() - *began);
      if (!hand->kept) return;
      lane = hand->lane;
      job = *std::exchange(hand->kept, {});
      if (!lane->has_room()) {
        lane->waiting.push_back(std::move(job));
        return;
      }
    }
  }

  // Unlocks. When, where the time matters.
  std::optional<Clock::time_point> begin(const std::shared_ptr<State>& self, Worker& worker,
                                         bool is_expected, std::unique_lock<std::mutex>& lock) {
    if (!place_) {
      unlock_and_call(self, lock);
      return std::nullopt;
    }
    const auto now = Clock::now();
    ++worker.jobs;
    worker.is_expected = is_expected;
    if (!is_expected) {
      unlock_and_call(self, lock);
      return now;
    }
    ++expected_;
    const bool is_to_be_watched = std::exchange(is_watch_asleep_, false);
    if (keeps_waiting(now)) {
      unlock_and_call(self, lock);
    } else {
      lock.unlock();
    }
    if (is_to_be_watched) watch_.notify_all();
    return now;
  }

  void expect_no_more(Worker& worker) {
    if (std::exchange(worker.is_expected, false)) --expected_;
  }

  // The thread that hands something in may be that of an event loop.
  void learn_of_place() {
    const auto& place = WaitingPlace::of_this_thread();
    if (!place) return;
    const std::lock_guard lock(mutex_);
    if (!place_ && !is_ending_) offered_ = place;
  }

  // Whoever has taken it must watch that somebody is there.
  void take_offered_place(const std::shared_ptr<State>& self) {
    const auto place = std::exchange(offered_, {});
    if (!place || place_ || is_ending_ || !place->take()) return;
    try {
      if (!watcher_.joinable()) watcher_ = std::thread([self] { self->watch(self); });
    } catch (const std::system_error&) {
      place->release();
      return;
    }
    place_ = place;
    has_place_ = true;
    attended_at_ = Clock::now();
  }

  std::shared_ptr<WaitingPlace> forget_place() {
    has_place_ = false;
    return std::exchange(place_, {});
  }

  // Who is expected back goes there when nothing else is to be done.
  bool may_attend() const { return place_ && attendance_ == Attendance::nobody && expected_ == 0; }

  bool is_place_neglected() const {
    return place_ && attendance_ == Attendance::nobody &&
           Clock::now() - attended_at_ > kLongUnattended;
  }

  void attend(const std::shared_ptr<State>& self, Worker& worker, WaitingPlace::Wait wait,
              std::unique_lock<std::mutex>& lock) {
    const auto place = place_;
    attendance_ = wait == WaitingPlace::Wait::no ? Attendance::coming_back : Attendance::waiting;
    lock.unlock();
    const bool is_there = place->attend(wait);
    lock.lock();
    attendance_ = Attendance::nobody;
    attended_at_ = Clock::now();
    if (!is_there && place_ == place) forget_place();
    if (!hand->kept) return;
    Lane& lane = *hand->lane;
    Job job = *std::exchange(hand->kept, {});
    if (lane.has_room()) {
      run(self, worker, lane, std::move(job), lock);
    } else {
      lane.waiting.push_back(std::move(job));
    }
  }

  // A thread of its own, which does without those who should have been back a beat ago.
  void watch(const std::shared_ptr<State>& self) {
    std::unique_lock lock(mutex_);
    int calm = 0;
    while (!is_ending_) {
      if (calm >= kCalmBeats) {
        is_watch_asleep_ = true;
        watch_.wait(lock, [this] { return !is_watch_asleep_ || is_ending_; });
      }
      watch_.wait_for(lock, kBeat, [this] { return is_ending_; });
      calm = expected_ == 0 ? calm + 1 : 0;
      bool is_one_missing = false;
      for (Worker& worker : workers_) {
        if (std::exchange(worker.jobs_seen, worker.jobs) != worker.jobs) continue;
        is_one_missing = is_one_missing || worker.is_expected;
        expect_no_more(worker);
      }
      if (!is_one_missing) continue;
      unlock_and_call(self, lock);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable ended_;  // a thread has
  Lane short_;
  Lane writing_{1};
  Lane blocking_;
  std::size_t idle_ = 0;   // threads that sleep, and that nobody has woken
  std::size_t woken_ = 0;  // that have been, and have not looked yet
  std::size_t starting_ = 0;
  std::size_t given_up_ = 0;
  bool is_ending_ = false;
  std::atomic<Host::Ticket> last_ticket_ = 0;
  std::list<Worker> workers_;  // stay where they are

  std::shared_ptr<WaitingPlace> place_;    // that is this pool's
  std::shared_ptr<WaitingPlace> offered_;  // that may become so
  std::atomic<bool> has_place_ = false;
  Attendance attendance_ = Attendance::nobody;
  Clock::time_point attended_at_ = {};
  TaskHabits habits_;
  std::size_t expected_ = 0;      // workers; while there are any, somebody watches
  bool is_watch_asleep_ = false;  // until there are
  std::condition_variable watch_;
  std::thread watcher_;
};

thread_local TaskPool::State::Hand* TaskPool::State::hand = nullptr;

TaskPool::TaskPool(std::size_t most_short, std::size_t most_blocking)
    : state_(std::make_shared<State>(most_short, most_blocking)) {}

TaskPool::~TaskPool() {
  state_->end();
}

void TaskPool::run_soon(Host::Task task) {
  state_->run_soon(state_, std::move(task));
}

void TaskPool::run_writing(Host::Task task) {
  state_->run_writing(state_, std::move(task));
}

Host::Ticket TaskPool::run_blocking(Host::Task task, Host::Task after, std::string_view kind) {
  return state_->run_blocking(state_, std::move(task), std::move(after), kind);
}

void TaskPool::give_up(Host::Ticket ticket) {
  state_->give_up(state_, ticket);
}

}  // namespace wright::runtime
