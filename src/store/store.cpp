// The operations of Store that can be expressed by others of it; and the system's clock.
#include "wright/store.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace wright {
namespace {

Result<BatchIds> apply_one(Store& store, Write write) {
  const std::array writes{std::move(write)};
  return store.apply(writes);
}

Result<void> without_ids(const Result<BatchIds>& ids) {
  if (!ids) return std::unexpected(ids.error());
  return {};
}

}  // namespace

std::vector<Result<BatchIds>> Store::apply_all(std::span<const Batch> batches) {
  std::vector<Result<BatchIds>> results;
  results.reserve(batches.size());
  for (const Batch& batch : batches) {
    if (!batch.create) {
      results.push_back(apply(batch.writes));
      continue;
    }
    auto created = create_session_with(*batch.create, batch.writes);
    if (!created) {
      results.push_back(std::unexpected(std::move(created).error()));
      continue;
    }
    created->second.session = created->first;
    results.push_back(std::move(created->second));
  }
  return results;
}

Result<StoredWait> Store::get_wait(WaitId id) {
  auto waits = get_waits({.id = id});
  if (!waits) return std::unexpected(std::move(waits).error());
  if (waits->empty()) return fail(ErrorCode::not_found, fmt::format("There is no wait {}", id));
  return std::move(waits->front());
}

Result<void> Store::complete_session(SessionId id, std::string result) {
  return without_ids(apply_one(*this, UpdateSession{.session_id = id,
                                                    .status = SessionStatus::completed,
                                                    .result = std::move(result)}));
}

Result<void> Store::fail_session(SessionId id, std::string error) {
  return without_ids(apply_one(
      *this,
      UpdateSession{.session_id = id, .status = SessionStatus::failed, .error = std::move(error)}));
}

Result<MessageId> Store::create_message(SessionId id, Role role, std::string content) {
  const auto ids = apply_one(*this, AppendMessage{id, Message{role, {Text{std::move(content)}}}});
  if (!ids) return std::unexpected(ids.error());
  return ids->messages.front();
}

Result<CallId> Store::create_tool_call(SessionId id, std::optional<MessageId> message_id,
                                       ToolCall call) {
  const auto ids = apply_one(*this, CreateCall{id, message_id, std::move(call)});
  if (!ids) return std::unexpected(ids.error());
  return ids->calls.front();
}

Result<void> Store::start_tool_call(CallId id) {
  return without_ids(apply_one(*this, UpdateCall{.call_id = id, .status = CallStatus::executing}));
}

Result<void> Store::complete_tool_call(CallId id, Json response, std::int64_t execution_time_ms) {
  return without_ids(apply_one(*this, UpdateCall{.call_id = id,
                                                 .status = CallStatus::completed,
                                                 .response = std::move(response),
                                                 .execution_time_ms = execution_time_ms}));
}

Result<void> Store::fail_tool_call(CallId id, std::string error) {
  return without_ids(apply_one(
      *this,
      UpdateCall{.call_id = id, .status = CallStatus::failed, .error_details = std::move(error)}));
}

std::int64_t system_clock_ms() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
}

}  // namespace wright
