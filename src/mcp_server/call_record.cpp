#include "mcp_server/call_record.h"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/try.h"

namespace wright::mcp_server {
namespace {

std::string word_of_process() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

std::string client_name(const mcp::Work& work) {
  const mcp::Peer& peer = work.client->peer;
  constexpr std::size_t kLongest = 100;
  std::string name = peer.name.empty() ? "a client" : peer.name.substr(0, kLongest);
  if (!peer.version.empty()) name += " " + peer.version.substr(0, kLongest);
  return to_valid_utf8(std::move(name));
}

}  // namespace

CallRecord::CallRecord(Store* store, std::string agent_name)
    : store_(store), agent_name_(std::move(agent_name)), process_(word_of_process()) {}

std::string CallRecord::id_of(const mcp::Work& work) const {
  return fmt::format("mcp_{}_{}", process_, work.id);
}

Result<SessionId> CallRecord::session_of(const mcp::Work& work) {
  const std::string client = client_name(work);
  const std::lock_guard lock(mutex_);
  SessionId& session = sessions_[fmt::format("{}\n{}", work.principal, client)];
  if (session != 0) return session;
  const Write ended = UpdateSession{.status = SessionStatus::completed, .result = ""};
  const auto created = TRY(store_->create_session_with(
      {.agent_name = agent_name_, .user_prompt = fmt::format("Calls of {} over MCP", client)},
      {&ended, 1}));
  session = created.first;
  return session;
}

Result<CallId> CallRecord::begin(const mcp::Work& work, const ToolCall& call, CallId earlier) {
  if (store_ == nullptr) return 0;
  if (earlier != 0) {
    TRY(store_->start_tool_call(earlier));
    return earlier;
  }
  const auto session = TRY(session_of(work));
  const auto ids = TRY(store_->apply_one(AppendMessage{
      .session_id = session, .message = {Role::assistant, {call}}, .started_calls = 1}));
  return ids.calls.front();
}

Result<void> CallRecord::end(const mcp::Work& work, CallId id, const ToolOutcome& outcome) {
  if (id == 0) return {};
  std::vector<Write> writes;
  UpdateCall update{.call_id = id, .execution_time_ms = std::llround(outcome.duration_ms)};
  if (outcome.waiting) {
    update.status = CallStatus::waiting;
    writes.emplace_back(std::move(update));
  } else {
    const bool is_failed = outcome.error || outcome.result.is_error;
    update.status = is_failed ? CallStatus::failed : CallStatus::completed;
    if (is_failed) {
      update.error_details = std::string(outcome.error ? outcome.error_message()
                                                       : std::string_view(outcome.result.content));
    } else {
      update.response = outcome.response;
    }
    writes.emplace_back(std::move(update));
    const auto session = TRY(session_of(work));
    writes.emplace_back(
        AppendMessage{.session_id = session, .message = Message::tool(outcome.result)});
  }
  TRY(store_->apply(writes));
  return {};
}

}  // namespace wright::mcp_server
