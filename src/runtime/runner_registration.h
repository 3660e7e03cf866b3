// This process as a driver of sessions: registered in the store, and renewed until it ends.
#pragma once

#include <chrono>
#include <condition_variable>
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
  ~RunnerRegistration();  // gives its sessions free
  RunnerRegistration(const RunnerRegistration&) = delete;
  RunnerRegistration& operator=(const RunnerRegistration&) = delete;

  RunnerId id() const { return id_; }

  // Store::apply_all() for batches of this runner. Its time may have run out unnoticed, because the
  // machine slept or its clock jumped: then it is renewed, and what was refused is tried once more.
  // Sessions that somebody else has taken meanwhile stay refused.
  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches);

 private:
  RunnerRegistration(Store& store, RunnerId id, std::chrono::milliseconds time);
  void renew_until_told();

  Store& store_;
  const RunnerId id_;
  const std::chrono::milliseconds time_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace wright::runtime
