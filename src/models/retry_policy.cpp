#include "models/retry_policy.h"

#include <boost/json/object.hpp>

#include <algorithm>
#include <cmath>

#include "core/passing_errors.h"

namespace wright::models {

using std::chrono::milliseconds;

bool is_passing(const Error& error) {
  const Json* is_final = error.find("is_final");
  if (is_final != nullptr && is_final->is_bool() && is_final->get_bool()) return false;
  return may_pass(error.code);
}

std::optional<milliseconds> asked_wait(const Error& error) {
  const Json* wait = error.find("retry_after_ms");
  if (wait == nullptr || !wait->is_number()) return std::nullopt;
  const double asked = wait->to_number<double>();
  if (!(asked >= 0)) return std::nullopt;
  constexpr double kDay = 24.0 * 3600 * 1000;
  return milliseconds(static_cast<std::int64_t>(std::min(asked, kDay)));
}

std::optional<milliseconds> wait_before_retry(const Error& error, const Attempts& attempts,
                                              double chance, const RetryOptions& options) {
  if (!is_passing(error) || attempts.failed > options.retries) return std::nullopt;
  // Doubles with every attempt; a random part between half and all of it. A vendor without room
  // needs longer than one that stumbled.
  const bool is_without_room =
      error.code == ErrorCode::overloaded || error.code == ErrorCode::rate_limited;
  const int doublings = std::min(attempts.failed - 1, 30) + (is_without_room ? 3 : 0);
  const double doubled = std::ldexp(static_cast<double>(options.first_wait.count()), doublings);
  const double capped = std::min(doubled, static_cast<double>(options.longest_wait.count()));
  milliseconds wait(static_cast<std::int64_t>(capped * (0.5 + chance / 2)));
  if (const auto asked = asked_wait(error)) {
    if (*asked > options.longest_asked_wait) return std::nullopt;
    // Retrying earlier than asked only makes it worse; a little later spreads the load.
    wait = std::max(wait, *asked + milliseconds(static_cast<std::int64_t>(chance * 250)));
  }
  if (attempts.spent + wait >= options.deadline) return std::nullopt;
  return wait;
}

}  // namespace wright::models
