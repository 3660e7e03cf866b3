#include "store/memory_rows.h"

#include <utility>

#include "store/json_columns.h"

namespace wright::store {

Result<Session> read(const SessionRow& row) {
  auto config = json_from(row.config);
  if (!config) return std::unexpected(std::move(config).error());
  auto feedback = json_from(row.feedback);
  if (!feedback) return std::unexpected(std::move(feedback).error());
  auto context = json_from(row.context);
  if (!context) return std::unexpected(std::move(context).error());
  Session session = row.session;
  session.config = std::move(*config).value_or(Json());
  session.feedback = std::move(*feedback).value_or(Json());
  session.context = std::move(*context).value_or(Json());
  return session;
}

Result<StoredCall> read(const CallRow& row) {
  auto request = arguments_from(row.request);
  if (!request) return std::unexpected(std::move(request).error());
  auto response = json_from(row.response);
  if (!response) return std::unexpected(std::move(response).error());
  auto result = result_from(row.result);
  if (!result) return std::unexpected(std::move(result).error());
  StoredCall call = row.call;
  call.request = std::move(*request);
  call.response = std::move(*response);
  call.result = std::move(*result);
  return call;
}

Result<StoredWait> read(const WaitRow& row) {
  auto shown = parse_json(row.shown);
  if (!shown) return std::unexpected(std::move(shown).error());
  auto answer = json_from(row.answer);
  if (!answer) return std::unexpected(std::move(answer).error());
  StoredWait wait = row.wait;
  wait.shown = std::move(*shown);
  wait.answer = std::move(*answer);
  return wait;
}

Result<StoredEvent> read(const EventRow& row) {
  auto data = parse_json(row.data);
  if (!data) return std::unexpected(std::move(data).error());
  StoredEvent event = row.event;
  event.data = std::move(*data);
  return event;
}

Result<StoredMessage> read(const MessageRow& row, SessionId session_id) {
  auto message = message_from(row.role, row.columns);
  if (!message) return std::unexpected(std::move(message).error());
  return StoredMessage{row.id, session_id, std::move(*message), row.columns.content,
                       row.created_at};
}

}  // namespace wright::store
