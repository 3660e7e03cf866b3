#include "session/budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/counted.h"
#include "core/saturating.h"
#include "core/try.h"

namespace wright::session {

Spending operator+(const Spending& a, const Spending& b) {
  return {saturating_sum(a.tokens, b.tokens), a.cost_usd + b.cost_usd};
}

Spending spending_of(const Usage& usage) {
  return {saturating_sum(usage.input_tokens, usage.output_tokens), usage.cost_usd};
}

Budget::Budget(const Limits& limits, Spending used, int tool_calls, Budget* above)
    : max_tokens_(limits.max_tokens),
      max_cost_usd_(limits.max_cost_usd),
      max_tool_calls_(limits.max_tool_calls),
      above_(above),
      used_(used),
      tool_calls_(tool_calls) {}

void Budget::change(const Limits& limits) {
  max_tokens_ = limits.max_tokens;
  max_cost_usd_ = limits.max_cost_usd;
  max_tool_calls_ = limits.max_tool_calls;
}

Result<void> Budget::check(const Spending& most) const {
  if (max_tokens_ && saturating_sum(used_.tokens, most.tokens) > *max_tokens_) {
    return std::unexpected(limit_error(
        Limit::tokens, fmt::format("The limit of {} tokens would be passed: {} are used, and the "
                                   "next call may take {}",
                                   *max_tokens_, used_.tokens, most.tokens)));
  }
  if (max_cost_usd_ && used_.cost_usd + most.cost_usd > *max_cost_usd_) {
    return std::unexpected(limit_error(
        Limit::cost, fmt::format("The limit of ${:.4f} would be passed: ${:.4f} is spent, and the "
                                 "next call may cost ${:.4f}",
                                 *max_cost_usd_, used_.cost_usd, most.cost_usd)));
  }
  return {};
}

Result<void> Budget::reserve(const Spending& most) {
  TRY(check(most));
  if (above_ != nullptr) {
    TRY(above_->reserve(most));
  }
  used_ = used_ + most;
  return {};
}

void Budget::settle(const Spending& reserved, const Spending& spent) {
  used_.tokens = saturating_sum(used_.tokens, saturating_difference(spent.tokens, reserved.tokens));
  used_.cost_usd += spent.cost_usd - reserved.cost_usd;
  if (above_ != nullptr) above_->settle(reserved, spent);
}

Result<void> Budget::reserve_tool_call() {
  if (max_tool_calls_ && tool_calls_ >= *max_tool_calls_) {
    return std::unexpected(limit_error(
        Limit::tool_calls, fmt::format("The limit of {} was reached",
                                       counted(*max_tool_calls_, "tool call", "tool calls"))));
  }
  if (above_ != nullptr) {
    TRY(above_->reserve_tool_call());
  }
  ++tool_calls_;
  return {};
}

BudgetLeft Budget::left() const {
  BudgetLeft left = above_ != nullptr ? above_->left() : BudgetLeft{};
  if (max_tokens_) {
    const std::int64_t own = *max_tokens_ - used_.tokens;
    left.tokens = std::min(left.tokens.value_or(own), own);
  }
  if (max_cost_usd_) {
    const double own = *max_cost_usd_ - used_.cost_usd;
    left.cost_usd = std::min(left.cost_usd.value_or(own), own);
  }
  return left;
}

bool Budget::counts_spending() const {
  return max_tokens_ || max_cost_usd_ || (above_ != nullptr && above_->counts_spending());
}

}  // namespace wright::session
