// How fast requests go to one vendor: requests and tokens per minute, and pauses that the vendor
// itself asked for. Pure except for its lock: time comes from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "wright/provider.h"

namespace wright::models {

class Pacer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Pacer(const Pace& pace) : pace_(pace) {}

  // When a request of about that many tokens may be sent; reserves its place.
  Time reserve(Time now, std::int64_t tokens);

  // When a request may be sent, by what the vendor itself asked for.
  Time after_pause(Time now);

  // Nothing is sent before.
  void pause_until(Time time);

 private:
  Pace pace_;
  std::mutex mutex_;
  // The moments at which the requests and tokens reserved so far would be used up at full pace.
  Time requests_until_{};
  Time tokens_until_{};
  Time paused_until_{};
};

}  // namespace wright::models
