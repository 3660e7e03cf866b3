// One thread that waits for file descriptors (epoll), for points in time, and for functions that
// other threads post. All callbacks run in that thread; it blocks every signal.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/file_descriptor.h"
#include "core/timer_queue.h"

namespace wright::net {

class EventLoop {
 public:
  using Clock = std::chrono::steady_clock;
  using Task = TimerQueue::Task;
  using OnReady = std::function<void(std::uint32_t epoll_events)>;

  EventLoop();
  // Runs what has been posted, then ends. Must not be called in the loop's own thread.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // From any thread: runs `task` in the loop, in the order of the calls.
  void post(Task task);

  bool is_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

  // The rest is for the loop's own thread.
  using Timer = TimerQueue::Timer;
  Timer run_at(Clock::time_point at, Task task);
  void cancel(const Timer& timer);

  void watch(int descriptor, std::uint32_t epoll_events, OnReady on_ready);
  void change(int descriptor, std::uint32_t epoll_events);
  void forget(int descriptor);

 private:
  void run();
  void run_posted();
  bool has_posted();
  void run_timers();
  int milliseconds_to_next_timer() const;

  FileDescriptor epoll_;
  FileDescriptor wake_up_;
  std::mutex mutex_;
  std::vector<Task> posted_;
  std::vector<Task> running_;  // of the loop's thread; empty between rounds
  bool is_ending_ = false;
  TimerQueue timers_;
  std::unordered_map<int, OnReady> watched_;
  std::thread thread_;
};

}  // namespace wright::net
