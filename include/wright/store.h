// Where sessions live. A Store keeps sessions, their messages and their tool calls; memory and
// SQLite stand behind this one interface.
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
#include <string_view>
#include <variant>
#include <vector>

#include "wright/message.h"

namespace wright {

using SessionId = std::int64_t;
using MessageId = std::int64_t;
using CallId = std::int64_t;  // the row of a tool call; the model's own id is `tool_call_id`

enum class SessionStatus : std::uint8_t { running, completed, failed, waiting, cancelled };
enum class CallStatus : std::uint8_t {
  pending,    // asked for by the model
  executing,  // about to have its effect, or having it
  completed,
  failed,
  waiting,    // a person must answer first
  cancelled,  // the run ended before it was executed
  unknown,    // interrupted while executing: nobody knows whether it happened
};

std::string_view to_string(SessionStatus status);
std::string_view to_string(CallStatus status);
Result<SessionStatus> session_status_from(std::string_view name);
Result<CallStatus> call_status_from(std::string_view name);

struct NewSession {
  std::string agent_name = {};
  std::string provider = {};
  std::string model = {};
  std::optional<std::string> system_prompt = {};
  std::string user_prompt = {};
  std::optional<SessionId> parent_session_id = {};
  Json config = {};  // an object, or null
};

struct Session {
  SessionId id = 0;
  std::string agent_name = {};
  std::string provider = {};
  std::string model = {};
  std::optional<std::string> system_prompt = {};
  std::string user_prompt = {};
  SessionStatus status = SessionStatus::running;
  std::int64_t started_at = 0;
  std::optional<std::int64_t> ended_at = {};
  std::optional<std::string> result = {};
  std::optional<std::string> error = {};
  std::optional<SessionId> parent_session_id = {};
  Usage usage = {};
  int iterations = 0;
  Json config = {};
  int format_version = 1;
};

struct StoredMessage {
  MessageId id = 0;
  SessionId session_id = 0;
  Message message = {};
  std::string content = {};  // as display_text() shows it
  std::int64_t created_at = 0;
};

struct StoredCall {
  CallId id = 0;
  SessionId session_id = 0;
  std::optional<MessageId> message_id = {};
  std::string tool_call_id = {};
  std::string tool_name = {};
  std::string request = {};  // arguments as the model wrote them
  std::optional<Json> response = {};
  CallStatus status = CallStatus::pending;
  std::int64_t created_at = 0;
  std::optional<std::int64_t> completed_at = {};
  std::optional<std::int64_t> execution_time_ms = {};
  std::optional<std::string> error_details = {};
};

// --- writes ---------------------------------------------------------------------------------

// The message, and for each tool call in it one `pending` row that belongs to the message. The
// first `started_calls` of them are about to be executed: they move on to `executing` at once.
struct AppendMessage {
  SessionId session_id = 0;
  Message message = {};
  std::size_t started_calls = 0;
};
// A call that belongs to no message of this batch.
struct CreateCall {
  SessionId session_id = 0;
  std::optional<MessageId> message_id = {};
  ToolCall call = {};
};
// Moves a call on. Legal moves: pending → executing, waiting, cancelled, failed;
// waiting → executing, completed, failed, cancelled; executing → completed, failed, waiting,
// cancelled, unknown; unknown → completed, failed, executing. Others are refused.
struct UpdateCall {
  CallId call_id = 0;
  CallStatus status = CallStatus::executing;
  std::optional<Json> response = {};
  std::optional<std::int64_t> execution_time_ms = {};
  std::optional<std::string> error_details = {};
};
// Sets what has a value. Ended statuses (completed, failed, cancelled) set ended_at; `running` and
// `waiting` clear it.
struct UpdateSession {
  SessionId session_id = 0;
  std::optional<SessionStatus> status = {};
  std::optional<std::string> result = {};
  std::optional<std::string> error = {};
  std::optional<Usage> usage = {};
  std::optional<int> iterations = {};
};
using Write = std::variant<AppendMessage, CreateCall, UpdateCall, UpdateSession>;

// Ids given out by a batch, in the order of its writes.
struct BatchIds {
  std::vector<MessageId> messages;
  std::vector<CallId> calls;  // also those of appended messages, in their order
};

struct SessionFilter {
  std::optional<std::string> agent_name = {};
  std::optional<SessionStatus> status = {};
  std::optional<SessionId> parent_session_id = {};
  std::int64_t started_since = 0;  // milliseconds
  std::string text = {};           // in the prompt or the result, ignoring ASCII case
  std::size_t limit = 50;          // newest first
};

class Store {
 public:
  virtual ~Store() = default;

  virtual Result<SessionId> create_session(const NewSession& session) = 0;
  // A new session with its first writes, in one transaction; their session_id is filled in.
  virtual Result<std::pair<SessionId, BatchIds>> create_session_with(
      const NewSession& session, std::span<const Write> writes) = 0;
  virtual Result<BatchIds> apply(std::span<const Write> writes) = 0;
  virtual Result<void> delete_session(SessionId id) = 0;  // with its messages, calls, children

  virtual Result<Session> get_session(SessionId id) = 0;
  virtual Result<std::vector<Session>> list_sessions(const SessionFilter& filter) = 0;
  virtual Result<std::vector<StoredMessage>> get_messages(SessionId id) = 0;
  virtual Result<std::vector<StoredCall>> get_tool_calls(SessionId id) = 0;
  virtual Result<std::vector<StoredCall>> get_pending_tool_calls(SessionId id) = 0;

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
