// Moments at which a process can be killed: counted as they are reached, by every thread.
#pragma once

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "store/forwarding_store.h"

namespace wright::faults {

class Moments {
 public:
  static constexpr int kNever = std::numeric_limits<int>::max();

  // The process ends at the moment with this number, counted from 0.
  explicit Moments(int fatal) : fatal_(fatal) {}

  void reach(const std::string& kind) {
    {
      const std::lock_guard lock(mutex_);
      kinds_.insert(kind);
    }
    if (reached_++ == fatal_) ::kill(::getpid(), SIGKILL);
  }

  int reached() const { return reached_; }
  std::set<std::string> kinds() const {
    const std::lock_guard lock(mutex_);
    return kinds_;
  }

 private:
  const int fatal_;
  std::atomic<int> reached_ = 0;
  mutable std::mutex mutex_;
  std::set<std::string> kinds_;
};

// Every write is a moment before it and one after it.
class WatchedStore final : public store::ForwardingStore {
 public:
  WatchedStore(Store& inner, Moments& moments) : ForwardingStore(inner), moments_(moments) {}

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    return watched([&] { return ForwardingStore::apply_all(batches); });
  }

 private:
  template <class Work>
  std::invoke_result_t<Work> watched(Work work) {
    moments_.reach("before a write");
    auto outcome = work();
    moments_.reach("after a write");
    return outcome;
  }

  Moments& moments_;
};

}  // namespace wright::faults
