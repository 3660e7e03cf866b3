// The writes of a batch in memory that say who drives a session; see store_writes.h.
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/try.h"
#include "store/labels.h"
#include "store/memory_batch.h"
#include "store/status.h"

namespace wright::store {

Result<void> MemoryBatch::apply(const RegisterRunner& write) {
  const RunnerId id = ++tables_.last.runner;
  Runner runner{.id = id, .name = to_valid_utf8(write.name)};
  renew(runner, write.time, moment_);
  remember_runners();
  tables_.runners.push_back(std::move(runner));
  ids_.runners.push_back(id);
  return {};
}

Result<void> MemoryBatch::apply(const RenewRunner& write) {
  Runner* runner = tables_.find_runner(write.runner_id);
  if (runner == nullptr) return std::unexpected(no_runner(write.runner_id));
  remember_runners();
  renew(*runner, write.time, moment_);
  return {};
}

Result<void> MemoryBatch::apply(const EndRunner& write) {
  remember_runners();
  std::erase_if(tables_.runners, [&](const Runner& one) { return one.id == write.runner_id; });
  return {};
}

Result<void> MemoryBatch::apply(const ClaimLease& write) {
  const auto row = TRY(target(write.session_id));
  Session& session = row->session;
  const auto lease = TRY(taken(lease_of(session), write, tables_.runners, moment_));
  remember(*row);
  session.runner_id = lease.runner_id;
  session.lease_epoch = lease.epoch;
  ids_.epochs.push_back(lease.epoch);
  tell_of_wish(session);
  return {};
}

Result<void> MemoryBatch::apply(const HoldLease& write) {
  const auto row = TRY(target(write.session_id));
  const Session& session = row->session;
  TRY(check_held(lease_of(session), write, tables_.runners, moment_));
  tell_of_wish(session);
  return {};
}

Result<void> MemoryBatch::apply(const ReleaseLease& write) {
  const auto row = TRY(target(write.session_id));
  Session& session = row->session;
  if (session.runner_id != write.runner_id) return {};
  if (write.epoch && session.lease_epoch != *write.epoch) return {};
  remember(*row);
  session.runner_id.reset();
  return {};
}

Result<void> MemoryBatch::apply(const RequestCancel& write) {
  const auto row = TRY(target(write.session_id));
  Session& session = row->session;
  if (is_end(session.status)) return std::unexpected(has_ended(session.id, session.status));
  if (session.cancel_reason) return {};
  remember(*row);
  session.cancel_reason = to_valid_utf8(write.reason);
  return {};
}

Result<void> MemoryBatch::apply(const Enqueue& write) {
  const auto row = TRY(target(write.session_id));
  Session& session = row->session;
  if (session.parent_session_id) return std::unexpected(queued_child());
  if (!is_end(session.status)) return std::unexpected(has_not_ended(session.id, session.status));
  TRY(check_free(lease_of(session), tables_.runners, moment_));
  remember(*row);
  session.status = SessionStatus::queued;
  session.ended_at.reset();
  session.error.reset();
  session.error_code.reset();
  session.limit.reset();
  session.runner_id.reset();
  session.turn_worked_ms = 0;
  session.iterations = 0;
  session.priority = write.priority;
  session.ready_at = write.ready_at;
  return apply(AppendMessage{session.id, write.message});
}

Result<void> MemoryBatch::apply(const Claim& write) {
  TRY(check_alive(write.runner_id, tables_.runners, moment_));
  // Whoever is ready, by agent, the best first.
  std::map<std::string, std::vector<SessionRow*>> ready;
  for (auto& [id, row] : tables_.sessions) {
    const Session& session = row.session;
    if (session.status != SessionStatus::queued || session.parent_session_id) continue;
    if (session.ready_at && *session.ready_at > now_) continue;
    if (is_alive(session.runner_id, tables_.runners, moment_)) continue;
    const bool is_wanted =
        write.agent_names.empty() ||
        std::ranges::find(write.agent_names, session.agent_name) != write.agent_names.end();
    if (!has_labels(write.labels, session.labels) ||
        std::ranges::find(write.except, id) != write.except.end()) {
      continue;
    }
    if (is_wanted) ready[session.agent_name].push_back(&row);
  }
  struct Line {
    std::string agent_name;
    std::int64_t served = 0;
    std::deque<SessionRow*> rows;
  };
  std::vector<Line> lines;
  for (auto& [agent_name, rows] : ready) {
    std::ranges::stable_sort(rows, std::greater<>(),
                             [](const SessionRow* row) { return row->session.priority; });
    const auto served = tables_.served.find(agent_name);
    lines.push_back({agent_name,
                     served == tables_.served.end() ? 0 : served->second,
                     {rows.begin(), rows.end()}});
  }
  std::ranges::sort(lines, {}, [](const Line& line) {
    const Session& first = line.rows.front()->session;
    return std::tuple(line.served, -std::int64_t{first.priority}, first.id);
  });
  std::size_t left = write.most;
  for (bool is_any = true; is_any && left > 0;) {
    is_any = false;
    for (Line& line : lines) {
      if (line.rows.empty() || left == 0) continue;
      claim(*line.rows.front(), write.runner_id);
      serve(line.agent_name);
      line.rows.pop_front();
      --left;
      is_any = true;
    }
  }
  return {};
}

void MemoryBatch::claim(SessionRow& row, RunnerId runner) {
  remember(row);
  Session& session = row.session;
  session.status = SessionStatus::running;
  session.runner_id = runner;
  ++session.lease_epoch;
  ids_.claimed.push_back({session.id, session.lease_epoch});
  tell_of_wish(session);
}

void MemoryBatch::serve(const std::string& agent_name) {
  const auto before = tables_.served.find(agent_name);
  const std::optional<std::int64_t> served =
      before == tables_.served.end() ? std::nullopt : std::optional(before->second);
  undo_.push_back([this, agent_name, served] {
    if (served) {
      tables_.served[agent_name] = *served;
    } else {
      tables_.served.erase(agent_name);
    }
  });
  tables_.served[agent_name] = ++tables_.last.served;
}

void MemoryBatch::tell_of_wish(const Session& session) {
  if (!session.cancel_reason) return;
  const CancelWish wish{session.id, *session.cancel_reason};
  if (std::ranges::find(ids_.cancelled, wish) == ids_.cancelled.end()) {
    ids_.cancelled.push_back(wish);
  }
}

void MemoryBatch::remember_runners() {
  undo_.push_back([this, before = tables_.runners] { tables_.runners = before; });
}

}  // namespace wright::store
