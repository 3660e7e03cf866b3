#include "models/pacer.h"

#include <algorithm>

namespace wright::models {
namespace {

using Duration = std::chrono::steady_clock::duration;

// The burst allowed after a quiet time: ten seconds' worth.
constexpr auto kBurst = std::chrono::seconds(10);

// Takes `amount` from a budget of `per_minute` and says when it is available.
Pacer::Time take(Pacer::Time& until, Pacer::Time now, double amount, double per_minute) {
  const Duration cost(static_cast<Duration::rep>(
      amount / per_minute * static_cast<double>(Duration(std::chrono::minutes(1)).count())));
  until = std::max(until, now - kBurst);
  const Pacer::Time at = std::max(now, until);
  until += cost;
  return at;
}

}  // namespace

Pacer::Time Pacer::reserve(Time now, std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  Time at = std::max(now, paused_until_);
  if (pace_.requests_per_minute > 0) {
    at = std::max(at, take(requests_until_, now, 1, *pace_.requests_per_minute));
  }
  if (pace_.tokens_per_minute > 0) {
    at = std::max(at, take(tokens_until_, now, static_cast<double>(tokens),
                           static_cast<double>(*pace_.tokens_per_minute)));
  }
  return at;
}

Pacer::Time Pacer::after_pause(Time now) {
  const std::lock_guard lock(mutex_);
  return std::max(now, paused_until_);
}

void Pacer::pause_until(Time time) {
  const std::lock_guard lock(mutex_);
  paused_until_ = std::max(paused_until_, time);
}

}  // namespace wright::models
