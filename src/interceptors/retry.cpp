// Repeats calls that may be repeated and failed for a passing reason.
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "interceptors/clocks.h"
#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

bool is_unavailable_or_late(const Error& error) {
  return error.code == ErrorCode::unavailable || error.code == ErrorCode::timeout;
}

double thread_random() {
  thread_local std::minstd_rand engine(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

class Retry {
 public:
  explicit Retry(RetryOptions options) : options_(std::move(options)) {
    if (!options_.is_transient) options_.is_transient = is_unavailable_or_late;
    if (!options_.random) options_.random = thread_random;
    options_.pause = or_real(std::move(options_.pause));
  }

  Result<ToolReply> operator()(const Invocation& invocation, const Context& context,
                               const Next& next) const {
    const bool may_repeat =
        invocation.unusable == nullptr && invocation.tool.spec.options.effect != Effect::write;
    Result<ToolReply> result = next(invocation, context);
    for (int failed = 1; may_repeat && failed < options_.attempts; ++failed) {
      if (result || !options_.is_transient(result.error())) return result;
      options_.pause(pause_after(failed), context.stop);
      if (context.stop.stop_requested()) return result;
      result = next(invocation, context);
    }
    return result;
  }

 private:
  std::chrono::nanoseconds pause_after(int failed) const {
    const double growth = std::pow(options_.factor, failed - 1);
    const double full = std::min(static_cast<double>(options_.first_pause.count()) * growth,
                                 static_cast<double>(options_.longest_pause.count()));
    const double milliseconds = full * (0.5 + options_.random() / 2);
    return std::chrono::nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6));
  }

  RetryOptions options_;
};

}  // namespace

Interceptor retry(RetryOptions options) {
  return Retry(std::move(options));
}

}  // namespace wright::intercept
