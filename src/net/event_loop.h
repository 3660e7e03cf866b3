// Waits for file descriptors (epoll), for points in time, and for functions that other threads
// post. One thread at a time runs it and all its callbacks: its own, which blocks every signal, or,
// once somebody has taken its place(), one of theirs.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/file_descriptor.h"
#include "core/task.h"
#include "core/waiting_place.h"

namespace wright::net {

class EventLoop {
 public:
  using Clock = std::chrono::steady_clock;
  using Task = wright::Task;
  using OnReady = std::function<void(std::uint32_t epoll_events)>;

  EventLoop();
  // Runs what has been posted, then ends. Must not be called in the loop's own thread.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // From any thread: runs `task` in the loop, in the order of the calls.
  void post(Task task);

  // Whether this thread is running the loop: the caller is in one of its callbacks.
  bool is_own_thread() const { return runner_.load() == std::this_thread::get_id(); }

  // For other threads to run the loop in place of its own.
  const std::shared_ptr<WaitingPlace>& place() const { return place_; }

  // The rest is for callbacks.
  struct Timer {
    Clock::time_point at = {};
    std::uint64_t number = 0;
    auto operator<=>(const Timer&) const = default;
  };
  Timer run_at(Clock::time_point at, Task task);
  void cancel(const Timer& timer);

  void watch(int descriptor, std::uint32_t epoll_events, OnReady on_ready);
  void change(int descriptor, std::uint32_t epoll_events);
  void forget(int descriptor);

 private:
  class Place;

  void run();
  void round(WaitingPlace::Wait wait);
  bool run_posted();
  int time_to_wait(WaitingPlace::Wait wait);
  void wake();
  void run_timers();
  int milliseconds_to_next_timer() const;

  // Who runs the loop, and who may.
  bool take();
  void release();
  bool enter_as_guest(std::unique_lock<std::mutex>& lock);
  void leave(std::unique_lock<std::mutex>& lock);

  FileDescriptor epoll_;
  FileDescriptor wake_up_;
  std::mutex mutex_;
  std::vector<Task> posted_;
  std::atomic<bool> is_waiting_ = false;  // somebody is in epoll_wait, or about to
  std::atomic<bool> is_called_ = false;   // and is to come back
  bool is_taken_ = false;
  bool is_inside_ = false;  // somebody runs it
  bool is_closing_ = false;
  int guests_ = 0;  // threads that are not its own, inside or about to be
  std::condition_variable left_;
  std::atomic<std::thread::id> runner_ = {};

  // Of whoever runs it.
  std::vector<Task> running_;  // empty between rounds
  bool is_ending_ = false;
  bool is_turn_of_descriptors_ = false;
  std::map<Timer, Task> timers_;
  std::uint64_t last_timer_ = 0;
  std::unordered_map<int, OnReady> watched_;

  std::shared_ptr<WaitingPlace> place_;
  std::thread thread_;
};

}  // namespace wright::net
