// This process as a driver of sessions: registered in the store, and renewed until it ends. Hears
// what other processes did to its sessions, and knows whether they are certainly its own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "wright/store.h"

namespace wright::runtime {

inline constexpr std::chrono::milliseconds kRunnerTime{30'000};

class RunnerRegistration {
 public:
  static Result<std::unique_ptr<RunnerRegistration>> open(
      Store& store, std::chrono::milliseconds time = kRunnerTime);
  ~RunnerRegistration();  // releases its sessions
  RunnerRegistration(const RunnerRegistration&) = delete;
  RunnerRegistration& operator=(const RunnerRegistration&) = delete;

  RunnerId id() const { return id_; }

  // Whether nobody can have taken this process for dead since that moment, by boot_clock_ms(),
  // which counts sleep.
  bool is_certain(std::int64_t since) const;

  // Releases a session that is not driven here any more. Tried until the store takes it.
  void release(SessionId session, int epoch);

  // Releases, in a while, what this runner holds in the store and nobody drives: a session that
  // it seemed to fail to create or to take. Only where somebody can say what is driven.
  using IsDriven = std::function<bool(SessionId)>;
  void on_undriven(IsDriven is_driven);
  void look_for_undriven();

  // Whom to tell what others did to sessions of this runner; in a thread of this object, which
  // looks about once a second. The same news may come several times. An empty function ends it, and
  // nothing is told after that.
  using Listener = std::function<void(const RunnerNews&)>;
  void on_news(Listener listener);

  // Called with every look, in the same thread, until it is empty.
  void on_look(std::function<void()> look);

  // Store::apply_all() for batches of this runner. Its time may have run out unnoticed, because the
  // machine slept: then it is renewed first, and what was refused is tried once more. A store that
  // is locked or full is tried again for a while. Sessions that somebody else has taken meanwhile
  // stay refused.
  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches);

 private:
  RunnerRegistration(Store& store, RunnerId id, std::chrono::milliseconds time,
                     std::int64_t registered_at);
  void work();
  Result<void> renew();
  void tell_news();
  void release_what_is_due();
  void release_undriven();
  bool wait(std::chrono::milliseconds time);

  Store& store_;
  const RunnerId id_;
  const std::chrono::milliseconds time_;
  std::atomic<std::int64_t> certain_since_;  // by boot_clock_ms(), like the end
  std::atomic<std::int64_t> certain_until_;
  std::mutex news_mutex_;  // held while it tells
  Listener news_;
  std::function<void()> look_;                      // with news_mutex_
  IsDriven is_driven_;                              // with news_mutex_
  std::atomic<std::int64_t> look_for_undriven_{0};  // by boot_clock_ms(); 0: there is no need
  std::mutex mutex_;
  std::vector<ReleaseLease> to_release_;
  std::condition_variable changed_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace wright::runtime
