// What surrounds every call of an agent, as values: from these to the interceptors, in their order.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "wright/agent.h"
#include "wright/interceptors.h"

namespace wright {

enum class SecretsInResults : std::uint8_t { hidden, shown };

struct CallOptions {
  ToolExecutionOptions execution = {};
  Strictness strictness = Strictness::strict;  // where arguments are checked at all
  Coercion coercion = Coercion::off;
  int retry_budget = ValidationOptions{}.retry_budget;
  // Several lists of rules: what one of them forbids is forbidden.
  std::vector<std::vector<intercept::PermissionRule>> permissions = {};
  std::optional<intercept::CacheOptions> cache = {};
  std::optional<intercept::CircuitBreakerOptions> circuit_breaker = {};
  std::optional<intercept::RetryOptions> retry = {};
  std::optional<intercept::RateLimitOptions> rate_limit = {};
  std::optional<std::chrono::milliseconds> timeout = {};  // absent: each tool's own; 0: none
  std::size_t output_limit = 0;                           // bytes; 0: each tool's own
  SecretsInResults secrets = SecretsInResults::hidden;
  Logger logger = {};
  Redactor redactor = {};
};

// Replaces the agent's interceptors, and sets how it checks arguments and how long its tools may
// take.
void set_up_calls(Agent& agent, const CallOptions& options);

}  // namespace wright
