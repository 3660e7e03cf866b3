// What the store says of itself for /readyz and /metrics: asked at most once in a while, however
// often somebody wants to know.
#pragma once

#include <chrono>
#include <mutex>
#include <vector>

#include "server/metrics.h"
#include "wright/store.h"

namespace wright::server {

class StoreFigures {
 public:
  explicit StoreFigures(Store& store) : store_(store) {}

  // Whether the store answers; at most a second old.
  bool is_ready();
  // At most five seconds old; what does not answer is left out.
  std::vector<Gauge> gauges();

 private:
  using Time = std::chrono::steady_clock::time_point;

  Store& store_;
  std::mutex mutex_;
  bool is_ready_ = false;
  Time looked_at_ = {};
  std::vector<Gauge> gauges_;
  Time counted_at_ = {};
};

}  // namespace wright::server
