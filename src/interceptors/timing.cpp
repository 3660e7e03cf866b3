// Measures how long the rest of the way takes, by a clock that nobody sets.
#include <chrono>

#include "wright/interceptors.h"

namespace wright::intercept {

Interceptor timing() {
  return [](const ToolCall& call, Context& context, const Next& next) -> Result<Json> {
    const auto began = std::chrono::steady_clock::now();
    Result<Json> result = next(call, context);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    context.duration_ms = took.count();
    return result;
  };
}

}  // namespace wright::intercept
