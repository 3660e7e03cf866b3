// Stops calling a tool that keeps failing, to spare it and everyone who waits for it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "core/try.h"
#include "interceptors/clocks.h"
#include "wright/interceptors.h"

namespace wright::intercept {
namespace {

using Time = std::chrono::steady_clock::time_point;

// Failures that say something about the tool, not about the call or the caller.
bool is_the_tools(const Error& error) {
  switch (error.code) {
    case ErrorCode::cancelled:
    case ErrorCode::permission_denied:
    case ErrorCode::invalid_argument:
    case ErrorCode::invalid_json:
    case ErrorCode::not_found: return false;
    default: return true;
  }
}

class CircuitBreaker {
 public:
  explicit CircuitBreaker(CircuitBreakerOptions options)
      : options_(std::move(options)), state_(std::make_shared<State>()) {
    options_.clock = or_real(std::move(options_.clock));
  }

  Result<ToolReply> operator()(const Invocation& invocation, const Context& context,
                               const Next& next) const {
    if (invocation.unusable != nullptr)
      return next(invocation, context);  // says nothing about the tool
    TRY(enter(invocation.call.name));
    Result<ToolReply> result = next(invocation, context);
    leave(invocation.call.name, result);
    return result;
  }

 private:
  struct Circuit {
    int failures = 0;
    std::optional<Time> open_since;
    bool is_trying = false;  // half open: one trial call is under way
  };
  struct State {
    std::mutex mutex;
    std::map<std::string, Circuit, std::less<>> circuits;
  };

  Result<void> enter(const std::string& tool) const {
    const std::lock_guard lock(state_->mutex);
    Circuit& circuit = state_->circuits[tool];
    if (!circuit.open_since) return {};
    const auto elapsed = options_.clock() - *circuit.open_since;
    if (elapsed >= options_.open_for && !circuit.is_trying) {
      circuit.is_trying = true;
      return {};
    }
    const auto left = std::chrono::ceil<std::chrono::seconds>(options_.open_for - elapsed);
    return fail(ErrorCode::unavailable,
                fmt::format("{} failed {} times in a row and is not called for now. Try again in "
                            "{} s, or try another way",
                            tool, circuit.failures, std::max<std::int64_t>(left.count(), 1)));
  }

  void leave(const std::string& tool, const Result<ToolReply>& result) const {
    const std::lock_guard lock(state_->mutex);
    Circuit& circuit = state_->circuits[tool];
    const bool was_trying = std::exchange(circuit.is_trying, false);
    if (result) {
      // A call that waits says nothing about the tool.
      if (std::holds_alternative<Output>(*result)) circuit = Circuit{};
    } else if (is_the_tools(result.error())) {
      ++circuit.failures;
      if (was_trying || circuit.failures >= options_.threshold) {
        circuit.open_since = options_.clock();
      }
    }
  }

  CircuitBreakerOptions options_;
  std::shared_ptr<State> state_;
};

}  // namespace

Interceptor circuit_breaker(CircuitBreakerOptions options) {
  return CircuitBreaker(std::move(options));
}

}  // namespace wright::intercept
