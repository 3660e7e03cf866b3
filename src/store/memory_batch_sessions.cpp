// The writes of a batch in memory that copy and delete whole sessions.
#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/try.h"
#include "store/fork.h"
#include "store/memory_batch.h"
#include "store/memory_rows.h"
#include "store/status.h"

namespace wright::store {

Result<void> MemoryBatch::apply(const DeleteSession& write) {
  const auto row = TRY(target(write.session_id));
  if (write.unless_running && (row->session.status == SessionStatus::running ||
                               is_alive(row->session.runner_id, tables_.runners, moment_))) {
    return std::unexpected(is_running(row->session.id));
  }
  delete_family(row->session.id);
  return {};
}

void MemoryBatch::delete_family(SessionId id) {
  const std::vector<SessionId> family = tables_.family_of(id);
  const auto is_gone = [&](const EventRow& row) {
    return std::ranges::binary_search(family, row.event.session_id);
  };
  if (std::ranges::any_of(tables_.events, is_gone)) {
    undo_.push_back([this, before = tables_.events] { tables_.events = before; });
    std::erase_if(tables_.events, is_gone);
  }
  for (auto at = tables_.records.begin(); at != tables_.records.end();) {
    const auto owner = at->second.session_id;
    if (!owner || !std::ranges::binary_search(family, *owner)) {
      ++at;
      continue;
    }
    undo_.push_back([this, key = at->first, row = at->second] { tables_.records[key] = row; });
    at = tables_.records.erase(at);
  }
  for (const SessionId member : family) {
    const SessionRow& session = tables_.sessions.at(member);
    for (const CallRow& row : session.calls) tables_.session_of_call.erase(row.call.id);
    for (const WaitRow& row : session.waits) tables_.session_of_wait.erase(row.wait.id);
    // The row keeps its place in memory: what is undone before this refers to it.
    undo_.push_back([this, node = tables_.sessions.extract(member)]() mutable {
      const SessionRow& back = tables_.sessions.insert(std::move(node)).position->second;
      for (const CallRow& row : back.calls) {
        tables_.session_of_call[row.call.id] = back.session.id;
      }
      for (const WaitRow& row : back.waits) {
        tables_.session_of_wait[row.wait.id] = back.session.id;
      }
    });
  }
}

Result<void> MemoryBatch::apply(const Prune& write) {
  std::vector<SessionId> ended;  // the oldest first
  for (const auto& [id, row] : tables_.sessions) {
    if (!row.session.parent_session_id && is_end(row.session.status)) ended.push_back(id);
  }
  ended.resize(ended.size() - std::min(ended.size(), write.keep));
  std::size_t left = write.most;
  for (const SessionId id : ended) {
    if (left == 0) break;
    const Session& session = tables_.sessions.at(id).session;
    if (session.ended_at.value_or(session.started_at) >= write.ended_before) continue;
    if (is_alive(session.runner_id, tables_.runners, moment_)) continue;
    delete_family(id);
    ids_.pruned.push_back(id);
    --left;
  }
  return {};
}

Result<void> MemoryBatch::apply(const ForkSession& write) {
  const auto found = TRY(target(write.session_id));
  const SessionRow& original = *found;
  const Session& session = original.session;
  std::vector<StoredMessage> messages;
  for (const MessageRow& row : original.messages) {
    auto message = TRY(read(row, session.id));
    messages.push_back(std::move(message));
  }
  const auto count = TRY(messages_to_fork(session.id, messages, write.last));

  const bool is_whole = count == messages.size();
  const SessionId id = ++tables_.last.session;
  SessionRow& fork = tables_.sessions[id];
  undo_.push_back([this, id] {
    for (const CallRow& row : tables_.sessions.at(id).calls) {
      tables_.session_of_call.erase(row.call.id);
    }
    tables_.sessions.erase(id);
  });
  fork.session = Session{.id = id,
                         .agent_name = session.agent_name,
                         .provider = session.provider,
                         .model = session.model,
                         .system_prompt = session.system_prompt,
                         .user_prompt = session.user_prompt,
                         .status = SessionStatus::completed,
                         .started_at = now_,
                         .ended_at = now_,
                         .result = is_whole ? session.result : std::nullopt,
                         .format_version = session.format_version,
                         .forked_from = session.id,
                         .labels = session.labels,
                         .tenant = session.tenant};
  fork.config = original.config;
  if (is_whole) {
    fork.feedback = original.feedback;
    fork.context = original.context;
  }
  std::unordered_map<MessageId, MessageId> new_ids;
  for (std::size_t i = 0; i < count; ++i) {
    fork.messages.push_back(original.messages[i]);
    fork.messages.back().id = ++tables_.last.message;
    new_ids.emplace(original.messages[i].id, fork.messages.back().id);
  }
  for (const CallRow& row : original.calls) {
    if (!row.call.message_id) continue;
    const auto copied = new_ids.find(*row.call.message_id);
    if (copied == new_ids.end()) continue;
    fork.calls.push_back(row);
    fork.calls.back().has_news = false;
    StoredCall& call = fork.calls.back().call;
    call.id = ++tables_.last.call;
    call.session_id = id;
    call.message_id = copied->second;
    tables_.session_of_call[call.id] = id;
  }
  ids_.forks.push_back(id);
  return {};
}

}  // namespace wright::store
