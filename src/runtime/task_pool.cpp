#include "runtime/task_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace wright::runtime {

class TaskPool::State {
 public:
  State(std::size_t most_short, std::size_t most_blocking)
      : short_{most_short}, blocking_{most_blocking} {}

  void run_soon(const std::shared_ptr<State>& self, Host::Task task) {
    hand_in(self, short_, {.task = std::move(task)});
  }

  Host::Ticket run_blocking(const std::shared_ptr<State>& self, Host::Task task, Host::Task after) {
    const Host::Ticket ticket = ++last_ticket_;
    hand_in(self, blocking_, {std::move(task), std::move(after), ticket});
    return ticket;
  }

  void run_writing(const std::shared_ptr<State>& self, Host::Task task) {
    enqueue(self, writing_, {.task = std::move(task)});
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
    --alive_;
    if (worker->is_waiting) {
      --waiting_;  // its place is given away already
    } else {
      --blocking_.running;
    }
    unlock_and_wake(self, lock);
  }

  void begin_waiting(const std::shared_ptr<State>& self) {
    if (hand == nullptr || hand->pool != this || hand->waits++ > 0) return;
    std::unique_lock lock(mutex_);
    if (hand->kept) hand->lane->waiting.push_front(*std::exchange(hand->kept, {}));
    hand->worker->is_waiting = true;
    if (!hand->worker->is_given_up) {
      ++waiting_;
      --hand->running->running;
    }
    unlock_and_wake(self, lock);
  }

  // There may be more at work than the most for a moment: what waited has begun already.
  void end_waiting() {
    if (hand == nullptr || hand->pool != this || --hand->waits > 0) return;
    const std::lock_guard lock(mutex_);
    hand->worker->is_waiting = false;
    if (hand->worker->is_given_up) return;
    --waiting_;
    ++hand->running->running;
  }

  // Everything that is in the queues is done when this returns.
  void end() {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    wake_all();
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
  }

 private:
  struct Job {
    Host::Task task = {};
    Host::Task after = {};
    Host::Ticket ticket = 0;
  };
  struct Lane {
    const std::size_t most;
    std::size_t running = 0;
    std::deque<Job> waiting = {};

    bool has_room() const { return running < most; }
    bool is_ready() const { return has_room() && !waiting.empty(); }
  };
  struct Worker {
    std::thread thread = {};
    Host::Ticket ticket = 0;  // of the job that it is at
    bool is_waiting = false;  // for others of this pool
    bool is_given_up = false;
    bool has_ended = false;
  };
  // What the thread that is at work keeps for itself.
  struct Hand {
    const State* pool = nullptr;
    Worker* worker = nullptr;
    Lane* running = nullptr;  // of the job that it is at
    bool is_blocking = false;
    int waits = 0;         // for others of this pool, one within another
    Lane* lane = nullptr;  // of the job that is kept
    std::optional<Job> kept = {};
  };
  static thread_local Hand* hand;

  // Threads that were given up and came to their end after all, and those that were too many.
  void let_go_of_ended() {
    for (auto worker = workers_.begin(); worker != workers_.end();) {
      if (worker->has_ended) {
        worker->thread.join();
        worker = workers_.erase(worker);
      } else {
        ++worker;
      }
    }
  }

  // A task that blocks keeps nothing: what it waits for may be what it would have kept.
  bool is_at_short_task() const {
    return hand != nullptr && hand->pool == this && !hand->is_blocking && hand->waits == 0;
  }

  void hand_in(const std::shared_ptr<State>& self, Lane& lane, Job job) {
    if (!is_at_short_task() || hand->kept) return enqueue(self, lane, std::move(job));
    hand->lane = &lane;
    hand->kept = std::move(job);
  }

  // A thread at a short task looks into the queues in a moment, and wakes others then. The job may
  // be the last one, and the pool gone before a thread from elsewhere has woken somebody for it.
  void enqueue(const std::shared_ptr<State>& self, Lane& lane, Job job) {
    const bool is_to_wake = !is_at_short_task();
    const std::shared_ptr<State> kept = is_to_wake ? self : nullptr;
    std::unique_lock lock(mutex_);
    lane.waiting.push_back(std::move(job));
    if (is_to_wake) unlock_and_wake(kept, lock);
  }

  // Another thread, if there is something for it to do. One at a time: who was woken and begins a
  // job wakes the next. It is woken without the lock, which it needs.
  void unlock_and_wake(const std::shared_ptr<State>& self, std::unique_lock<std::mutex>& lock) {
    const bool has_work = short_.is_ready() || writing_.is_ready() || blocking_.is_ready();
    const bool is_to_be_called = has_work && woken_ == 0 && starting_ == 0;
    const bool is_to_be_woken = is_to_be_called && idle_ > 0;
    if (is_to_be_woken) {
      --idle_;
      ++woken_;
    } else if (is_to_be_called && (!is_ending_ || waiting_ > 0) &&
               alive_ - waiting_ < most_workers()) {
      start_worker(self);
    }
    lock.unlock();
    if (is_to_be_woken) changed_.notify_one();
  }

  std::size_t most_workers() const { return short_.most + writing_.most + blocking_.most; }

  void wake_all() {
    woken_ += std::exchange(idle_, 0);
    changed_.notify_all();
  }

  void start_worker(const std::shared_ptr<State>& self) {
    let_go_of_ended();
    Worker& worker = workers_.emplace_back();
    ++starting_;
    ++alive_;
    try {
      worker.thread = std::thread([self, &worker] { self->work(self, worker); });
    } catch (const std::system_error&) {
      --starting_;
      --alive_;
      workers_.pop_back();
      if (alive_ == waiting_) throw;  // nobody else would do the work
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
    Hand own{.pool = this, .worker = &worker};
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
        if (alive_ - waiting_ > most_workers()) break;  // those that waited are back
        ++idle_;
        changed_.wait(lock, [this] { return woken_ > 0; });
        --woken_;
        continue;
      }
      Job job = std::move(lane->waiting.front());
      lane->waiting.pop_front();
      run(self, worker, *lane, std::move(job), lock);
    }
    hand = nullptr;
    if (!worker.is_given_up) --alive_;
    worker.has_ended = true;
    ended_.notify_all();
  }

  // Runs the job, and then what it left in this thread's hand, as long as there is room for it.
  void run(const std::shared_ptr<State>& self, Worker& worker, Lane& first, Job job,
           std::unique_lock<std::mutex>& lock) {
    Lane* lane = &first;
    while (true) {
      ++lane->running;
      hand->running = lane;
      worker.ticket = job.ticket;
      unlock_and_wake(self, lock);
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
      if (!hand->kept) return;
      lane = hand->lane;
      job = *std::exchange(hand->kept, {});
      if (!lane->has_room()) {
        lane->waiting.push_back(std::move(job));
        return;
      }
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
  std::size_t alive_ = 0;    // threads, but for those given up
  std::size_t waiting_ = 0;  // of them, for others
  bool is_ending_ = false;
  std::atomic<Host::Ticket> last_ticket_ = 0;
  std::list<Worker> workers_;  // stay where they are
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

Host::Ticket TaskPool::run_blocking(Host::Task task, Host::Task after) {
  return state_->run_blocking(state_, std::move(task), std::move(after));
}

void TaskPool::give_up(Host::Ticket ticket) {
  state_->give_up(state_, ticket);
}

void TaskPool::begin_waiting() {
  state_->begin_waiting(state_);
}

void TaskPool::end_waiting() {
  state_->end_waiting();
}

}  // namespace wright::runtime
