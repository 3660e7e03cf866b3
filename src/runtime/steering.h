// The way from a Steering to the run that it steers.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include "wright/driver.h"

namespace wright {

// What is said goes to `hear` as long as it is there; both sides wait for each other.
class Steering::State {
 public:
  using Hear = std::function<Result<void>(Message)>;

  void hear_with(Hear hear) {
    const std::lock_guard lock(mutex_);
    hear_ = std::move(hear);
  }
  Result<void> say(Message message) {
    const std::lock_guard lock(mutex_);
    if (!hear_) return fail(ErrorCode::unavailable, "Nothing runs that could be steered");
    return hear_(std::move(message));
  }

 private:
  std::mutex mutex_;
  Hear hear_;
};

}  // namespace wright
