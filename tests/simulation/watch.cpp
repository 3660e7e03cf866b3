#include "simulation/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simulation/world.h"
#include "store/status.h"

namespace wright::simulation {
namespace {

// How long after its time is known to be over a session may still begin a call.
constexpr std::int64_t kTimeSlack = 3'000;

bool was_spoken_to(const Batch& batch, SessionId id) {
  return std::ranges::any_of(batch.writes, [&](const Write& write) {
    if (const auto* enqueue = std::get_if<Enqueue>(&write)) return enqueue->session_id == id;
    const auto* append = std::get_if<AppendMessage>(&write);
    return append != nullptr && append->session_id == id && append->message.is_from_user();
  });
}

std::set<SessionId> touched(const Batch& batch, const BatchIds& ids) {
  std::set<SessionId> sessions;
  if (ids.session != 0) sessions.insert(ids.session);
  for (const Write& write : batch.writes) {
    std::visit(
        [&](const auto& one) {
          if constexpr (requires { SessionId{one.session_id}; }) {
            sessions.insert(one.session_id == 0 ? ids.session : one.session_id);
          }
        },
        write);
  }
  for (const ClaimedSession& claimed : ids.claimed) sessions.insert(claimed.session_id);
  return sessions;
}

}  // namespace

void Watch::broken(std::string rule, std::string what) {
  world_.broken({std::move(rule), std::move(what)});
}

std::string Watch::key_of(SessionId session, const std::string& call_id) {
  return fmt::format("{}:{}", session, call_id);
}

SessionId Watch::root_of(SessionId id) const {
  for (auto found = sessions_.find(id); found != sessions_.end() && found->second.parent;
       found = sessions_.find(id)) {
    id = *found->second.parent;
  }
  return id;
}

Watch::CallFacts* Watch::find_call(SessionId session, const std::string& call_id) {
  const auto row = rows_.find({session, call_id});
  return row == rows_.end() ? nullptr : &calls_.at(row->second);
}

// --- the store ---------------------------------------------------------------------------------

WrittenBy Watch::about_to_write(const Batch& batch) {
  WrittenBy by;
  for (const Write& write : batch.writes) {
    const auto* hold = std::get_if<HoldLease>(&write);
    if (hold == nullptr) continue;
    const auto session = world_.store().truth().get_session(hold->session_id);
    if (session && session->runner_id == hold->runner_id &&
        session->lease_epoch == hold->epoch.value_or(session->lease_epoch)) {
      continue;
    }
    by.stale = fmt::format("session {} with epoch {} of runner {}", hold->session_id,
                           hold->epoch.value_or(0), hold->runner_id);
  }
  return by;
}

void Watch::refused(const Batch& batch, const Error& error) {
  if (error.code == ErrorCode::unavailable || error.code == ErrorCode::already_exists ||
      error.code == ErrorCode::not_found) {
    world_.reach(error.find("lease_epoch") != nullptr ? "a stale driver was refused"
                                                      : "a write was refused");
    return;
  }
  broken("what a driver writes can be written",
         fmt::format("{} ({} writes)", error.message, batch.writes.size()));
}

void Watch::written(const Batch& batch, const BatchIds& ids, const WrittenBy& by) {
  if (!by.stale.empty()) {
    broken("only the driver that holds a session writes to it", by.stale);
  }
  if (ids.session != 0) {
    SessionFacts& facts = sessions_[ids.session];
    facts = {.created = world_.store().applied(), .parent = batch.create->parent_session_id};
    const auto number = Workload::number_in(batch.create->user_prompt);
    if (!facts.parent && number) facts.limits = world_.workload().limits_of(*number);
    if (facts.parent) world_.reach("a specialist started");
  }
  note_leases(batch, ids);
  note_wishes(batch);
  note_calls(batch, ids);
  note_answers(ids);
  note_said(batch);
  for (const SessionId id : touched(batch, ids)) look_at(id, batch);
}

void Watch::hand_out(SessionId session, int epoch) {
  if (!epochs_.try_emplace({session, epoch}, world_.store().applied()).second) {
    broken("every driver has an epoch of its own",
           fmt::format("session {} epoch {}", session, epoch));
  }
}

void Watch::note_leases(const Batch& batch, const BatchIds& ids) {
  if (ids.session != 0 && ids.epoch != 0) hand_out(ids.session, ids.epoch);
  for (const ClaimedSession& claimed : ids.claimed) hand_out(claimed.session_id, claimed.epoch);
  std::size_t next = 0;
  for (const Write& write : batch.writes) {
    const auto* take = std::get_if<ClaimLease>(&write);
    if (take == nullptr || next >= ids.epochs.size()) continue;
    if (take->expected_epoch) world_.reach("a waiting session was taken again by its driver");
    hand_out(take->session_id, ids.epochs[next++]);
  }
}

void Watch::note_wishes(const Batch& batch) {
  for (const Write& write : batch.writes) {
    const auto* wish = std::get_if<RequestCancel>(&write);
    if (wish == nullptr) continue;
    SessionFacts& facts = sessions_[wish->session_id];
    if (!facts.wished) facts.wished = world_.store().applied();
  }
}

void Watch::note_answers(const BatchIds& ids) {
  for (const StoredWait& wait : ids.answered) {
    if (!answered_.try_emplace(wait.id, world_.store().applied()).second) {
      broken("a wait is answered once", fmt::format("wait {}", wait.id));
    }
    world_.reach("a wait was answered");
    if (sessions_[wait.session_id].last.status == SessionStatus::waiting) {
      world_.reach("an answer came to a waiting session");
    }
  }
}

void Watch::note_said(const Batch& batch) {
  for (const Write& write : batch.writes) {
    if (const auto* put = std::get_if<PutRecord>(&write); put && put->kind == kSaidRecords) {
      said_.try_emplace(put->key, world_.store().applied());
      world_.reach("a session was spoken to while it worked");
    }
    const auto* remove = std::get_if<RemoveRecords>(&write);
    if (remove != nullptr && remove->kind == kSaidRecords) {
      world_.reach("what was said was taken");
    }
  }
}

void Watch::note_calls(const Batch& batch, const BatchIds& ids) {
  std::size_t next = 0;
  for (const Write& write : batch.writes) {
    if (const auto* append = std::get_if<AppendMessage>(&write)) {
      note_new_calls(*append, append->session_id == 0 ? ids.session : append->session_id, ids,
                     next);
      if (append->message.is_from_user()) {
        sessions_[append->session_id == 0 ? ids.session : append->session_id].calls_of_turn.clear();
      }
    } else if (const auto* update = std::get_if<UpdateCall>(&write)) {
      move(update->call_id, update->status);
    } else if (const auto* enqueue = std::get_if<Enqueue>(&write)) {
      sessions_[enqueue->session_id].calls_of_turn.clear();
    }
  }
}

void Watch::note_new_calls(const AppendMessage& append, SessionId session, const BatchIds& ids,
                           std::size_t& next) {
  std::size_t started = append.started_calls;
  for (const ToolCall& call : append.message.tool_calls()) {
    if (next >= ids.calls.size()) return;
    const CallId id = ids.calls[next++];
    calls_[id] = {.session_id = session,
                  .call_id = call.id,
                  .tool = call.name,
                  .created = world_.store().applied()};
    rows_[{session, call.id}] = id;
    if (started > 0) {
      --started;
      move(id, CallStatus::executing);
    } else if (append.others) {
      move(id, append.others->status);
    }
  }
}

void Watch::move(CallId id, CallStatus status) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  CallFacts& call = found->second;
  if (status == CallStatus::executing) call.executing = world_.store().applied();
  const auto kind = tool_kind_from(call.tool);
  const bool has_effect = kind && *kind != ToolKind::read && *kind != ToolKind::question;
  const bool has_happened = evidence_.contains(key_of(call.session_id, call.call_id));
  if (status == CallStatus::unknown) {
    const bool has_waited = call.status == CallStatus::waiting;
    world_.reach(has_waited ? "a call that waited became unknown" : "a call became unknown");
  }
  if (status == CallStatus::completed && has_effect && !has_happened) {
    broken("a completed call has happened", key_of(call.session_id, call.call_id));
  }
  if (status == CallStatus::cancelled && has_effect && has_happened) {
    broken("a cancelled call has not happened", key_of(call.session_id, call.call_id));
  }
  call.status = status;
}

bool Watch::is_late(const SessionFacts& facts) {
  const auto& time = facts.limits.max_time;
  return time && facts.last.turn_worked_ms.value_or(0) > time->count();
}

void Watch::look_at(SessionId id, const Batch& batch) {
  auto stored = world_.store().truth().get_session(id);
  if (!stored) return;
  SessionFacts& facts = sessions_[id];
  const Session& last = facts.last;
  const bool is_spoken_to = was_spoken_to(batch, id);
  if (last.id != 0 && !is_spoken_to) {
    if (store::is_end(last.status) && !store::is_end(stored->status)) {
      broken("what has ended stays so",
             fmt::format("session {} was {} and is {}", id, to_string(last.status),
                         to_string(stored->status)));
    }
    if (stored->iterations < last.iterations ||
        stored->turn_worked_ms.value_or(0) < last.turn_worked_ms.value_or(0)) {
      broken("what was used is not forgotten",
             fmt::format("session {}: {} and {} turns, {} and {} ms of work", id, last.iterations,
                         stored->iterations, last.turn_worked_ms.value_or(0),
                         stored->turn_worked_ms.value_or(0)));
    }
  }
  if (stored->usage.input_tokens < last.usage.input_tokens) {
    broken("what was used is not forgotten", fmt::format("tokens of session {}", id));
  }
  if (stored->lease_epoch < last.lease_epoch) {
    broken("epochs only rise", fmt::format("session {}", id));
  }
  const bool has_ended = store::is_end(stored->status);
  if (has_ended && facts.wished) {
    world_.reach("a session that was to be cancelled ended");
    facts.wished.reset();
  }
  facts.last = std::move(*stored);
  if (is_spoken_to) {  // a new turn, which counts from nothing
    facts.last.iterations = 0;
    facts.last.turn_worked_ms = 0;
    facts.late_since.reset();
  }
  if (is_late(facts) && !facts.late_since) facts.late_since = world_.now();
  check_budget(id);
  if (has_ended) {
    check_transcript(facts.last);
    check_rows(facts.last);
  }
}

void Watch::check_budget(SessionId id) {
  const SessionId root = root_of(id);
  const SessionFacts& above = sessions_[root];
  if (above.limits.max_tokens) {
    std::int64_t tokens = 0;
    for (const auto& [each, facts] : sessions_) {
      if (root_of(each) != root) continue;
      tokens += facts.last.usage.input_tokens + facts.last.usage.output_tokens;
    }
    if (tokens > *above.limits.max_tokens) {
      broken("no limit is passed",
             fmt::format("{} of {} tokens in session {}", tokens, *above.limits.max_tokens, root));
    }
  }
  if (!above.parent && above.limits.max_iterations > 0 && id == root &&
      above.last.iterations > above.limits.max_iterations) {
    broken("no limit is passed", fmt::format("iterations of session {}", root));
  }
}

// Rows of a crashed machine that were not safe are gone, with all that followed from them.
void Watch::forget_after(std::size_t kept, Effects effects) {
  // What a call did before it waited stays, though its second start is lost.
  const auto forgive = [&](const CallFacts& call) {
    const auto evidence = evidence_.find(key_of(call.session_id, call.call_id));
    if (effects != Effects::forgiven || evidence == evidence_.end()) return;
    if (evidence->second.at > kept) evidence_.erase(evidence);
  };
  std::erase_if(calls_, [&](const auto& each) {
    if (each.second.created <= kept) return false;
    forgive(each.second);
    rows_.erase({each.second.session_id, each.second.call_id});
    return true;
  });
  for (auto& [id, call] : calls_) {
    if (call.executing > kept) forgive(call);
  }
  std::erase_if(sessions_, [&](const auto& each) { return each.second.created > kept; });
  std::erase_if(epochs_, [&](const auto& each) { return each.second > kept; });
  std::erase_if(answered_, [&](const auto& each) { return each.second > kept; });
  std::erase_if(said_, [&](const auto& each) { return each.second > kept; });
  highest_epoch_.clear();
  for (auto& [id, facts] : sessions_) {
    if (facts.wished && *facts.wished > kept) facts.wished.reset();
    std::erase_if(facts.calls_of_turn, [&](CallId call) { return !calls_.contains(call); });
    if (auto stored = world_.store().truth().get_session(id)) facts.last = std::move(*stored);
    if (facts.last.cancel_reason && !facts.wished) facts.wished = kept;
    if (!is_late(facts)) facts.late_since.reset();
  }
  for (auto& [id, call] : calls_) {
    const auto rows = world_.store().truth().get_tool_calls(call.session_id);
    if (!rows) continue;
    for (const StoredCall& row : *rows) {
      if (row.id == id) call.status = row.status;
    }
  }
}

// --- tools -------------------------------------------------------------------------------------

void Watch::begins(const Execution& execution) {
  const auto session = world_.store().truth().get_session(execution.session_id);
  if (!session || session->runner_id != execution.runner ||
      session->lease_epoch != execution.epoch) {
    broken(
        "only the driver that holds a session starts its calls",
        fmt::format("{} by runner {} with epoch {}, but runner {} has epoch {}", execution.key,
                    execution.runner, execution.epoch, session ? session->runner_id.value_or(0) : 0,
                    session ? session->lease_epoch : 0));
  }
  CallFacts* call = find_call(execution.session_id, execution.call_id);
  if (call == nullptr || call->status != CallStatus::executing) {
    broken("a call is written down before it begins", execution.key);
    return;
  }
  const SessionFacts& facts = sessions_[execution.session_id];
  if (facts.wished && call->executing > *facts.wished) {
    broken("no cancellation is lost", fmt::format("{} began after it", execution.key));
  }
  SessionFacts& root = sessions_[root_of(execution.session_id)];
  if (!std::exchange(call->has_begun, true)) {
    root.calls_of_turn.push_back(rows_.at({execution.session_id, execution.call_id}));
  } else {
    world_.reach("a call was executed again");
  }
  const int most = root.limits.max_tool_calls.value_or(0);
  if (most > 0 && root.calls_of_turn.size() > static_cast<std::size_t>(most)) {
    broken("no limit is passed", fmt::format("{} calls of {}", root.calls_of_turn.size(), most));
  }
  // A process that sleeps hears of it when it wakes.
  if (root.late_since &&
      world_.now() > *root.late_since + kTimeSlack + 2 * world_.options().lease_ms) {
    broken("no limit is passed", fmt::format("{} of {} ms", root.last.turn_worked_ms.value_or(0),
                                             root.limits.max_time->count()));
  }
}

bool Watch::takes_effect(const Execution& execution) {
  int& highest = highest_epoch_[execution.session_id];
  if (execution.epoch < highest) {
    world_.reach("an effect was refused by its epoch");
    return false;
  }
  highest = execution.epoch;
  Evidence& evidence = evidence_[execution.key];
  if (++evidence.times > 1 && is_single(execution.kind)) {
    broken("no write happens twice", execution.key);
  }
  evidence.at = world_.store().applied();
  const CallFacts* call = find_call(execution.session_id, execution.call_id);
  if (call != nullptr && call->status == CallStatus::cancelled) {
    broken("a cancelled call has not happened", execution.key);
  }
  return true;
}

void Watch::receives(std::int64_t payload) {
  if (!received_.insert(payload).second) world_.reach("an answer was received again");
}

}  // namespace wright::simulation
