// What can be asked of a store, and what it answers; see store.h.
//
// Lists are in the order of ids and can be read page by page: the last id of one page begins the
// next. What others write meanwhile moves no row from one page to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "wright/session.h"
#include "wright/store_leases.h"
#include "wright/store_writes.h"

namespace wright {

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Part of a list. Whichever end of it the limit keeps, the rows come oldest first.
struct Page {
  enum class Keep : std::uint8_t { first, last };

  std::optional<std::int64_t> after = {};   // only rows with higher ids
  std::optional<std::int64_t> before = {};  // only rows with lower ids
  std::size_t limit = kNoLimit;
  Keep keep = Keep::first;
};

struct SessionFilter {
  std::optional<std::string> agent_name = {};
  std::optional<SessionStatus> status = {};
  std::optional<SessionId> parent_session_id = {};
  std::int64_t started_since = 0;  // milliseconds
  std::string text = {};           // in the prompt or the result, ignoring ASCII case
  bool is_abandoned = false;       // only running ones that no living runner drives
  // Only sessions that a driver should take: without a parent, not ended, not driven by a living
  // runner, and in whose tree a session is `running`, is wanted cancelled, or has a call that waits
  // although its wait was answered or is overdue, or its specialist has ended.
  bool needs_driver = false;
  bool is_root = false;                           // only those without a parent
  std::optional<std::int64_t> ended_before = {};  // milliseconds; only those that have ended
  std::optional<SessionId> after = {};            // only higher ids
  std::optional<SessionId> before = {};           // only lower ids
  std::size_t limit = 50;                         // newest first
};

struct CallFilter {
  std::optional<CallStatus> status = {};
  Page page = {};
};

struct WaitFilter {
  std::optional<WaitId> id = {};
  std::optional<SessionId> session_id = {};  // with all its descendants
  std::optional<WaitStatus> status = {};
  Page page = {};
};

// What happened to a session, for processes that read it afterwards.
struct StoredEvent {
  EventSequence sequence = 0;  // rises with every event of the store
  SessionId session_id = 0;
  std::string type = {};
  Json data = {};
  std::int64_t at = 0;  // milliseconds since 1970
};

struct EventFilter {
  EventSequence after = 0;
  std::optional<SessionId> session_id = {};  // with all its descendants
  std::size_t limit = 1000;
};

// What others did to sessions that a runner drives. A session below one that it drives counts, too:
// a parked specialist is nobody's, but whoever drives the session above wakes it.
struct RunnerNews {
  std::vector<CancelWish> cancelled = {};
  std::vector<StoredWait> answered = {};  // whose call is still `waiting`; oldest first
};

// What the sessions below one have used, at any depth.
struct SpentBelow {
  Usage usage = {};
  std::int64_t tool_calls = 0;  // that were begun for messages younger than the given one
};

// Sessions of one agent and one model.
struct RunSamples {
  std::string agent_name = {};
  std::string provider = {};
  std::string model = {};
  std::int64_t count = 0;
  std::int64_t failed = 0;
  Usage usage = {};
  std::vector<std::int64_t> durations_ms = {};  // of those that have ended; see duration_ms()
};

// Calls of one tool by sessions of one agent and one model: `completed` and `failed` ones.
struct CallSamples {
  std::string tool_name = {};
  std::string agent_name = {};
  std::string provider = {};
  std::string model = {};
  std::int64_t count = 0;
  std::int64_t failed = 0;
  std::vector<std::int64_t> durations_ms = {};  // of those whose duration is known
};

struct StoreStats {
  std::vector<RunSamples> runs = {};    // by agent, provider, model
  std::vector<CallSamples> calls = {};  // by tool, agent, provider, model
};

struct StatsFilter {
  std::optional<std::string> agent_name = {};
  std::int64_t started_since = 0;  // milliseconds
};

}  // namespace wright
