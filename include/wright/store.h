// Where sessions live: what can be asked of a store, and the stores there are.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "wright/error.h"
#include "wright/session.h"
#include "wright/store_writes.h"

namespace wright {

// Lists are in the order of ids and can be read page by page: the last id of one page begins the
// next. What others write meanwhile moves no row from one page to another.

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
  std::optional<std::string> tenant = {};  // "" are those without one
  std::int64_t started_since = 0;          // milliseconds
  std::string text = {};                   // in the prompt or the result, ignoring ASCII case
  bool is_abandoned = false;               // only running ones that no living runner drives
  // Only sessions that a driver should take: without a parent, not ended, not driven by a living
  // runner, and in whose tree a session is `running`, is to be cancelled, or has a call that waits
  // although its wait was answered or is overdue, or its specialist has ended.
  bool needs_driver = false;
  bool is_root = false;                           // only those without a parent
  std::optional<std::int64_t> ended_before = {};  // milliseconds; only those that have ended
  std::optional<SessionId> after = {};            // only higher ids
  std::optional<SessionId> before = {};           // only lower ids
  std::size_t limit = 50;                         // newest first
  Page::Keep keep = Page::Keep::last;             // which of them the limit keeps
  // A row that cannot be read is an error of the whole list. With this, it comes as a `failed`
  // session with ErrorCode::storage, whose error says what is wrong with it: for lists that people
  // look at.
  bool keeps_damaged = false;
};

struct CallFilter {
  std::optional<CallStatus> status = {};
  Page page = {};
  std::optional<std::string> tool_call_id = {};  // the model's; a session may have several of it
};

struct WaitFilter {
  std::optional<WaitId> id = {};
  std::optional<SessionId> session_id = {};  // with all its descendants
  std::optional<WaitStatus> status = {};
  std::optional<std::string> tenant = {};  // of its session
  Page page = {};
};

struct EventFilter {
  EventSequence after = 0;
  std::optional<SessionId> session_id = {};  // with all its descendants
  std::optional<std::string> tenant = {};    // of their sessions
  std::size_t limit = 1000;
};

struct RecordFilter {
  std::string kind = {};
  std::optional<std::string> key = {};
  std::optional<std::int64_t> due_before = {};  // milliseconds since 1970
  std::optional<SessionId> session_id = {};     // that they belong to
  std::size_t limit = 1000;                     // those that are due first
};

struct StatsFilter {
  std::optional<std::string> agent_name = {};
  std::int64_t started_since = 0;  // milliseconds
  std::optional<std::string> tenant = {};
};

// Sessions by when they began; or calls of tools by when they were asked for, where it is about
// tools.
struct HistoryFilter {
  enum class By : std::uint8_t { all, agent, model, tool };

  By by = By::all;
  std::optional<std::string> agent_name = {};
  std::optional<std::string> model = {};  // "provider:model"
  std::optional<std::string> tool_name = {};
  std::optional<std::string> tenant = {};
  std::int64_t since = 0;             // milliseconds
  std::int64_t until = 0;             // what began then is not among them
  std::int64_t step_ms = 3'600'000;   // one stretch of time; at most kMostStretches of them
  std::size_t most_series = 8;        // those with most; what is left is one more
  std::size_t most_rows = 1'000'000;  // the newest ones
};
inline constexpr std::int64_t kMostStretches = 1000;

// Where sessions live. A Store keeps sessions, their messages, their tool calls, their waits and
// who drives them; memory, SQLite and PostgreSQL stand behind this one interface.
//
// Writing is by batches: a batch is applied whole, in one transaction, or not at all. Order is by
// row id, never by clock. Times are milliseconds since 1970, UTC. A store may be used from several
// threads at once.

struct WaitAnswer {
  Json answer = {};
  std::string answered_by = {};
};

class Store {
 public:
  virtual ~Store() = default;

  // The one way to write. Many batches in one transaction, where the store can: each stands or
  // falls alone, but none counts before all are safe. One result for each. Whatever a batch demands
  // is a condition of the write itself.
  //
  // What an error says about the batch: with ErrorCode::storage nobody knows whether it was applied
  // (a disk or a connection that failed while it was being committed); whoever goes on must read
  // again what is stored. With every other code nothing of it was applied, for certain:
  // ErrorCode::unavailable when the database is locked or a lease refuses, others when the batch
  // asks for what cannot be.
  virtual std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) = 0;

  virtual Result<Session> get_session(SessionId id) = 0;
  virtual Result<std::vector<Session>> list_sessions(const SessionFilter& filter) = 0;
  virtual Result<std::vector<StoredMessage>> get_messages(SessionId id, const Page& page = {}) = 0;
  virtual Result<std::vector<StoredCall>> get_tool_calls(SessionId id,
                                                         const CallFilter& filter = {}) = 0;
  virtual Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) = 0;
  virtual Result<std::vector<StoredEvent>> get_events(const EventFilter& filter) = 0;
  virtual Result<std::vector<Record>> get_records(const RecordFilter& filter) = 0;
  virtual Result<std::vector<Runner>> get_runners() = 0;  // also those whose time is over
  virtual Result<RunnerNews> get_news(RunnerId id) = 0;
  // Tool calls count when they came after the message `since` of this session.
  virtual Result<SpentBySpecialists> spent_by_specialists(SessionId id, MessageId since) = 0;
  virtual Result<StoreStats> get_stats(const StatsFilter& filter) = 0;
  // A store that does not count over time refuses it (ErrorCode::unsupported).
  virtual Result<StoreHistory> get_history(const HistoryFilter& filter);
  // `now` says which queued sessions are due, in milliseconds. Costs what has not ended, however
  // much has. A store that does not count refuses it (ErrorCode::unsupported).
  virtual Result<StoreCounts> get_counts(std::int64_t now);

  Result<std::vector<StoredCall>> get_pending_tool_calls(SessionId id);
  Result<StoredWait> get_wait(WaitId id);

  // One batch each; see the writes of the same names.
  Result<BatchIds> apply(std::span<const Write> writes);
  Result<BatchIds> apply_one(Write write);
  Result<SessionId> create_session(const NewSession& session);
  // Refused (ErrorCode::unavailable) when its runner is not alive.
  Result<std::pair<SessionId, BatchIds>> create_session_with(const NewSession& session,
                                                             std::span<const Write> writes);
  Result<void> delete_session(SessionId id);
  Result<StoredWait> answer_wait(WaitId id, const WaitAnswer& answer);
  Result<SessionId> fork_session(SessionId id, MessageId last);
  Result<void> request_cancel(SessionId id, std::string reason);
  Result<RunnerId> register_runner(std::string name, std::chrono::milliseconds time);
  Result<void> renew_runner(RunnerId id, std::chrono::milliseconds time);
  Result<void> end_runner(RunnerId id);

  // One write each, for programs that keep a session by hand.
  Result<void> complete_session(SessionId id, std::string result);
  Result<void> fail_session(SessionId id, std::string error);
  Result<MessageId> create_message(SessionId id, Role role, std::string content);
  Result<CallId> create_tool_call(SessionId id, std::optional<MessageId> message_id, ToolCall call);
  Result<void> start_tool_call(CallId id);
  Result<void> complete_tool_call(CallId id, Json response, std::int64_t execution_time_ms);
  Result<void> fail_tool_call(CallId id, std::string error);
};

using Clock = std::function<std::int64_t()>;  // milliseconds
std::int64_t system_clock_ms();               // since 1970
std::int64_t boot_clock_ms();                 // since the machine started, also while it slept

// A wall clock may jump. How long a runner lives is therefore measured by a boot clock, among all
// who share it.
struct Clocks {
  Clock wall;
  Clock boot;           // may be absent
  std::string boot_id;  // says which boot of which machine `boot` counts from

  Clocks();  // the system's
  Clocks(Clock wall, Clock boot, std::string boot_id);
  // A wall clock alone.
  template <std::convertible_to<Clock> Wall>
  Clocks(Wall wall) : Clocks(Clock(std::move(wall)), {}, {}) {}
};

std::unique_ptr<Store> open_memory_store(Clocks clocks = {});

enum class Durability : std::uint8_t {
  normal,  // survives a killed process; a power cut may lose the last moments
  full,    // every step reaches the disk before it counts
};

struct SqliteOptions {
  Durability durability = Durability::normal;
  std::chrono::milliseconds busy_timeout{10'000};
  Clocks clock = {};
};

// Opens or creates the file (its folder too) and brings it to this version's schema. Opening a file
// that has it needs no write lock. ":memory:" is a private database in memory. A file that is
// deleted or replaced meanwhile is found out by the next write (ErrorCode::storage).
Result<std::unique_ptr<Store>> open_sqlite_store(const std::filesystem::path& path,
                                                 SqliteOptions options = {});

}  // namespace wright

struct sqlite3;

namespace wright {

// The schema version that this Wright writes.
inline constexpr int kAgentSchemaVersion = 10;

// Creates the agent tables, or brings older ones up to date, in one transaction. The connection
// stays the caller's: user_version and all other tables are left alone; foreign keys are switched
// on for it. A schema written by a newer Wright is refused, and nothing is changed.
Result<void> run_agent_migrations(sqlite3* connection);

// Whether the agent tables are there, in any version.
Result<bool> has_agent_schema(sqlite3* connection);

}  // namespace wright
