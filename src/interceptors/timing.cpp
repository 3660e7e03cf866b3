// Measures how long the rest of the call takes, by a monotonic clock.
#include <chrono>

#include "wright/interceptors.h"

namespace wright::intercept {

Interceptor timing() {
  return [](const Invocation& invocation, const Context& context,
            const Next& next) -> Result<ToolReply> {
    const auto began = std::chrono::steady_clock::now();
    Result<ToolReply> reply = next(invocation, context);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    // A specialist that answered the call has reported its own time.
    if (Output* output = output_of(reply); output != nullptr && !output->duration_ms) {
      output->duration_ms = took.count();
    }
    return reply;
  };
}

}  // namespace wright::intercept
