#include "agents/call_options.h"

#include "core/call_preview.h"

namespace wright {
namespace {

// Outermost first. What logs stands before what may refuse; what hides secrets is next to the tool.
std::vector<Interceptor> interceptors_of(const CallOptions& options) {
  std::vector<Interceptor> list = conveniences(options.execution, options.logger, options.redactor);
  for (const auto& rules : options.permissions) {
    list.push_back(intercept::permission({.rules = rules}));
  }
  if (options.cache) list.push_back(intercept::cache(*options.cache));
  if (options.circuit_breaker) {
    list.push_back(intercept::circuit_breaker(*options.circuit_breaker));
  }
  if (options.retry) list.push_back(intercept::retry(*options.retry));
  if (options.rate_limit) list.push_back(intercept::rate_limit(*options.rate_limit));
  if (options.output_limit > 0) list.push_back(intercept::output_limit(options.output_limit));
  if (options.secrets == SecretsInResults::hidden) {
    list.push_back(intercept::redaction(options.redactor));
  }
  return list;
}

}  // namespace

void set_up_calls(Agent& agent, const CallOptions& options) {
  agent.interceptors = interceptors_of(options);
  agent.validation = {
      .strictness = options.execution.enable_validation ? options.strictness : Strictness::off,
      .coercion = options.coercion,
      .retry_budget = options.retry_budget,
      .logger = options.logger,
      .redactor = options.redactor};
  const bool hides = options.secrets == SecretsInResults::hidden;
  if (!options.timeout && !hides) return;
  const auto set = [hides, timeout = options.timeout,
                    redactor = options.redactor](std::span<Tool> tools) {
    for (Tool& tool : tools) {
      if (timeout) {
        tool.spec.options.timeout = timeout->count() > 0 ? timeout : std::nullopt;
      }
      if (hides) tool = with_hidden_secrets(std::move(tool), redactor);
    }
  };
  set(agent.tools);
  if (!agent.tools_now) return;
  agent.tools_now = [set, now = std::move(agent.tools_now)](std::span<const Tool> tools) {
    auto changed = now(tools);
    if (changed) set(*changed);
    return changed;
  };
}

}  // namespace wright
