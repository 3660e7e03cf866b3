// What a run and all specialists below it may use. A call of a model is reserved before it is made,
// at the most it can cost, so that two of them at once cannot pass the limit together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wright/agent.h"

namespace wright::session {

struct Spending {
  std::int64_t tokens = 0;
  double cost_usd = 0;
};

Spending operator+(const Spending& a, const Spending& b);
Spending spending_of(const Usage& usage);

// Absent is no limit.
struct BudgetLeft {
  std::optional<std::int64_t> tokens = {};
  std::optional<double> cost_usd = {};
};

class Budget {
 public:
  // `used` was spent and `tool_calls` were begun before, for example before a restart. `above`,
  // which may be null, outlives this one.
  Budget(const Limits& limits, Spending used, int tool_calls, Budget* above);
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // Another agent goes on, with limits of its own; what is used stays used.
  void change(const Limits& limits);

  // Reserves in this budget and in all above it, or in none. The error says which limit it is: its
  // detail is the name of the limit.
  Result<void> reserve(const Spending& most);
  // The call is over; what was reserved becomes what it really was.
  void settle(const Spending& reserved, const Spending& spent);

  // The user spoke: calls are counted anew.
  void user_spoke() { tool_calls_ = 0; }
  // One more call of a tool, here and in all above, or in none.
  Result<void> reserve_tool_call();

  // Whether anybody asks what a model costs.
  bool counts_spending() const;
  // Here and in all above: the least of them.
  BudgetLeft left() const;

 private:
  Result<void> check(const Spending& most) const;

  std::optional<std::int64_t> max_tokens_;
  std::optional<double> max_cost_usd_;
  std::optional<int> max_tool_calls_;
  Budget* const above_;
  Spending used_;  // with what is reserved
  int tool_calls_;
};

}  // namespace wright::session
