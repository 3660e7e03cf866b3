// Writes that say who drives a session: runners and their leases, the queue, and the wish to
// cancel. They come in batches with those of store_writes.h.
//
// A session belongs to at most one living runner. Every take raises the session's lease_epoch, so
// that two drivers of one process can be told apart, too: what a driver writes holds the session
// with the epoch that it took it with.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wright/session.h"

namespace wright {

// A process that drives sessions. A running session belongs to one runner as long as that one's
// time is not over; every other is refused. Registered once, renewed by a heartbeat. Processes of
// the same boot of a machine judge its time by that machine's boot clock, which never jumps; others
// by the wall clock.
struct Runner {
  RunnerId id = 0;
  std::string name = {};  // says which process it is, to other processes of the same machine
  std::int64_t expires_at = 0;
  std::string boot_id = {};  // empty: it has no boot clock
  std::int64_t boot_expires_at = 0;
};

struct RegisterRunner {
  std::string name = {};
  std::chrono::milliseconds time = {};  // how long it lives from now on, unless it is renewed
};
// Refused (ErrorCode::not_found) when somebody has ended it.
struct RenewRunner {
  RunnerId runner_id = 0;
  std::chrono::milliseconds time = {};
};
// Its sessions are free from now on. Ending one that has ended changes nothing.
struct EndRunner {
  RunnerId runner_id = 0;
};

// The runner takes the session; the new epoch is in BatchIds::epochs. Refused
// (ErrorCode::unavailable) when the runner is not alive, and while a living runner has the session,
// be it this one. With `expected_epoch` a runner may take again what it has; refused
// (ErrorCode::already_exists) when the epoch is another by now: somebody has driven the session
// meanwhile.
struct ClaimLease {
  SessionId session_id = 0;
  RunnerId runner_id = 0;
  std::optional<int> expected_epoch = {};
};
// Refuses the whole batch (ErrorCode::unavailable) unless the session is this runner's, was taken
// with this epoch, and the runner is alive. Error::detail has the session's `lease_epoch` and,
// where a living runner has it, `runner_id` and `runner` (its name).
struct HoldLease {
  SessionId session_id = 0;
  RunnerId runner_id = 0;
  std::optional<int> epoch = {};
};
// Releases the session; nothing else about it changes. Does nothing when it is not this runner's,
// or was taken with another epoch.
struct ReleaseLease {
  SessionId session_id = 0;
  RunnerId runner_id = 0;
  std::optional<int> epoch = {};
};

// Asks whoever drives the session, now or later, to cancel it. The wish stays until the session has
// ended; the first reason counts. Refused (ErrorCode::already_exists, with `status` in
// Error::detail) when the session has ended already.
struct RequestCancel {
  SessionId session_id = 0;
  std::string reason = {};
};

// A session that has ended gets its next user message and is `queued`. Refused
// (ErrorCode::unavailable) as long as it has not ended or a living runner has it, and
// (ErrorCode::invalid_argument) when it is a specialist's.
struct Enqueue {
  SessionId session_id = 0;
  Message message = {};
  int priority = 0;                           // higher ones come first
  std::optional<std::int64_t> ready_at = {};  // not before; milliseconds since 1970
};
// Takes up to `most` queued sessions that are ready: each is `running` and the runner's, with a new
// epoch, and listed in BatchIds::claimed. Agents take turns, the one that was served longest ago
// first; of one agent the highest priority comes first, then the oldest. Finding none is no error.
// Refused (ErrorCode::unavailable) when the runner is not alive.
struct Claim {
  RunnerId runner_id = 0;
  std::vector<std::string> agent_names = {};  // none: any
  std::size_t most = 1;
};

struct ClaimedSession {
  SessionId session_id = 0;
  int epoch = 0;

  bool operator==(const ClaimedSession&) const = default;
};

struct CancelWish {
  SessionId session_id = 0;
  std::string reason = {};

  bool operator==(const CancelWish&) const = default;
};

}  // namespace wright
