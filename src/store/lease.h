// Who may drive a session: the rules of ClaimLease, HoldLease, NewSession::runner_id and the like,
// over plain values. Knows nothing about any database; the SQLite store asks here only why it
// refused.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "wright/store.h"

namespace wright::store {

// When something is written or read, by all clocks there are.
struct Moment {
  std::int64_t wall = 0;
  std::int64_t boot = 0;
  std::optional<std::string> boot_id = {};  // of `boot`; absent when there is no such clock
};
Moment moment_of(const Clocks& clocks);
// A wall clock is needed: the system's stands in for one that is absent.
Clocks usable(Clocks clocks);

struct Lease {
  SessionId session_id = 0;
  std::optional<RunnerId> runner_id = {};
  int epoch = 0;
};

bool is_alive(const Runner& runner, const Moment& now);
// Also false when there is no such runner.
bool is_alive(std::optional<RunnerId> id, std::span<const Runner> runners, const Moment& now);

// `now` plus `time`, and no overflow.
std::int64_t expiry(std::int64_t now, std::chrono::milliseconds time);
// The runner lives for `time` from now on.
void renew(Runner& runner, std::chrono::milliseconds time, const Moment& now);

// The lease as it is after the runner took it.
Result<Lease> taken(const Lease& lease, const ClaimLease& take, std::span<const Runner> runners,
                    const Moment& now);

Result<void> check_held(const Lease& lease, const HoldLease& hold, std::span<const Runner> runners,
                        const Moment& now);

// Only a runner whose time is not over may take or begin a session.
Result<void> check_alive(RunnerId runner_id, std::span<const Runner> runners, const Moment& now);

// Refuses while a living runner has the session.
Result<void> check_free(const Lease& lease, std::span<const Runner> runners, const Moment& now);

Error no_runner(RunnerId id);

}  // namespace wright::store
