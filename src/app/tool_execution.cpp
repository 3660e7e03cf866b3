#include "app/tool_execution.h"

#include <algorithm>
#include <array>
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

  std::optional<Interceptor> validation() const {
    if (!flag(keys::kEnableValidation)) return std::nullopt;
    const bool is_lenient = text(keys::kStrictness) == "lenient";
    return intercept::validation(
        {.strictness = is_lenient ? intercept::Strictness::lenient : intercept::Strictness::strict,
         .coercion = flag(keys::kCoercion) ? intercept::Coercion::on : intercept::Coercion::off,
         .retry_budget = count<int>(keys::kRetryBudget),
         .logger = logger_,
         .redactor = redactor_});
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
               const ToolCall& call, Context& context, const Next& next) {
      return by_settings(call, context, Next([&](const ToolCall& same, Context& inner) {
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

  std::optional<Interceptor> timeout() const {
    if (text(keys::kTimeout) == "off") return std::nullopt;
    return intercept::timeout({.limit = duration(keys::kTimeout)});
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

  // Those that the settings name, then the others.
  std::vector<std::string_view> order() const {
    auto names = names_in(text(keys::kOrder));
    for (const std::string_view name : names_in(keys::kInterceptors)) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return names;
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

struct Entry {
  std::string_view name;  // as in the setting `order`
  std::optional<Interceptor> (Maker::*make)() const;
};
constexpr std::array kEntries{Entry{"logging", &Maker::logging},
                              Entry{"validation", &Maker::validation},
                              Entry{"metadata", &Maker::metadata},
                              Entry{"timing", &Maker::timing},
                              Entry{"permission", &Maker::permission},
                              Entry{"cache", &Maker::cache},
                              Entry{"circuit_breaker", &Maker::circuit_breaker},
                              Entry{"retry", &Maker::retry},
                              Entry{"rate_limit", &Maker::rate_limit},
                              Entry{"timeout", &Maker::timeout},
                              Entry{"output_limit", &Maker::output_limit},
                              Entry{"redaction", &Maker::redaction}};

}  // namespace

std::vector<Interceptor> make_interceptors(std::string_view agent, const Settings& settings,
                                           const Logger& logger,
                                           std::vector<intercept::PermissionRule> own_rules) {
  const Maker maker(agent, settings, logger, std::move(own_rules));
  std::vector<Interceptor> list;
  // Outermost, because what it offers is used by tools and after them. Without a home it is not
  // there, and long output is cut.
  if (!settings.output_folder().empty()) {
    if (auto spill = spill_output({.folder = settings.output_folder()})) {
      list.push_back(std::move(*spill));
    }
  }
  for (const std::string_view name : maker.order()) {
    const auto entry = std::ranges::find(kEntries, name, &Entry::name);
    if (auto made = (maker.*entry->make)()) list.push_back(std::move(*made));
  }
  return list;
}

}  // namespace wright::app
