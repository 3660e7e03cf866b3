#include "store/lease.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <limits>

namespace wright::store {
namespace {

const Runner* find(std::span<const Runner> runners, std::optional<RunnerId> id) {
  const auto found = std::ranges::find_if(runners, [&](const Runner& one) { return one.id == id; });
  return found == runners.end() ? nullptr : &*found;
}

Error held_by(SessionId session_id, const Runner& runner) {
  return {ErrorCode::unavailable,
          fmt::format("Session {} is being driven by {}; wait until it has finished", session_id,
                      runner.name),
          JsonObject{{"runner_id", runner.id}, {"runner", runner.name}}};
}

}  // namespace

bool is_alive(const Runner& runner, std::int64_t now) {
  return runner.expires_at > now;
}

std::int64_t expiry(std::int64_t now, std::chrono::milliseconds time) {
  std::int64_t at = 0;
  if (!__builtin_add_overflow(now, std::int64_t{time.count()}, &at)) return at;
  return time.count() > 0 ? std::numeric_limits<std::int64_t>::max()
                          : std::numeric_limits<std::int64_t>::min();
}

Result<void> check_alive(RunnerId runner_id, std::span<const Runner> runners, std::int64_t now) {
  const Runner* runner = find(runners, runner_id);
  if (runner == nullptr) {
    return fail(
        ErrorCode::unavailable,
        fmt::format("Runner {} was ended or never registered; register it again", runner_id));
  }
  if (!is_alive(*runner, now)) {
    return fail(
        ErrorCode::unavailable,
        fmt::format("The time of runner {} ({}) is over; renew it first", runner_id, runner->name));
  }
  return {};
}

Result<Lease> taken(const Lease& lease, const TakeLease& take, std::span<const Runner> runners,
                    std::int64_t now) {
  const bool is_own = lease.runner_id == take.runner_id;
  const Runner* holder = find(runners, lease.runner_id);
  if (!is_own && holder != nullptr && is_alive(*holder, now)) {
    return std::unexpected(held_by(lease.session_id, *holder));
  }
  if (auto alive = check_alive(take.runner_id, runners, now); !alive) {
    return std::unexpected(std::move(alive).error());
  }
  if (take.expected_epoch && *take.expected_epoch != lease.epoch) {
    return fail(ErrorCode::already_exists,
                fmt::format("Session {} has been driven by somebody else meanwhile; load it again",
                            lease.session_id),
                JsonObject{{"lease_epoch", lease.epoch}});
  }
  return Lease{lease.session_id, take.runner_id, lease.epoch + (is_own ? 0 : 1)};
}

Result<void> check_held(const Lease& lease, RunnerId runner_id, std::span<const Runner> runners,
                        std::int64_t now) {
  if (lease.runner_id == runner_id) return check_alive(runner_id, runners, now);
  const Runner* holder = find(runners, lease.runner_id);
  if (holder != nullptr && is_alive(*holder, now)) {
    return std::unexpected(held_by(lease.session_id, *holder));
  }
  return fail(ErrorCode::unavailable,
              fmt::format("Session {} is not driven by runner {}; take it first", lease.session_id,
                          runner_id));
}

Error no_runner(RunnerId id) {
  return {ErrorCode::not_found, fmt::format("There is no runner {}", id), {}};
}

}  // namespace wright::store
