#include "runtime/session_recorder.h"

#include <cmath>
#include <utility>

namespace wright {
namespace {

SessionStatus status_of(Phase phase) {
  switch (phase) {
    case Phase::model:
    case Phase::tools: return SessionStatus::running;
    case Phase::waiting: return SessionStatus::waiting;
    case Phase::done: return SessionStatus::completed;
    case Phase::failed: return SessionStatus::failed;
    case Phase::cancelled: return SessionStatus::cancelled;
  }
  return SessionStatus::failed;
}

// Only what differs from a plain running session needs to be written.
UpdateSession session_update(SessionId id, const Run& run) {
  UpdateSession update{.session_id = id, .usage = run.usage, .iterations = run.iterations};
  const SessionStatus status = status_of(run.phase);
  if (status != SessionStatus::running) update.status = status;
  if (run.phase == Phase::done) update.result = run.messages.back().text();
  if (run.phase == Phase::failed || run.phase == Phase::cancelled) {
    update.error = run.error.message;
  }
  return update;
}

// The call that is executed next, if any.
const ToolCall* next_call(const Run& run) {
  for (const OpenCall& open : run.open_calls) {
    if (open.state == OpenCall::State::open) return &open.call;
  }
  return nullptr;
}

UpdateCall call_update(CallId id, const ToolOutcome& outcome) {
  UpdateCall update{.call_id = id};
  if (outcome.waiting) {
    update.status = CallStatus::waiting;
    update.response = *outcome.waiting;
    return update;
  }
  update.execution_time_ms = std::llround(outcome.duration_ms);
  if (outcome.result.is_error) {
    update.status = CallStatus::failed;
    update.error_details = outcome.error;
  } else {
    update.status = CallStatus::completed;
    update.response = outcome.response;
  }
  return update;
}

}  // namespace

// The messages that the run has and the store has not.
std::vector<Write> SessionRecorder::news(const Run& run) {
  std::vector<Write> writes;
  for (std::size_t i = stored_messages_; i < run.messages.size(); ++i) {
    writes.emplace_back(AppendMessage{session_id_, run.messages[i]});
  }
  return writes;
}

Result<void> SessionRecorder::begin(const Agent& agent, const Run& run, std::string_view prompt,
                                    Json config) {
  if (store_ == nullptr) return {};
  NewSession session{.agent_name = agent.name,
                     .provider = agent.model.provider(),
                     .model = agent.model.name(),
                     .user_prompt = std::string(prompt),
                     .config = std::move(config)};
  if (!agent.instructions.empty()) session.system_prompt = agent.instructions;
  auto created = store_->create_session_with(session, news(run));
  if (!created) return std::unexpected(std::move(created).error());
  session_id_ = created->first;
  stored_messages_ = run.messages.size();
  return {};
}

Result<void> SessionRecorder::write(const Run& run, std::vector<Write> writes) {
  auto ids = store_->apply(writes);
  if (!ids) return std::unexpected(std::move(ids).error());
  stored_messages_ = run.messages.size();
  if (!ids->calls.empty()) {
    open_calls_.clear();
    for (std::size_t i = 0; i < ids->calls.size() && i < run.open_calls.size(); ++i) {
      open_calls_.emplace(run.open_calls[i].call.id, ids->calls[i]);
    }
  }
  return {};
}

Result<void> SessionRecorder::advanced(const Run& run) {
  if (store_ == nullptr) return {};
  std::vector<Write> writes = news(run);
  if (run.phase == Phase::cancelled) {
    for (const auto& [name, id] : open_calls_) {
      writes.emplace_back(UpdateCall{
          .call_id = id, .status = CallStatus::cancelled, .error_details = run.error.message});
    }
    open_calls_.clear();
  }
  if (const ToolCall* first = next_call(run)) {
    std::get<AppendMessage>(writes.back()).started_calls = 1;
    started_call_ = first->id;
  }
  writes.emplace_back(session_update(session_id_, run));
  return write(run, std::move(writes));
}

Result<void> SessionRecorder::call_started(const ToolCall& call) {
  if (store_ == nullptr || started_call_ == call.id) return {};
  const Write started =
      UpdateCall{.call_id = open_calls_.at(call.id), .status = CallStatus::executing};
  auto ids = store_->apply({&started, 1});
  if (!ids) return std::unexpected(std::move(ids).error());
  return {};
}

Result<void> SessionRecorder::call_ended(const Run& run, const ToolCall& call,
                                         const ToolOutcome& outcome) {
  if (store_ == nullptr) return {};
  std::vector<Write> writes;
  writes.emplace_back(call_update(open_calls_.at(call.id), outcome));
  if (!outcome.waiting) open_calls_.erase(call.id);
  if (const ToolCall* following = next_call(run)) {
    writes.emplace_back(UpdateCall{.call_id = open_calls_.at(following->id)});
    started_call_ = following->id;
  }
  for (Write& message : news(run)) writes.push_back(std::move(message));
  if (run.phase == Phase::failed || run.phase == Phase::waiting) {
    writes.emplace_back(session_update(session_id_, run));
  }
  return write(run, std::move(writes));
}

Result<void> SessionRecorder::broke_off(const Error& error) {
  if (store_ == nullptr || session_id_ == 0) return {};
  return store_->fail_session(session_id_, error.message);
}

}  // namespace wright
