// The interceptors that Wright ships: each wraps every execution of a tool.
// An agent's list is outermost first. All of them may be used from several threads at once; copies
// of one share its state.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "wright/agent.h"
#include "wright/log.h"
#include "wright/people.h"
#include "wright/tool.h"

namespace wright {

// The conveniences, all in one place; see docs/interceptors.md.
struct ToolExecutionOptions {
  bool enable_validation = true;
  bool enable_logging = true;
  bool enable_metadata = true;
  bool log_arguments = true;
  std::optional<std::size_t> truncate_logs = 100;  // characters of a logged value; absent: all
};

// The interceptors for these options, in their order: logging, metadata, timing.
std::vector<Interceptor> conveniences(const ToolExecutionOptions& options = {}, Logger logger = {},
                                      Redactor redactor = {});
// Adds them to the agent, innermost, and sets how it checks arguments. Parts of its tools' schemas
// that cannot be enforced are logged.
void add_conveniences(Agent& agent, const ToolExecutionOptions& options = {}, Logger logger = {},
                      Redactor redactor = {});

namespace intercept {

using MonotonicClock = std::function<std::chrono::steady_clock::time_point()>;
using WallClock = std::function<std::int64_t()>;  // milliseconds since 1970
// Returns after the time, or earlier when asked to stop.
using Pause = std::function<void(std::chrono::nanoseconds, std::stop_token)>;

struct LoggingOptions {
  Logger logger = {};
  bool log_arguments = true;
  std::optional<std::size_t> truncate_logs = 100;
  Redactor redactor = {};
};
Interceptor logging(LoggingOptions options);

// Sets Output::duration_ms, which logging and metadata report.
Interceptor timing();

// Adds `_execution_metadata` to results that are objects.
Interceptor metadata(WallClock clock = {});

struct PermissionRule {
  std::string tool;  // a name; * stands for any characters, ? for one
  Permission permission = Permission::ask;
};
struct PermissionOptions {
  std::vector<PermissionRule> rules = {};  // the first match counts
  Permission otherwise = Permission::allow;
  // Asks a person at hand, or answers from a record of approvals; with an empty answer (or no
  // function), the run waits until somebody has answered.
  std::function<std::optional<Permission>(const Invocation&, const Context&)> ask = {};
};
Interceptor permission(PermissionOptions options);

// Shortens long results to about `bytes`, keeping their shape where that is possible.
Interceptor output_limit(std::size_t bytes);

// In results, errors and progress, in what people are asked (but not in the arguments that they
// approve, nor in Waiting::state), and in what is kept in files.
Interceptor redaction(Redactor redactor);

struct RetryOptions {
  int attempts = 3;  // in all
  std::chrono::milliseconds first_pause{100};
  double factor = 2;
  std::chrono::milliseconds longest_pause{5'000};
  std::function<bool(const Error&)> is_transient = {};  // default: unavailable or timeout
  Pause pause = {};
  std::function<double()> random = {};  // in [0, 1); a pause is 50 to 100 % of its length
};
// Only of tools that read or are idempotent.
Interceptor retry(RetryOptions options = {});

struct CircuitBreakerOptions {
  int threshold = 5;  // failures in a row of one tool
  std::chrono::milliseconds open_for{60'000};
  MonotonicClock clock = {};
};
// After that many failures, calls fail at once; when the time is up, one call may try.
Interceptor circuit_breaker(CircuitBreakerOptions options = {});

struct RateLimitOptions {
  double calls_per_second = 5;
  double burst = 10;  // calls that may be made at once
  enum class WhenExceeded : std::uint8_t { refuse, wait } when_exceeded = WhenExceeded::refuse;
  MonotonicClock clock = {};
  Pause pause = {};
};
Interceptor rate_limit(RateLimitOptions options = {});  // of each tool

struct CacheOptions {
  std::size_t max_entries = 256;
  std::optional<std::chrono::milliseconds> max_age = {};
  MonotonicClock clock = {};
};
// Caches the results of tools that read. For one agent: tools are identified by their names.
Interceptor cache(CacheOptions options = {});

// An interceptor of a function (const Invocation&, const Context&) that is called first. It returns
// nothing, or Result<void>, whose error is the call's result.
template <class Function>
Interceptor before(Function function) {
  return [function](const Invocation& invocation, const Context& context,
                    const Next& next) -> Result<ToolReply> {
    if constexpr (std::is_void_v<decltype(function(invocation, context))>) {
      function(invocation, context);
    } else if (Result<void> allowed = function(invocation, context); !allowed) {
      return std::unexpected(std::move(allowed).error());
    }
    return next(invocation, context);
  };
}

// An interceptor of a function (const Invocation&, const Context&, Result<ToolReply>&) that may
// change the result of the call.
template <class Function>
Interceptor after(Function function) {
  return [function](const Invocation& invocation, const Context& context,
                    const Next& next) -> Result<ToolReply> {
    Result<ToolReply> reply = next(invocation, context);
    function(invocation, context, reply);
    return reply;
  };
}

// The output of a reply, if it is one: not a failure, nor a wait.
inline Output* output_of(Result<ToolReply>& reply) {
  return reply ? std::get_if<Output>(&*reply) : nullptr;
}

}  // namespace intercept
}  // namespace wright
