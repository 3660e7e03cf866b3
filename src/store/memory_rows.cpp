#include "store/memory_rows.h"

#include <utility>

#include "core/try.h"
#include "store/json_columns.h"

namespace wright::store {

Result<Session> read(const SessionRow& row) {
  auto config = TRY(json_from(row.config));
  auto feedback = TRY(json_from(row.feedback));
  auto context = TRY(json_from(row.context));
  Session session = row.session;
  session.config = std::move(config).value_or(Json());
  session.feedback = std::move(feedback).value_or(Json());
  session.context = std::move(context).value_or(Json());
  return session;
}

Result<StoredCall> read(const CallRow& row) {
  auto request = TRY(arguments_from(row.request));
  auto response = TRY(json_from(row.response));
  auto result = TRY(result_from(row.result));
  StoredCall call = row.call;
  call.request = std::move(request);
  call.response = std::move(response);
  call.result = std::move(result);
  return call;
}

Result<StoredWait> read(const WaitRow& row) {
  auto shown = TRY(parse_json(row.shown));
  auto answer = TRY(json_from(row.answer));
  StoredWait wait = row.wait;
  wait.shown = std::move(shown);
  wait.answer = std::move(answer);
  return wait;
}

Result<StoredEvent> read(const EventRow& row) {
  auto data = TRY(parse_json(row.data));
  StoredEvent event = row.event;
  event.data = std::move(data);
  return event;
}

Result<StoredMessage> read(const MessageRow& row, SessionId session_id) {
  auto message = TRY(message_from(row.role, row.columns));
  return StoredMessage{row.id, session_id, std::move(message), row.columns.content, row.created_at};
}

}  // namespace wright::store
