// A token bucket for each tool.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "interceptors/clocks.h"
#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

using Seconds = std::chrono::duration<double>;
using Time = std::chrono::steady_clock::time_point;

class RateLimit {
 public:
  explicit RateLimit(RateLimitOptions options)
      : options_(std::move(options)), state_(std::make_shared<State>()) {
    options_.clock = or_real(std::move(options_.clock));
    options_.pause = or_real(std::move(options_.pause));
    options_.burst = std::max(options_.burst, 1.0);
    options_.calls_per_second = std::max(options_.calls_per_second, 1e-6);
  }

  Result<ToolReply> operator()(const Invocation& invocation, const Context& context,
                               const Next& next) const {
    if (invocation.unusable != nullptr) return next(invocation, context);  // nothing will run
    const Seconds wait = take(invocation.call.name);
    if (wait <= Seconds(0)) return next(invocation, context);
    if (options_.when_exceeded == RateLimitOptions::WhenExceeded::refuse) {
      return fail(ErrorCode::unavailable, fmt::format("Too many calls of {}. Try again in {:.1f} s",
                                                      invocation.call.name, wait.count()));
    }
    options_.pause(std::chrono::duration_cast<std::chrono::nanoseconds>(wait), context.stop);
    if (context.stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "Cancelled while waiting for its turn");
    }
    return next(invocation, context);
  }

 private:
  struct Bucket {
    double tokens = 0;
    Time filled;
  };
  struct State {
    std::mutex mutex;
    std::map<std::string, Bucket, std::less<>> buckets;
  };

  // How long until there is a token. A call that waits takes it in advance, so waiting calls queue
  // up; a call that will be refused takes none.
  Seconds take(const std::string& tool) const {
    const std::lock_guard lock(state_->mutex);
    const Time now = options_.clock();
    const auto [found, is_new] = state_->buckets.try_emplace(tool, Bucket{options_.burst, now});
    Bucket& bucket = found->second;
    const double earned = Seconds(now - bucket.filled).count() * options_.calls_per_second;
    bucket.tokens = std::min(options_.burst, bucket.tokens + std::max(earned, 0.0));
    bucket.filled = now;
    const double missing = 1 - bucket.tokens;
    const bool will_go =
        missing <= 0 || options_.when_exceeded == RateLimitOptions::WhenExceeded::wait;
    if (will_go) bucket.tokens -= 1;
    return Seconds(missing / options_.calls_per_second);
  }

  RateLimitOptions options_;
  std::shared_ptr<State> state_;
};

}  // namespace

Interceptor rate_limit(RateLimitOptions options) {
  return RateLimit(std::move(options));
}

}  // namespace wright::intercept
