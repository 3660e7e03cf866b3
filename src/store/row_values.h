// Rows of the agent tables as the values of store.h, whichever database a row came from. A row that
// cannot be read (broken JSON, an unknown status) is an error that names it.
//
// `Row` has is_null(), integer(), real(), text(), optional_integer() and optional_text(), each of a
// column by its number; columns.h says which is which.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/try.h"
#include "store/damage.h"
#include "store/json_columns.h"
#include "store/labels.h"
#include "store/message_codec.h"
#include "store/readable_rows.h"
#include "wright/store.h"

namespace wright::store {

inline std::unexpected<Error> unreadable(std::string_view what, std::int64_t id, const Error& why) {
  return fail(ErrorCode::storage,
              fmt::format("The stored {} {} cannot be read: {}", what, id, why.message),
              JsonObject{{kDamagedRow, id}});
}

template <class Row>
StoreCounts counts_of(const Row& row) {
  return {.queued = row.integer(0),
          .driven = row.integer(1),
          .undriven = row.integer(2),
          .waiting = row.integer(3),
          .open_waits = row.integer(4),
          .ready_since = row.optional_integer(5)};
}

template <class Row>
Result<Session> session_of(const Row& row) {
  const SessionId id = row.integer(0);
  const auto status = session_status_from(row.text(6));
  if (!status) return unreadable("session", id, status.error());
  auto config = json_from(row.optional_text(19));
  if (!config) return unreadable("session", id, config.error());
  auto feedback = json_from(row.optional_text(25));
  if (!feedback) return unreadable("session", id, feedback.error());
  auto context = json_from(row.optional_text(26));
  if (!context) return unreadable("session", id, context.error());
  Session session{
      .id = id,
      .agent_name = row.text(1),
      .provider = row.text(2),
      .model = row.text(3),
      .system_prompt = row.optional_text(4),
      .user_prompt = row.text(5),
      .status = *status,
      .started_at = row.integer(7),
      .ended_at = row.optional_integer(8),
      .result = row.optional_text(9),
      .error = row.optional_text(10),
      .parent_session_id = row.optional_integer(11),
      .usage = {row.integer(12), row.integer(13), row.integer(14), row.integer(15), row.integer(16),
                row.real(17)},
      .iterations = static_cast<int>(row.integer(18)),
      .config = std::move(*config).value_or(Json()),
      .format_version = static_cast<int>(row.integer(20)),
      .parent_call_id = row.optional_integer(21),
      .forked_from = row.optional_integer(22),
      .runner_id = row.optional_integer(23),
      .lease_epoch = static_cast<int>(row.integer(24)),
      .feedback = std::move(*feedback).value_or(Json()),
      .context = std::move(*context).value_or(Json()),
      .worked_ms = row.optional_integer(29),
      .turn_worked_ms = row.optional_integer(30),
      .cancel_reason = row.optional_text(31),
      .priority = static_cast<int>(row.integer(32)),
      .ready_at = row.optional_integer(33),
      .labels = labels_from(row.optional_text(34)),
      .tenant = row.text(35),
  };
  if (const auto code = row.optional_text(27)) {
    const auto known = error_code_from(*code);
    if (!known) return unreadable("session", session.id, known.error());
    session.error_code = *known;
  }
  if (const auto limit = row.optional_text(28)) {
    const auto known = limit_from(*limit);
    if (!known) return unreadable("session", session.id, known.error());
    session.limit = *known;
  }
  return session;
}

// The session, or what can be told of one that cannot be read; see SessionFilter::keeps_damaged.
template <class Row>
Result<Session> damaged_session_of(const Row& row) {
  auto session = session_of(row);
  if (session) return session;
  return Session{
      .id = row.integer(0),
      .agent_name = row.text(1),
      .provider = row.text(2),
      .model = row.text(3),
      .user_prompt = row.text(5),
      .status = SessionStatus::failed,
      .started_at = row.integer(7),
      .ended_at = row.optional_integer(8),
      .error = session.error().message,
      .error_code = ErrorCode::storage,
      .parent_session_id = row.optional_integer(11),
      .format_version = kFormatOfDamaged,
      .runner_id = row.optional_integer(23),
      .tenant = row.text(35),
  };
}

template <class Row>
Result<StoredMessage> message_of(const Row& row) {
  const MessageId id = row.integer(0);
  const auto role = role_from(row.text(2));
  if (!role) return unreadable("message", id, role.error());
  MessageColumns columns{row.text(3), row.optional_text(5), row.optional_text(6)};
  auto message = message_from(*role, columns);
  if (!message) return unreadable("message", id, message.error());
  return StoredMessage{
      .id = id,
      .session_id = row.integer(1),
      .message = std::move(*message),
      .content = std::move(columns.content),
      .created_at = row.integer(4),
  };
}

template <class Row>
Result<StoredCall> call_of(const Row& row) {
  const CallId id = row.integer(0);
  auto request = arguments_from(row.text(5));
  if (!request) return unreadable("tool call", id, request.error());
  auto response = json_from(row.optional_text(6));
  if (!response) return unreadable("tool call", id, response.error());
  const auto status = call_status_from(row.text(7));
  if (!status) return unreadable("tool call", id, status.error());
  auto result = result_from(row.optional_text(12));
  if (!result) return unreadable("tool call", id, result.error());
  return StoredCall{
      .id = id,
      .session_id = row.integer(1),
      .message_id = row.optional_integer(2),
      .tool_call_id = row.text(3),
      .tool_name = row.text(4),
      .request = std::move(*request),
      .response = std::move(*response),
      .status = *status,
      .created_at = row.integer(8),
      .completed_at = row.optional_integer(9),
      .execution_time_ms = row.optional_integer(10),
      .error_details = row.optional_text(11),
      .result = std::move(*result),
  };
}

// Its detail says which one; see readable_waits().
template <class Row>
std::unexpected<Error> unreadable_wait(const Row& row, const Error& why) {
  const WaitId id = row.integer(0);
  const SessionId session = row.integer(1);
  return fail(
      ErrorCode::storage,
      fmt::format("The stored wait {} of session {} cannot be read: {}", id, session, why.message),
      JsonObject{{"wait_id", id}, {"session_id", session}});
}

template <class Row>
Result<StoredWait> wait_of(const Row& row) {
  const WaitId id = row.integer(0);
  const auto kind = wait_kind_from(row.text(3));
  if (!kind) return unreadable_wait(row, kind.error());
  auto shown = parse_json(row.text(4));
  if (!shown) return unreadable_wait(row, shown.error());
  const auto status = wait_status_from(row.text(5));
  if (!status) return unreadable_wait(row, status.error());
  auto answer = json_from(row.optional_text(10));
  if (!answer) return unreadable_wait(row, answer.error());
  auto covers = covers_from(row.optional_text(11), *shown);
  if (!covers) return unreadable_wait(row, covers.error());
  auto state = state_from(row.optional_text(12));
  if (!state) return unreadable_wait(row, state.error());
  return StoredWait{
      .id = id,
      .session_id = row.integer(1),
      .call_id = row.integer(2),
      .kind = *kind,
      .shown = std::move(*shown),
      .covers = std::move(*covers),
      .state = std::move(*state),
      .status = *status,
      .created_at = row.integer(6),
      .expires_at = row.optional_integer(7),
      .answered_at = row.optional_integer(8),
      .answered_by = row.optional_text(9),
      .answer = std::move(*answer),
  };
}

template <class Row>
Result<StoredEvent> event_of(const Row& row) {
  const EventSequence sequence = row.integer(0);
  auto data = parse_json(row.text(3));
  if (!data) return unreadable("event", sequence, data.error());
  return StoredEvent{.sequence = sequence,
                     .session_id = row.integer(1),
                     .type = row.text(2),
                     .data = std::move(*data),
                     .at = row.integer(4)};
}

template <class Row>
Result<Record> record_of(const Row& row) {
  auto value = parse_json(row.text(3));
  if (!value) return unreadable("record", row.integer(0), value.error());
  return Record{.kind = row.text(1),
                .key = row.text(2),
                .value = std::move(*value),
                .due_at = row.integer(4),
                .version = row.integer(5),
                .session_id = row.is_null(6) ? std::nullopt : std::optional(row.integer(6))};
}

template <class Row>
Runner runner_of(const Row& row) {
  return {.id = row.integer(0),
          .name = row.text(1),
          .expires_at = row.integer(2),
          .boot_id = row.text(3),
          .boot_expires_at = row.integer(4)};
}

}  // namespace wright::store
