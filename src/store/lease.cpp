#include "store/lease.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/try.h"
#include "store/runner_words.h"

namespace wright::store {
namespace {

const Runner* find(std::span<const Runner> runners, std::optional<RunnerId> id) {
  const auto found = std::ranges::find_if(runners, [&](const Runner& one) { return one.id == id; });
  return found == runners.end() ? nullptr : &*found;
}

JsonObject detail_of(const Lease& lease) {
  return {{"session_id", lease.session_id}, {"lease_epoch", lease.epoch}};
}

Error held_by(const Lease& lease, const Runner& runner, std::string_view what) {
  JsonObject detail = detail_of(lease);
  detail["runner_id"] = runner.id;
  detail["runner"] = runner.name;
  return {ErrorCode::unavailable,
          fmt::format("Session {} is being driven by {}{}; wait until it has finished",
                      lease.session_id, what, runner_in_words(runner.name)),
          std::move(detail)};
}

}  // namespace

Moment moment_of(const Clocks& clocks) {
  Moment moment{.wall = clocks.wall()};
  if (clocks.boot && !clocks.boot_id.empty()) {
    moment.boot = clocks.boot();
    moment.boot_id = clocks.boot_id;
  }
  return moment;
}

Clocks usable(Clocks clocks) {
  if (!clocks.wall) clocks.wall = system_clock_ms;
  return clocks;
}

bool is_alive(const Runner& runner, const Moment& now) {
  if (now.boot_id && runner.boot_id == *now.boot_id) return runner.boot_expires_at > now.boot;
  return runner.expires_at > now.wall;
}

bool is_alive(std::optional<RunnerId> id, std::span<const Runner> runners, const Moment& now) {
  const Runner* runner = find(runners, id);
  return runner != nullptr && is_alive(*runner, now);
}

std::int64_t expiry(std::int64_t now, std::chrono::milliseconds time) {
  std::int64_t at = 0;
  if (!__builtin_add_overflow(now, std::int64_t{time.count()}, &at)) return at;
  return time.count() > 0 ? std::numeric_limits<std::int64_t>::max()
                          : std::numeric_limits<std::int64_t>::min();
}

void renew(Runner& runner, std::chrono::milliseconds time, const Moment& now) {
  runner.expires_at = expiry(now.wall, time);
  runner.boot_id = now.boot_id.value_or("");
  runner.boot_expires_at = now.boot_id ? expiry(now.boot, time) : 0;
}

Result<void> check_alive(RunnerId runner_id, std::span<const Runner> runners, const Moment& now) {
  const Runner* runner = find(runners, runner_id);
  if (runner == nullptr) {
    return fail(
        ErrorCode::unavailable,
        fmt::format("Runner {} was ended or never registered; register it again", runner_id));
  }
  if (!is_alive(*runner, now)) {
    return fail(ErrorCode::unavailable,
                fmt::format("The store has not heard of runner {} ({}) for too long; it must tell "
                            "that it is alive first",
                            runner_id, runner_in_words(runner->name)));
  }
  return {};
}

Result<void> check_free(const Lease& lease, std::span<const Runner> runners, const Moment& now) {
  const Runner* holder = find(runners, lease.runner_id);
  if (holder == nullptr || !is_alive(*holder, now)) return {};
  return std::unexpected(held_by(lease, *holder, ""));
}

Result<Lease> taken(const Lease& lease, const ClaimLease& take, std::span<const Runner> runners,
                    const Moment& now) {
  const bool is_own = lease.runner_id == take.runner_id;
  if (!is_own) {
    TRY(check_free(lease, runners, now));
  }
  TRY(check_alive(take.runner_id, runners, now));
  if (is_own && !take.expected_epoch) {
    return std::unexpected(held_by(lease, *find(runners, lease.runner_id), "this very process, "));
  }
  if (take.expected_epoch && *take.expected_epoch != lease.epoch) {
    return fail(ErrorCode::already_exists,
                fmt::format("Session {} has been driven by somebody else meanwhile; load it again",
                            lease.session_id),
                detail_of(lease));
  }
  return Lease{lease.session_id, take.runner_id, lease.epoch + 1};
}

Result<void> check_held(const Lease& lease, const HoldLease& hold, std::span<const Runner> runners,
                        const Moment& now) {
  const Runner* holder = find(runners, lease.runner_id);
  const bool is_held = holder != nullptr && is_alive(*holder, now);
  if (lease.runner_id != hold.runner_id) {
    if (is_held) return std::unexpected(held_by(lease, *holder, ""));
    return fail(ErrorCode::unavailable,
                fmt::format("Session {} is not driven by runner {}; take it first",
                            lease.session_id, hold.runner_id),
                detail_of(lease));
  }
  if (!is_held) {
    return fail(
        ErrorCode::unavailable,
        fmt::format("The store has not heard for too long of the process that drives "
                    "session {}{}: another may go on with it",
                    lease.session_id,
                    holder == nullptr ? "" : fmt::format(" ({})", runner_in_words(holder->name))),
        detail_of(lease));
  }
  if (!hold.epoch || *hold.epoch == lease.epoch) return {};
  return std::unexpected(held_by(lease, *holder, "another driver of "));
}

Error no_runner(RunnerId id) {
  return {ErrorCode::not_found, fmt::format("There is no runner {}", id), {}};
}

}  // namespace wright::store
