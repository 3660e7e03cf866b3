// Who may drive a session: the rules of TakeLease, HoldLease and NewSession::runner_id, over plain
// values. Knows nothing about any database; the SQLite store asks here only why it refused.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "wright/store.h"

namespace wright::store {

struct Lease {
  SessionId session_id = 0;
  std::optional<RunnerId> runner_id = {};
  int epoch = 0;
};

bool is_alive(const Runner& runner, std::int64_t now);

// `now` plus `time`, and no overflow.
std::int64_t expiry(std::int64_t now, std::chrono::milliseconds time);

// The lease as it is after the runner took it.
Result<Lease> taken(const Lease& lease, const TakeLease& take, std::span<const Runner> runners,
                    std::int64_t now);

Result<void> check_held(const Lease& lease, RunnerId runner_id, std::span<const Runner> runners,
                        std::int64_t now);

// Only a runner whose time is not over may take or begin a session.
Result<void> check_alive(RunnerId runner_id, std::span<const Runner> runners, std::int64_t now);

Error no_runner(RunnerId id);

}  // namespace wright::store
