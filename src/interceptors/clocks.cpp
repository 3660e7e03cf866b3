#include "interceptors/clocks.h"

#include <condition_variable>
#include <mutex>

namespace wright::intercept {

MonotonicClock or_real(MonotonicClock clock) {
  if (clock) return clock;
  return [] { return std::chrono::steady_clock::now(); };
}

WallClock or_real(WallClock clock) {
  if (clock) return clock;
  return [] {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::int64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  };
}

Pause or_real(Pause pause) {
  if (pause) return pause;
  return [](std::chrono::nanoseconds time, std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, time, [] { return false; });
  };
}

}  // namespace wright::intercept
