#include "app/wiring/tool_execution.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "agents/call_options.h"
#include "app/wiring/shipped.h"
#include "wright/tools.h"

namespace wright::app {
namespace {

// The settings of one agent, typed. Each part is absent where they leave it out.
class CallSettings {
 public:
  CallSettings(std::string_view agent, const Settings& settings)
      : agent_(agent), settings_(settings) {}

  Strictness strictness() const {
    return text(keys::kStrictness) == "lenient" ? Strictness::lenient : Strictness::strict;
  }
  Coercion coercion() const { return flag(keys::kCoercion) ? Coercion::on : Coercion::off; }
  int retry_budget() const { return count<int>(keys::kRetryBudget); }

  std::optional<intercept::CacheOptions> cache() const {
    const auto entries = count<std::size_t>(keys::kCacheEntries);
    if (entries == 0) return std::nullopt;
    return intercept::CacheOptions{.max_entries = entries, .max_age = duration(keys::kCacheAge)};
  }

  std::optional<intercept::CircuitBreakerOptions> circuit_breaker() const {
    const int failures = count<int>(keys::kCircuitBreakerFailures);
    if (failures == 0) return std::nullopt;
    return intercept::CircuitBreakerOptions{
        .threshold = failures, .open_for = duration(keys::kCircuitBreakerPause).value()};
  }

  std::optional<intercept::RetryOptions> retry() const {
    const int attempts = count<int>(keys::kRetryAttempts);
    if (attempts <= 1) return std::nullopt;
    return intercept::RetryOptions{.attempts = attempts,
                                   .first_pause = duration(keys::kRetryPause).value(),
                                   .longest_pause = duration(keys::kRetryLongestPause).value()};
  }

  std::optional<intercept::RateLimitOptions> rate_limit() const {
    using WhenExceeded = intercept::RateLimitOptions::WhenExceeded;
    const auto rate = rate_from(text(keys::kRateLimit));
    if (!rate) return std::nullopt;
    return intercept::RateLimitOptions{.calls_per_second = *rate,
                                       .burst = count<double>(keys::kRateLimitBurst),
                                       .when_exceeded = text(keys::kRateLimitAction) == "wait"
                                                            ? WhenExceeded::wait
                                                            : WhenExceeded::refuse};
  }

  // Absent: each tool's own. 0: none.
  std::optional<std::chrono::milliseconds> timeout() const {
    if (text(keys::kTimeout) == "off") return std::chrono::milliseconds(0);
    return duration(keys::kTimeout);
  }

  std::size_t output_limit() const { return count<std::size_t>(keys::kOutputLimit); }

  SecretsInResults secrets() const {
    return flag(keys::kRedaction) ? SecretsInResults::hidden : SecretsInResults::shown;
  }

 private:
  const SettingValue& value(const ConfigKey& key) const { return settings_.get(key, agent_).value; }
  bool flag(const ConfigKey& key) const { return std::get<bool>(value(key)); }
  const std::string& text(const ConfigKey& key) const { return std::get<std::string>(value(key)); }
  template <class Number>
  Number count(const ConfigKey& key) const {
    return static_cast<Number>(std::get<std::int64_t>(value(key)));
  }
  // Nothing for a word such as "off".
  std::optional<std::chrono::milliseconds> duration(const ConfigKey& key) const {
    return duration_from(text(key));
  }

  std::string_view agent_;
  const Settings& settings_;
};

}  // namespace

void set_up_calls(Agent& agent, const Settings& settings, const Logger& logger,
                  const OwnSettings& own) {
  const CallSettings calls(agent.name, settings);
  CallOptions options{.execution = settings.tool_execution(agent.name, own.values),
                      .strictness = calls.strictness(),
                      .coercion = calls.coercion(),
                      .retry_budget = calls.retry_budget(),
                      .cache = calls.cache(),
                      .circuit_breaker = calls.circuit_breaker(),
                      .retry = calls.retry(),
                      .rate_limit = calls.rate_limit(),
                      .timeout = calls.timeout(),
                      .output_limit = calls.output_limit(),
                      .secrets = calls.secrets(),
                      .logger = logger,
                      .redactor = settings.redactor()};
  for (const auto& rules : {settings.permissions(), own.permissions}) {
    if (!rules.empty()) options.permissions.push_back(rules);
  }
  wright::set_up_calls(agent, options);
  // Without a home it is not there, and long output is cut.
  if (settings.output_folder().empty()) return;
  if (auto spill = spill_output({.folder = output_of_project(settings)})) {
    agent.spill = std::move(*spill);
  }
}

}  // namespace wright::app
