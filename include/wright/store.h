// Where sessions live. A Store keeps sessions, their messages, their tool calls and their waits;
// memory and SQLite stand behind this one interface.
//
// Writing is by batches: a batch is applied whole, in one transaction, or not at all. Order is by
// row id, never by clock. Times are milliseconds since 1970, UTC. A store may be used from several
// threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "wright/store_writes.h"

namespace wright {

struct SessionFilter {
  std::optional<std::string> agent_name = {};
  std::optional<SessionStatus> status = {};
  std::optional<SessionId> parent_session_id = {};
  std::int64_t started_since = 0;  // milliseconds
  std::string text = {};           // in the prompt or the result, ignoring ASCII case
  bool is_abandoned = false;       // only running ones that no living runner drives
  std::size_t limit = 50;          // newest first
};

struct WaitFilter {
  std::optional<WaitId> id = {};
  std::optional<SessionId> session_id = {};  // with all its descendants
  std::optional<WaitStatus> status = {};
};

struct WaitAnswer {
  Json answer = {};
  std::string answered_by = {};
};

class Store {
 public:
  virtual ~Store() = default;

  virtual Result<SessionId> create_session(const NewSession& session) = 0;
  // A new session with its first writes, in one transaction; their session_id is filled in. Refused
  // (ErrorCode::unavailable) when its runner is not alive.
  virtual Result<std::pair<SessionId, BatchIds>> create_session_with(
      const NewSession& session, std::span<const Write> writes) = 0;
  virtual Result<BatchIds> apply(std::span<const Write> writes) = 0;
  // Many batches in one transaction, where the store can: each stands or falls alone, but none
  // counts before all are safe. One result for each.
  virtual std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches);
  virtual Result<void> delete_session(SessionId id) = 0;  // with its messages, calls, children

  virtual Result<Session> get_session(SessionId id) = 0;
  virtual Result<std::vector<Session>> list_sessions(const SessionFilter& filter) = 0;
  virtual Result<std::vector<StoredMessage>> get_messages(SessionId id) = 0;
  virtual Result<std::vector<StoredCall>> get_tool_calls(SessionId id) = 0;
  virtual Result<std::vector<StoredCall>> get_pending_tool_calls(SessionId id) = 0;

  virtual Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) = 0;  // oldest first
  // Exactly one answer wins. Another, or one that comes too late, is refused
  // (ErrorCode::already_exists) and told who answered and when, or that time was over.
  virtual Result<StoredWait> answer_wait(WaitId id, const WaitAnswer& answer) = 0;

  // The same session again up to and with the message `last`, the calls of its messages as they
  // are, completed and without a runner, a parent or costs of its own; the original is untouched.
  // Refused where a call has no result yet; the error names the nearest messages where it can be.
  virtual Result<SessionId> fork_session(SessionId id, MessageId last) = 0;

  virtual Result<RunnerId> register_runner(std::string name, std::chrono::milliseconds time) = 0;
  // Refused (ErrorCode::not_found) when somebody has ended it.
  virtual Result<void> renew_runner(RunnerId id, std::chrono::milliseconds time) = 0;
  // Its sessions are free from now on. Ending one that has ended changes nothing.
  virtual Result<void> end_runner(RunnerId id) = 0;
  virtual Result<std::vector<Runner>> get_runners() = 0;  // also those whose time is over

  Result<StoredWait> get_wait(WaitId id);

  // One write each, for programs that keep a session by hand.
  Result<void> complete_session(SessionId id, std::string result);
  Result<void> fail_session(SessionId id, std::string error);
  Result<MessageId> create_message(SessionId id, Role role, std::string content);
  Result<CallId> create_tool_call(SessionId id, std::optional<MessageId> message_id, ToolCall call);
  Result<void> start_tool_call(CallId id);
  Result<void> complete_tool_call(CallId id, Json response, std::int64_t execution_time_ms);
  Result<void> fail_tool_call(CallId id, std::string error);
};

using Clock = std::function<std::int64_t()>;  // milliseconds since 1970
std::int64_t system_clock_ms();

std::unique_ptr<Store> open_memory_store(Clock clock = system_clock_ms);

enum class Durability : std::uint8_t {
  normal,  // survives a killed process; a power cut may lose the last moments
  full,    // every step reaches the disk before it counts
};

struct SqliteOptions {
  Durability durability = Durability::normal;
  std::chrono::milliseconds busy_timeout{10'000};
  Clock clock = system_clock_ms;
};

// Opens or creates the file (its folder too) and brings it to this version's schema. ":memory:" is
// a private database in memory.
Result<std::unique_ptr<Store>> open_sqlite_store(const std::filesystem::path& path,
                                                 SqliteOptions options = {});

}  // namespace wright
