// Whether, and after how long, a request is retried. Pure: time and chance come from outside.
#pragma once

#include <chrono>
#include <optional>

#include "wright/models.h"

namespace wright::models {

// An error that may not recur.
bool is_passing(const Error& error);

// What the vendor asked for, if it did.
std::optional<std::chrono::milliseconds> asked_wait(const Error& error);

struct Attempts {
  int failed = 0;                      // with this model
  std::chrono::milliseconds spent{0};  // on all attempts of the request
};

// How long to wait before the same model is tried again; absent: do not. `chance` is between 0 and
// 1, so that many clients do not retry at the same moment.
std::optional<std::chrono::milliseconds> wait_before_retry(const Error& error,
                                                           const Attempts& attempts, double chance,
                                                           const RetryOptions& options);

}  // namespace wright::models
