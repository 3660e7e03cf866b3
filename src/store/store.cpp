// The operations of Store that can be expressed by others of it.
#include "wright/store.h"

#include <fmt/format.h>

#include <utility>

#include "core/try.h"

namespace wright {
namespace {

Result<BatchIds> apply_batch(Store& store, const Batch& batch) {
  return std::move(store.apply_all({&batch, 1}).front());
}

Result<void> without_ids(const Result<BatchIds>& ids) {
  if (!ids) return std::unexpected(ids.error());
  return {};
}

}  // namespace

Result<StoreHistory> Store::get_history(const HistoryFilter&) {
  return fail(ErrorCode::unsupported, "This store does not count over time");
}

Result<StoreCounts> Store::get_counts(std::int64_t) {
  return fail(ErrorCode::unsupported, "This store does not count its sessions");
}

Result<BatchIds> Store::apply(std::span<const Write> writes) {
  if (writes.empty()) return BatchIds{};
  return apply_batch(*this, {.writes = {writes.begin(), writes.end()}});
}

Result<BatchIds> Store::apply_one(Write write) {
  Batch batch;
  batch.writes.push_back(std::move(write));
  return apply_batch(*this, batch);
}

Result<SessionId> Store::create_session(const NewSession& session) {
  const auto ids = TRY(apply_batch(*this, {.create = session}));
  return ids.session;
}

Result<std::pair<SessionId, BatchIds>> Store::create_session_with(const NewSession& session,
                                                                  std::span<const Write> writes) {
  auto ids = TRY(apply_batch(*this, {.create = session, .writes = {writes.begin(), writes.end()}}));
  const SessionId id = ids.session;
  return std::pair{id, std::move(ids)};
}

Result<void> Store::delete_session(SessionId id) {
  return without_ids(apply_one(DeleteSession{id}));
}

Result<StoredWait> Store::answer_wait(WaitId id, const WaitAnswer& answer) {
  auto ids = TRY(apply_one(AnswerWait{id, answer.answer, answer.answered_by}));
  return std::move(ids.answered.front());
}

Result<SessionId> Store::fork_session(SessionId id, MessageId last) {
  const auto ids = TRY(apply_one(ForkSession{id, last}));
  return ids.forks.front();
}

Result<void> Store::request_cancel(SessionId id, std::string reason) {
  return without_ids(apply_one(RequestCancel{id, std::move(reason)}));
}

Result<RunnerId> Store::register_runner(std::string name, std::chrono::milliseconds time) {
  const auto ids = TRY(apply_one(RegisterRunner{std::move(name), time}));
  return ids.runners.front();
}

Result<void> Store::renew_runner(RunnerId id, std::chrono::milliseconds time) {
  return without_ids(apply_one(RenewRunner{id, time}));
}

Result<void> Store::end_runner(RunnerId id) {
  return without_ids(apply_one(EndRunner{id}));
}

Result<std::vector<StoredCall>> Store::get_pending_tool_calls(SessionId id) {
  return get_tool_calls(id, {.status = CallStatus::pending});
}

Result<StoredWait> Store::get_wait(WaitId id) {
  auto waits = TRY(get_waits({.id = id}));
  if (waits.empty()) return fail(ErrorCode::not_found, fmt::format("There is no wait {}", id));
  return std::move(waits.front());
}

Result<void> Store::complete_session(SessionId id, std::string result) {
  return without_ids(apply_one(UpdateSession{
      .session_id = id, .status = SessionStatus::completed, .result = std::move(result)}));
}

Result<void> Store::fail_session(SessionId id, std::string error) {
  return without_ids(apply_one(
      UpdateSession{.session_id = id, .status = SessionStatus::failed, .error = std::move(error)}));
}

Result<MessageId> Store::create_message(SessionId id, Role role, std::string content) {
  const auto ids = TRY(apply_one(AppendMessage{id, Message{role, {Text{std::move(content)}}}}));
  return ids.messages.front();
}

Result<CallId> Store::create_tool_call(SessionId id, std::optional<MessageId> message_id,
                                       ToolCall call) {
  const auto ids = TRY(apply_one(CreateCall{id, message_id, std::move(call)}));
  return ids.calls.front();
}

Result<void> Store::start_tool_call(CallId id) {
  return without_ids(apply_one(UpdateCall{.call_id = id, .status = CallStatus::executing}));
}

Result<void> Store::complete_tool_call(CallId id, Json response, std::int64_t execution_time_ms) {
  return without_ids(apply_one(UpdateCall{.call_id = id,
                                          .status = CallStatus::completed,
                                          .response = std::move(response),
                                          .execution_time_ms = execution_time_ms}));
}

Result<void> Store::fail_tool_call(CallId id, std::string error) {
  return without_ids(apply_one(
      UpdateCall{.call_id = id, .status = CallStatus::failed, .error_details = std::move(error)}));
}

}  // namespace wright
