#include "store/memory_batch.h"

#include <algorithm>
#include <utility>

#include "core/try.h"
#include "store/json_columns.h"
#include "store/labels.h"
#include "store/memory_rows.h"
#include "store/status.h"

namespace wright::store {
namespace {

MessageColumns valid(MessageColumns columns) {
  columns.content = to_valid_utf8(std::move(columns.content));
  columns.tool_call_id = store::valid(columns.tool_call_id);
  return columns;
}

}  // namespace

Lease lease_of(const Session& session) {
  return {session.id, session.runner_id, session.lease_epoch};
}

std::optional<std::string> valid(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return to_valid_utf8(*text);
}

MemoryBatch::~MemoryBatch() {
  while (!undo_.empty()) {
    undo_.back()();
    undo_.pop_back();
  }
  if (!is_kept_) tables_.last = last_;
}

BatchIds MemoryBatch::keep() {
  undo_.clear();
  is_kept_ = true;
  return std::move(ids_);
}

Result<void> MemoryBatch::create_session(const NewSession& session) {
  auto config = TRY(config_column(session.config));
  TRY(labels_column(session.labels));
  TRY(check_tenant(session.tenant));
  if (session.is_queued && session.runner_id) return std::unexpected(queued_with_runner());
  if (session.is_queued && session.parent_session_id) return std::unexpected(queued_child());
  TRY(check_parent(session));
  if (session.runner_id) {
    TRY(check_alive(*session.runner_id, tables_.runners, moment_));
  }
  const SessionId id = ++tables_.last.session;
  SessionRow& row = tables_.sessions[id];
  undo_.push_back([this, id] { tables_.sessions.erase(id); });
  row.config = std::move(config);
  row.session =
      Session{.id = id,
              .agent_name = to_valid_utf8(session.agent_name),
              .provider = to_valid_utf8(session.provider),
              .model = to_valid_utf8(session.model),
              .system_prompt = store::valid(session.system_prompt),
              .user_prompt = to_valid_utf8(session.user_prompt),
              .status = session.is_queued ? SessionStatus::queued : SessionStatus::running,
              .started_at = now_,
              .parent_session_id = session.parent_session_id,
              .parent_call_id = session.parent_call_id,
              .runner_id = session.runner_id,
              .lease_epoch = session.runner_id ? 1 : 0,
              .priority = session.priority,
              .ready_at = session.ready_at,
              .labels = session.labels,
              .tenant = session.tenant};
  if (session.parent_session_id) {
    row.session.tenant = tables_.find_session(*session.parent_session_id)->session.tenant;
  }
  ids_.session = id;
  ids_.epoch = row.session.lease_epoch;
  return {};
}

Result<void> MemoryBatch::write(std::span<const Write> writes) {
  for (const Write& write : writes) {
    TRY(std::visit([&](const auto& one) { return apply(one); }, write));
  }
  return {};
}

Result<SessionRow*> MemoryBatch::target(SessionId written) {
  const SessionId id = written == 0 ? ids_.session : written;
  SessionRow* row = tables_.find_session(id);
  if (row == nullptr) return std::unexpected(no_session(id));
  return row;
}

Result<void> MemoryBatch::check_parent(const NewSession& session) {
  const auto parent = session.parent_session_id;
  if (session.parent_call_id && !parent) return std::unexpected(call_without_parent());
  if (parent && tables_.find_session(*parent) == nullptr) {
    return std::unexpected(no_session(*parent));
  }
  if (!session.parent_call_id) return {};
  const CallRow* call = tables_.find_call(*session.parent_call_id);
  if (call != nullptr && call->call.session_id == *parent) return {};
  return std::unexpected(no_call(*session.parent_call_id, *parent));
}

Result<void> MemoryBatch::apply(const AppendMessage& write) {
  const auto row = TRY(target(write.session_id));
  const MessageId id = ++tables_.last.message;
  row->messages.push_back({id, write.message.role, valid(to_columns(write.message)), now_});
  undo_.push_back([messages = &row->messages] { messages->pop_back(); });
  ids_.messages.push_back(id);
  if (write.is_told) return {};
  std::size_t to_start = write.started_calls;
  for (const Part& part : write.message.parts) {
    const auto* call = std::get_if<ToolCall>(&part);
    if (call == nullptr) continue;
    insert_call(*row, id, *call);
    const bool is_started = to_start > 0;
    if (is_started) --to_start;
    if (!is_started && !write.others) continue;
    UpdateCall update = is_started ? UpdateCall{} : *write.others;
    update.call_id = ids_.calls.back();
    TRY(apply(update));
  }
  return {};
}

Result<void> MemoryBatch::apply(const CreateCall& write) {
  const auto row = TRY(target(write.session_id));
  if (write.message_id &&
      !std::ranges::binary_search(row->messages, *write.message_id, {}, &MessageRow::id)) {
    return std::unexpected(no_message(*write.message_id, row->session.id));
  }
  insert_call(*row, write.message_id, write.call);
  return {};
}

Result<void> MemoryBatch::apply(const UpdateCall& write) {
  CallRow* row = tables_.find_call(write.call_id);
  if (row == nullptr) return std::unexpected(no_call(write.call_id));
  if (!may_move(row->call.status, write.status)) {
    return std::unexpected(illegal_move(write.call_id, row->call.status, write.status));
  }
  auto response = TRY(json_column(write.response));
  remember(*row);
  row->has_news = false;
  row->call.status = write.status;
  row->call.completed_at = is_end(write.status) ? std::optional(now_) : std::nullopt;
  if (response) row->response = std::move(response);
  if (write.execution_time_ms) row->call.execution_time_ms = write.execution_time_ms;
  if (write.error_details) row->call.error_details = store::valid(write.error_details);
  if (write.result) row->result = result_column(write.result);
  return {};
}

Result<void> MemoryBatch::apply(const UpdateSession& write) {
  const auto row = TRY(target(write.session_id));
  auto feedback = TRY(json_column(write.feedback));
  auto context = TRY(json_column(write.context));
  auto config = TRY(config_column(write.config.value_or(Json())));
  remember(*row);
  Session& session = row->session;
  if (write.status) {
    session.status = *write.status;
    session.ended_at = is_end(*write.status) ? std::optional(now_) : std::nullopt;
    if (*write.status != SessionStatus::running) session.runner_id.reset();
    if (!is_failure(*write.status)) session.error.reset();
    session.error_code.reset();
    session.limit.reset();
    if (is_end(*write.status)) {
      // A specialist's session is what a call of the session above waits for.
      if (session.parent_call_id) tell_of_news(*session.parent_call_id);
      session.cancel_reason.reset();
      std::erase_if(ids_.cancelled,
                    [&](const CancelWish& wish) { return wish.session_id == session.id; });
    }
  }
  if (write.result) session.result = store::valid(write.result);
  if (write.error) session.error = store::valid(write.error);
  if (write.error_code) session.error_code = write.error_code;
  if (write.limit) session.limit = write.limit;
  if (write.usage) session.usage = *write.usage;
  if (write.iterations) session.iterations = *write.iterations;
  if (write.agent_name) session.agent_name = to_valid_utf8(*write.agent_name);
  if (write.provider) session.provider = to_valid_utf8(*write.provider);
  if (write.model) session.model = to_valid_utf8(*write.model);
  if (write.config) row->config = std::move(config);
  if (write.worked_ms) session.worked_ms = write.worked_ms;
  if (write.turn_worked_ms) session.turn_worked_ms = write.turn_worked_ms;
  if (feedback) row->feedback = std::move(feedback);
  if (context) row->context = std::move(context);
  return {};
}

Result<void> MemoryBatch::apply(const OpenWait& write) {
  const auto row = TRY(target(write.session_id));
  const SessionId session_id = row->session.id;
  const CallRow* call = tables_.find_call(write.call_id);
  if (call == nullptr || call->call.session_id != session_id) {
    return std::unexpected(no_call(write.call_id, session_id));
  }
  if (call->call.status != CallStatus::waiting) {
    return std::unexpected(not_waiting(write.call_id, call->call.status));
  }
  auto shown = TRY(json_column(write.shown));
  TRY(state_column(write.state));  // as the others refuse it
  std::vector<WaitRow>& waits = row->waits;
  const bool is_open = std::ranges::any_of(waits, [&](const WaitRow& other) {
    return other.wait.call_id == write.call_id && other.wait.status == WaitStatus::open;
  });
  if (is_open) return std::unexpected(waits_already(write.call_id));
  const WaitId id = ++tables_.last.wait;
  waits.push_back({StoredWait{.id = id,
                              .session_id = session_id,
                              .call_id = write.call_id,
                              .kind = write.kind,
                              .covers = write.covers,
                              .state = write.state,
                              .created_at = now_,
                              .expires_at = write.expires_at},
                   std::move(shown),
                   {}});
  tables_.session_of_wait[id] = session_id;
  undo_.push_back([this, id, &waits] {
    waits.pop_back();
    tables_.session_of_wait.erase(id);
  });
  ids_.waits.push_back(id);
  return {};
}

Result<void> MemoryBatch::apply(const CloseWaits& write) {
  if (!may_close_as(write.status)) return std::unexpected(illegal_close(write.status));
  const auto session = TRY(target(write.session_id));
  for (WaitRow& row : session->waits) {
    if (row.wait.status != WaitStatus::open) continue;
    if (write.call_id && row.wait.call_id != *write.call_id) continue;
    remember(row);
    row.wait.status = write.status;
    if (write.status == WaitStatus::expired && write.call_id) tell_of_news(*write.call_id);
  }
  return {};
}

void MemoryBatch::tell_of_news(CallId id) {
  CallRow* call = tables_.find_call(id);
  if (call == nullptr || call->call.status != CallStatus::waiting) return;
  remember(*call);
  call->has_news = true;
}

Result<void> MemoryBatch::apply(const AnswerWait& write) {
  auto answer = TRY(json_column(write.answer));
  WaitRow* row = tables_.find_wait(write.wait_id);
  if (row == nullptr) return std::unexpected(no_wait(write.wait_id));
  if (row->wait.status != WaitStatus::open || is_over(row->wait, now_)) {
    return std::unexpected(not_open(row->wait));
  }
  remember(*row);
  row->wait.status = WaitStatus::answered;
  row->wait.answered_at = now_;
  row->wait.answered_by = to_valid_utf8(write.answered_by);
  row->answer = std::move(answer);
  tell_of_news(row->wait.call_id);
  auto answered = TRY(read(*row));
  ids_.answered.push_back(std::move(answered));
  return {};
}

Result<void> MemoryBatch::apply(const AppendEvents& write) {
  const auto row = TRY(target(write.session_id));
  for (const NewEvent& event : write.events) {
    auto data = TRY(json_column(event.data));
    const EventSequence sequence = ++tables_.last.event;
    tables_.events.push_back({{.sequence = sequence,
                               .session_id = row->session.id,
                               .type = to_valid_utf8(event.type),
                               .at = event.at.value_or(now_)},
                              std::move(data)});
    undo_.push_back([this] { tables_.events.pop_back(); });
    ids_.events.push_back(sequence);
  }
  return {};
}

Result<void> MemoryBatch::apply(const PutRecord& write) {
  auto value = TRY(json_column(write.value));
  const std::pair key(to_valid_utf8(write.kind), to_valid_utf8(write.key));
  const auto found = tables_.records.find(key);
  if (!write.version) {
    if (found != tables_.records.end()) {
      return std::unexpected(record_exists(write.kind, write.key));
    }
    if (write.session_id && tables_.find_session(*write.session_id) == nullptr) {
      return std::unexpected(no_session(*write.session_id));
    }
    tables_.records[key] = {.id = ++tables_.last.record,
                            .value = std::move(value),
                            .due_at = write.due_at,
                            .session_id = write.session_id};
    undo_.push_back([this, key] { tables_.records.erase(key); });
    return {};
  }
  if (found == tables_.records.end() || found->second.version != *write.version) {
    return std::unexpected(record_changed(write.kind, write.key));
  }
  undo_.push_back([this, key, before = found->second] { tables_.records[key] = before; });
  found->second.value = std::move(value);
  found->second.due_at = write.due_at;
  ++found->second.version;
  return {};
}

Result<void> MemoryBatch::apply(const RemoveRecords& write) {
  const std::string kind = to_valid_utf8(write.kind);
  const auto is_meant = [&](const std::string& key, const RecordRow& row) {
    return (!write.key || key == to_valid_utf8(*write.key)) &&
           (!write.version || row.version == *write.version) &&
           (!write.due_before || row.due_at < *write.due_before);
  };
  auto at = tables_.records.lower_bound({kind, ""});
  while (at != tables_.records.end() && at->first.first == kind) {
    if (!is_meant(at->first.second, at->second)) {
      ++at;
      continue;
    }
    undo_.push_back([this, key = at->first, row = at->second] { tables_.records[key] = row; });
    at = tables_.records.erase(at);
  }
  return {};
}

void MemoryBatch::insert_call(SessionRow& row, std::optional<MessageId> message_id,
                              const ToolCall& call) {
  const CallId id = ++tables_.last.call;
  row.calls.push_back({StoredCall{.id = id,
                                  .session_id = row.session.id,
                                  .message_id = message_id,
                                  .tool_call_id = to_valid_utf8(call.id),
                                  .tool_name = to_valid_utf8(call.name),
                                  .created_at = now_},
                       request_column(call.arguments),
                       {},
                       {}});
  tables_.session_of_call[id] = row.session.id;
  undo_.push_back([this, id, calls = &row.calls] {
    calls->pop_back();
    tables_.session_of_call.erase(id);
  });
  ids_.calls.push_back(id);
}

void MemoryBatch::remember(const SessionRow& row) {
  undo_.push_back([this, session = row.session, feedback = row.feedback, context = row.context] {
    SessionRow& changed = *tables_.find_session(session.id);
    changed.session = session;
    changed.feedback = feedback;
    changed.context = context;
  });
}

void MemoryBatch::remember(const CallRow& row) {
  undo_.push_back([this, before = row] { *tables_.find_call(before.call.id) = before; });
}

void MemoryBatch::remember(const WaitRow& row) {
  undo_.push_back([this, before = row] { *tables_.find_wait(before.wait.id) = before; });
}

}  // namespace wright::store
