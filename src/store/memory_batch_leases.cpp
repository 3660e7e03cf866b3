// The writes of a batch in memory that say who drives a session; see store_writes.h.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/try.h"
#include "store/labels.h"
#include "store/memory_batch.h"
#include "store/permits.h"
#include "store/status.h"
#include "store/turns.h"

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
  if (!session.cancel_reason) {
    remember(*row);
    session.cancel_reason = to_valid_utf8(write.reason);
  }
  // Those below are younger.
  std::set<SessionId> family;
  for (auto at = tables_.sessions.find(session.id); at != tables_.sessions.end(); ++at) {
    const auto& above = at->second.session.parent_session_id;
    if (at->first == session.id || (above && family.contains(*above))) family.insert(at->first);
  }
  for (const SessionId id : family) TRY(apply(CloseWaits{.session_id = id}));
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

Result<void> MemoryBatch::apply(const LimitQueue& write) {
  const auto queued = std::ranges::count_if(tables_.sessions, [&](const auto& entry) {
    const Session& session = entry.second.session;
    return session.status == SessionStatus::queued &&
           (!write.tenant || session.tenant == *write.tenant);
  });
  if (std::cmp_less_equal(queued, write.most)) return {};
  return std::unexpected(queue_is_full(write));
}

Result<void> MemoryBatch::apply(const Claim& write) {
  TRY(check_alive(write.runner_id, tables_.runners, moment_));
  // Whoever is ready, by tenant and agent, the best first.
  std::map<std::pair<std::string, std::string>, std::vector<SessionRow*>> ready;
  for (auto& [id, row] : tables_.sessions) {
    const Session& session = row.session;
    if (session.status != SessionStatus::queued || session.parent_session_id) continue;
    if (session.ready_at && *session.ready_at > now_) continue;
    if (is_alive(session.runner_id, tables_.runners, moment_)) continue;
    const bool is_wanted =
        write.agent_names.empty() ||
        std::ranges::find(write.agent_names, session.agent_name) != write.agent_names.end();
    const bool is_busy = std::ranges::any_of(write.except_models, [&](const std::string& model) {
      return model == session.provider || model == session.provider + ":" + session.model;
    });
    if (is_busy || !has_labels(write.labels, session.labels) ||
        std::ranges::find(write.except, id) != write.except.end()) {
      continue;
    }
    if (is_wanted) ready[{session.tenant, session.agent_name}].push_back(&row);
  }
  std::vector<Line> lines;
  for (auto& [names, rows] : ready) {
    std::ranges::stable_sort(rows, std::greater<>(),
                             [](const SessionRow* row) { return row->session.priority; });
    Line line{.tenant = names.first, .agent_name = names.second};
    if (const auto served = tables_.served.find(names); served != tables_.served.end()) {
      line.served = served->second;
    }
    for (const auto& [of, served] : tables_.served) {
      if (of.first == line.tenant) line.tenant_served = std::max(line.tenant_served, served);
    }
    for (const SessionRow* row : rows) {
      line.sessions.push_back({row->session.id, row->session.priority});
    }
    lines.push_back(std::move(line));
  }
  for (const Turn& turn : turns_of(lines, write.most)) {
    claim(*tables_.find_session(turn.id), write.runner_id);
    serve(lines[turn.line].tenant, lines[turn.line].agent_name);
  }
  return {};
}

// What runners took that are not alive any more is forgotten, so that it is free.
Result<void> MemoryBatch::apply(const TakePermits& write) {
  TRY(check_alive(write.runner_id, tables_.runners, moment_));
  undo_.push_back([this, paces = tables_.paces, slots = tables_.slots] {
    tables_.paces = paces;
    tables_.slots = slots;
  });
  std::erase_if(tables_.slots, [&](const auto& one) {
    return !is_alive(one.first.second, tables_.runners, moment_);
  });
  const std::string name = to_valid_utf8(write.name);
  std::vector<OtherSlots> others;
  for (const auto& [of, slots] : tables_.slots) {
    if (of.first == name && of.second != write.runner_id) others.push_back(slots);
  }
  PaceRow& row = tables_.paces[name];
  const PermitRuling ruling = permits_for(write, row, others, now_);
  row = ruling.row;
  tables_.slots[{name, write.runner_id}] = {ruling.permits.slots, sensible(write).slots};
  ids_.permits.push_back(ruling.permits);
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

void MemoryBatch::serve(const std::string& tenant, const std::string& agent_name) {
  const std::pair line(tenant, agent_name);
  const auto before = tables_.served.find(line);
  const std::optional<std::int64_t> served =
      before == tables_.served.end() ? std::nullopt : std::optional(before->second);
  undo_.push_back([this, line, served] {
    if (served) {
      tables_.served[line] = *served;
    } else {
      tables_.served.erase(line);
    }
  });
  tables_.served[line] = ++tables_.last.served;
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
