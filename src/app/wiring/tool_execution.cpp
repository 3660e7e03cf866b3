#include "app/wiring/tool_execution.h"

#include <chrono>
#include <optional>

#include "wright/tools.h"

namespace wright::app {
namespace {

// The settings of one agent, typed, and what its interceptors share.
class Maker {
 public:
  Maker(std::string_view agent, const Settings& settings, const Logger& logger,
        std::vector<intercept::PermissionRule> own_rules)
      : agent_(agent),
        settings_(settings),
        logger_(logger),
        redactor_(settings.secrets()),
        own_rules_(std::move(own_rules)) {}

  // Each gives its interceptor, or nothing where the settings leave it out.

  std::optional<Interceptor> logging() const {
    if (!flag(keys::kEnableLogging)) return std::nullopt;
    return intercept::logging({.logger = logger_,
                               .log_arguments = flag(keys::kLogArguments),
                               .truncate_logs = count<std::size_t>(keys::kTruncateLogs),
                               .redactor = redactor_});
  }

  ValidationOptions validation() const {
    ValidationOptions options{.coercion = flag(keys::kCoercion) ? Coercion::on : Coercion::off,
                              .retry_budget = count<int>(keys::kRetryBudget),
                              .logger = logger_,
                              .redactor = redactor_};
    if (!flag(keys::kEnableValidation)) {
      options.strictness = Strictness::off;
    } else if (text(keys::kStrictness) == "lenient") {
      options.strictness = Strictness::lenient;
    }
    return options;
  }

  std::optional<Interceptor> metadata() const {
    if (!flag(keys::kEnableMetadata)) return std::nullopt;
    return intercept::metadata();
  }

  std::optional<Interceptor> timing() const {
    if (!flag(keys::kEnableLogging) && !flag(keys::kEnableMetadata)) return std::nullopt;
    return intercept::timing();
  }

  std::optional<Interceptor> permission() const {
    auto rules = settings_.permissions();
    if (rules.empty() && own_rules_.empty()) return std::nullopt;
    Interceptor by_settings = intercept::permission({.rules = std::move(rules)});
    if (own_rules_.empty()) return by_settings;
    // One after the other: what either forbids is forbidden.
    return [by_settings, by_agent = intercept::permission({.rules = own_rules_})](
               const Invocation& invocation, const Context& context, const Next& next) {
      return by_settings(invocation, context,
                         Next([&](const Invocation& same, const Context& inner) {
                           return by_agent(same, inner, next);
                         }));
    };
  }

  std::optional<Interceptor> cache() const {
    const auto entries = count<std::size_t>(keys::kCacheEntries);
    if (entries == 0) return std::nullopt;
    return intercept::cache({.max_entries = entries, .max_age = duration(keys::kCacheAge)});
  }

  std::optional<Interceptor> circuit_breaker() const {
    const int failures = count<int>(keys::kCircuitBreakerFailures);
    if (failures == 0) return std::nullopt;
    return intercept::circuit_breaker(
        {.threshold = failures, .open_for = duration(keys::kCircuitBreakerPause).value()});
  }

  std::optional<Interceptor> retry() const {
    const int attempts = count<int>(keys::kRetryAttempts);
    if (attempts <= 1) return std::nullopt;
    return intercept::retry({.attempts = attempts,
                             .first_pause = duration(keys::kRetryPause).value(),
                             .longest_pause = duration(keys::kRetryLongestPause).value()});
  }

  std::optional<Interceptor> rate_limit() const {
    using WhenExceeded = intercept::RateLimitOptions::WhenExceeded;
    const auto rate = rate_from(text(keys::kRateLimit));
    if (!rate) return std::nullopt;
    return intercept::rate_limit({.calls_per_second = *rate,
                                  .burst = count<double>(keys::kRateLimitBurst),
                                  .when_exceeded = text(keys::kRateLimitAction) == "wait"
                                                       ? WhenExceeded::wait
                                                       : WhenExceeded::refuse});
  }

  // Nothing: each tool's own. 0: none.
  std::optional<std::chrono::milliseconds> timeout() const {
    if (text(keys::kTimeout) == "off") return std::chrono::milliseconds(0);
    return duration(keys::kTimeout);
  }

  std::optional<Interceptor> output_limit() const {
    const auto bytes = count<std::size_t>(keys::kOutputLimit);
    if (bytes == 0) return std::nullopt;
    return intercept::output_limit(bytes);
  }

  std::optional<Interceptor> redaction() const {
    if (!flag(keys::kRedaction)) return std::nullopt;
    return intercept::redaction(redactor_);
  }

  // Outermost first. What logs stands before what may refuse; what hides secrets is next to the
  // tool.
  std::vector<Interceptor> interceptors() const {
    std::vector<Interceptor> list;
    for (auto made : {logging(), metadata(), timing(), permission(), cache(), circuit_breaker(),
                      retry(), rate_limit(), output_limit(), redaction()}) {
      if (made) list.push_back(std::move(*made));
    }
    return list;
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
  const Logger& logger_;
  Redactor redactor_;
  std::vector<intercept::PermissionRule> own_rules_;
};

}  // namespace

void set_up_calls(Agent& agent, const Settings& settings, const Logger& logger,
                  std::vector<intercept::PermissionRule> own_rules) {
  const Maker maker(agent.name, settings, logger, std::move(own_rules));
  agent.interceptors = maker.interceptors();
  agent.validation = maker.validation();
  if (const auto limit = maker.timeout()) {
    for (Tool& tool : agent.tools) {
      tool.spec.options.timeout = limit->count() > 0 ? limit : std::nullopt;
    }
  }
  // Without a home it is not there, and long output is cut.
  if (settings.output_folder().empty()) return;
  if (auto spill = spill_output({.folder = settings.output_folder()})) {
    agent.spill = std::move(*spill);
  }
}

}  // namespace wright::app
