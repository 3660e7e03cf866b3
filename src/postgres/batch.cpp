#include "postgres/batch.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/try.h"
#include "store/json_columns.h"
#include "store/labels.h"
#include "store/message_codec.h"
#include "store/row_values.h"
#include "store/status.h"

namespace wright::postgres {
namespace {

template <class Enum>
std::optional<std::string_view> word_for(std::optional<Enum> value) {
  return value ? std::optional(to_string(*value)) : std::nullopt;
}

// Appends the first column of each row to `ids`.
OnRow keep_in(std::vector<std::int64_t>& ids) {
  return [&ids](const Row& row) -> Result<void> {
    ids.push_back(row.integer(0));
    return {};
  };
}

}  // namespace

Result<void> BatchWriter::create(const NewSession& session, Requests& requests) {
  const auto config = TRY(store::config_column(session.config));
  const auto labels = TRY(store::labels_column(session.labels));
  TRY(store::check_tenant(session.tenant));
  if (session.is_queued && session.runner_id) return std::unexpected(store::queued_with_runner());
  if (session.is_queued && session.parent_session_id) {
    return std::unexpected(store::queued_child());
  }
  if (session.parent_call_id && !session.parent_session_id) {
    return std::unexpected(store::call_without_parent());
  }
  const SessionStatus status = session.is_queued ? SessionStatus::queued : SessionStatus::running;
  has_created_ = true;
  const int epoch = session.runner_id ? 1 : 0;
  requests.push_back(
      request(Query::insert_session,
              values_of(session.agent_name, session.provider, session.model, session.system_prompt,
                        session.user_prompt, now_, session.parent_session_id, config,
                        Session{}.format_version, session.parent_call_id, session.runner_id,
                        to_string(status), session.priority, session.ready_at, moment_.wall,
                        moment_.boot_id, moment_.boot, labels, session.tenant),
              [this, epoch](const Row& row) -> Result<void> {
                ids_.session = row.integer(0);
                ids_.epoch = epoch;
                return {};
              }));
  return {};
}

Result<void> BatchWriter::add(const Write& write, Requests& requests) {
  return std::visit([&](const auto& one) { return apply(one, requests); }, write);
}

Result<void> BatchWriter::apply(const AppendMessage& write, Requests& requests) {
  const store::MessageColumns columns = store::to_columns(write.message);
  requests.push_back(
      request(Query::insert_message,
              values_of(target_value(write.session_id), to_string(write.message.role),
                        columns.content, now_, columns.parts, columns.tool_call_id),
              keep_in(ids_.messages)));
  if (write.is_told) return {};
  std::size_t to_start = write.started_calls;
  for (const Part& part : write.message.parts) {
    const auto* call = std::get_if<ToolCall>(&part);
    if (call == nullptr) continue;
    const bool is_started = to_start > 0;
    add_call(write.session_id, Query::insert_call_of_message, std::nullopt, *call,
             is_started ? CallStatus::executing : CallStatus::pending, requests);
    if (is_started) --to_start;
    if (is_started || !write.others) continue;
    TRY(update_call(Query::update_last_call, std::nullopt, *write.others, requests));
  }
  return {};
}

Result<void> BatchWriter::apply(const CreateCall& write, Requests& requests) {
  if (write.message_id) {
    // A message of another session is not refused by a foreign key.
    const SessionId session = target(write.session_id);
    if (session == 0) {
      return fail(ErrorCode::not_found, "A call of a message needs the session of the message");
    }
    requests.push_back(request(Query::message_in_session, values_of(*write.message_id, session)));
  }
  add_call(write.session_id, Query::insert_call, write.message_id, write.call, CallStatus::pending,
           requests);
  return {};
}

void BatchWriter::add_call(SessionId session, Query query, std::optional<MessageId> message,
                           const ToolCall& call, CallStatus status, Requests& requests) {
  requests.push_back(
      request(query,
              values_of(target_value(session), message, call.id, call.name,
                        store::request_column(call.arguments), now_, to_string(status)),
              keep_in(ids_.calls)));
}

Result<void> BatchWriter::apply(const UpdateCall& write, Requests& requests) {
  return update_call(Query::update_call, write.call_id, write, requests);
}

Result<void> BatchWriter::update_call(Query query, std::optional<CallId> id,
                                      const UpdateCall& write, Requests& requests) {
  const auto response = TRY(store::json_column(write.response));
  std::optional<std::int64_t> completed_at;
  if (store::is_end(write.status)) completed_at = now_;
  requests.push_back(request(
      query, values_of(id, to_string(write.status), completed_at, response, write.execution_time_ms,
                       write.error_details, store::result_column(write.result),
                       store::may_move_to(write.status))));
  return {};
}

Result<void> BatchWriter::apply(const UpdateSession& write, Requests& requests) {
  const auto feedback = TRY(store::json_column(write.feedback));
  const auto context = TRY(store::json_column(write.context));
  const auto config = TRY(store::config_column(write.config.value_or(Json())));
  const auto tokens = [&](std::int64_t Usage::*count) {
    return write.usage ? std::optional((*write.usage).*count) : std::nullopt;
  };
  Values values =
      values_of(target_value(write.session_id), write.result, write.error,
                word_for(write.error_code), word_for(write.limit), tokens(&Usage::input_tokens),
                tokens(&Usage::output_tokens), tokens(&Usage::cached_tokens),
                tokens(&Usage::reasoning_tokens), tokens(&Usage::cache_write_tokens),
                write.usage ? std::optional(write.usage->cost_usd) : std::nullopt, write.iterations,
                write.agent_name, feedback, context, write.worked_ms, write.turn_worked_ms,
                write.provider, write.model, std::int64_t{write.config.has_value()}, config);
  if (!write.status) {
    requests.push_back(request(Query::update_progress, std::move(values)));
    return {};
  }
  const bool has_end = store::is_end(*write.status);
  values.push_back(to_value(to_string(*write.status)));
  values.push_back(to_value(has_end ? std::optional(now_) : std::nullopt));
  requests.push_back(
      request(Query::update_session, std::move(values),
              [this, has_end, written = write.session_id](const Row&) -> Result<void> {
                if (!has_end) return {};
                const SessionId session = target(written);
                std::erase_if(ids_.cancelled,
                              [&](const CancelWish& wish) { return wish.session_id == session; });
                return {};
              }));
  return {};
}

Result<void> BatchWriter::apply(const OpenWait& write, Requests& requests) {
  const auto shown = TRY(store::json_column(write.shown));
  const auto state = TRY(store::state_column(write.state));
  requests.push_back(
      request(Query::insert_wait,
              values_of(target_value(write.session_id), write.call_id, to_string(write.kind), shown,
                        now_, write.expires_at, store::covers_column(write.covers), state),
              keep_in(ids_.waits)));
  return {};
}

Result<void> BatchWriter::apply(const CloseWaits& write, Requests& requests) {
  if (!store::may_close_as(write.status)) {
    return std::unexpected(store::illegal_close(write.status));
  }
  requests.push_back(
      request(Query::close_waits,
              values_of(target_value(write.session_id), write.call_id, to_string(write.status))));
  return {};
}

Result<void> BatchWriter::apply(const AnswerWait& write, Requests& requests) {
  const auto answer = TRY(store::json_column(write.answer));
  requests.push_back(request(Query::answer_wait,
                             values_of(write.wait_id, now_, write.answered_by, answer),
                             [this](const Row& row) -> Result<void> {
                               auto wait = TRY(store::wait_of(row));
                               ids_.answered.push_back(std::move(wait));
                               return {};
                             }));
  return {};
}

Result<void> BatchWriter::apply(const AppendEvents& write, Requests& requests) {
  std::vector<std::string> types;
  std::vector<std::string> data;
  std::vector<std::string> times;
  for (const NewEvent& event : write.events) {
    auto column = TRY(store::json_column(event.data));
    types.push_back(event.type);
    data.push_back(std::move(column));
    times.push_back(fmt::to_string(event.at.value_or(now_)));
  }
  if (types.empty()) {
    requests.push_back(request(Query::must_exist, values_of(target_value(write.session_id))));
    return {};
  }
  // See EventHorizon: who reads waits for those who have a number and are not committed yet.
  requests.push_back(request(Query::lock_events, {}));
  Values values = values_of(target_value(write.session_id));
  for (const auto* texts : {&types, &data, &times}) values.push_back(array_literal(*texts));
  requests.push_back(request(Query::insert_events, std::move(values), keep_in(ids_.events)));
  return {};
}

Result<void> BatchWriter::apply(const PutRecord& write, Requests& requests) {
  const auto value = TRY(store::json_column(write.value));
  requests.push_back(
      write.version ? request(Query::update_record,
                              values_of(write.kind, write.key, value, write.due_at, *write.version))
                    : request(Query::insert_record, values_of(write.kind, write.key, value,
                                                              write.due_at, write.session_id)));
  return {};
}

Result<void> BatchWriter::apply(const RemoveRecords& write, Requests& requests) {
  requests.push_back(request(Query::delete_records,
                             values_of(write.kind, write.key, write.version, write.due_before)));
  return {};
}

}  // namespace wright::postgres
