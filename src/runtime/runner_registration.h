// This process as a driver of sessions: registered in the store, and renewed until it ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

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
