// Turns Ctrl-C, SIGTERM and a closed terminal into a stop token, for as long as it lives.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace wright::app {

class Interruption {
 public:
  // From now on the signals wait. Must be made before any other thread, which would otherwise
  // receive them. Signals that the parent had ignored (nohup) stay ignored.
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // From now on the first signal requests the stop and calls `on_first` (which may be empty) in a
  // thread of its own; a second one ends the process at once.
  void watch(std::function<void()> on_first);
  // What is to be done before the process ends at once, in that thread; may be empty.
  void before_quitting(std::function<void()> last_words);
  // From now on nothing is called; signals wait.
  void end_watching();

  std::stop_token token() const { return current_source().get_token(); }
  bool has_happened() const { return token().stop_requested(); }
  // The signal that came first; 0 while none has.
  int first_signal() const { return first_signal_; }

  // From now on nothing has happened: token() is a new one, and the next signal is a first one.
  void forget();

 private:
  std::stop_source current_source() const;
  void await_signals();
  int await_signal(int milliseconds);
  [[noreturn]] void quit();
  bool is_over() const;

  std::function<void()> on_first_;
  mutable std::mutex mutex_;  // of what is replaced
  std::stop_source source_;
  std::function<void()> last_words_;
  std::atomic<int> first_signal_ = 0;
  int signals_ = -1;  // a signalfd
  int ended_ = -1;    // an eventfd that tells the thread to leave
  sigset_t mask_before_{};
  std::thread thread_;
};

}  // namespace wright::app
