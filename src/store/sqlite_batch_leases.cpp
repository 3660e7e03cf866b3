// The writes of a batch to SQLite that say who drives a session; see store_writes.h.
#include <sqlite3.h>
#include <boost/json/array.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/try.h"
#include "store/permits.h"
#include "store/sqlite_batch.h"
#include "store/sqlite_rows.h"
#include "store/status.h"
#include "store/turns.h"

namespace wright::store {
namespace {

// The rules say why a statement with the same conditions refused.
template <class Ruling>
Result<void> explained(const Result<Ruling>& ruling) {
  if (!ruling) return std::unexpected(ruling.error());
  return fail(ErrorCode::internal, "The statement and the rules for leases differ");
}

}  // namespace

Result<void> SqliteBatch::apply(const RegisterRunner& write) {
  transaction_.living.reset();
  Runner runner{.name = write.name};
  renew(runner, write.time, moment_);
  auto inserted = queries_.run(Query::insert_runner, runner.name, runner.expires_at,
                               moment_.boot_id, runner.boot_expires_at);
  if (inserted) ids_.runners.push_back(sqlite3_last_insert_rowid(connection_));
  return inserted;
}

Result<void> SqliteBatch::apply(const RenewRunner& write) {
  transaction_.living.reset();
  Runner runner{.id = write.runner_id};
  renew(runner, write.time, moment_);
  auto renewed = queries_.run(Query::renew_runner, runner.id, runner.expires_at, moment_.boot_id,
                              runner.boot_expires_at);
  if (!renewed || sqlite3_changes(connection_) == 1) return renewed;
  return std::unexpected(no_runner(write.runner_id));
}

Result<void> SqliteBatch::apply(const EndRunner& write) {
  transaction_.living.reset();
  return queries_.run(Query::delete_runner, write.runner_id);
}

Result<void> SqliteBatch::apply(const ClaimLease& write) {
  const SessionId session_id = target(write.session_id);
  bool is_taken = false;
  const auto updated = queries_.each(
      Query::take_lease,
      [&](const Row& row) -> Result<void> {
        is_taken = true;
        ids_.epochs.push_back(static_cast<int>(row.integer(0)));
        tell_of_wish(session_id, row.optional_text(1));
        return {};
      },
      session_id, write.runner_id, write.expected_epoch, moment_.wall, moment_.boot_id,
      moment_.boot);
  if (!updated || is_taken) return updated;
  const auto standing = TRY(standing_of(session_id));
  const auto runners = TRY(read_runners(queries_));
  return explained(taken(standing.lease, write, runners, moment_));
}

Result<void> SqliteBatch::apply(const HoldLease& write) {
  const SessionId session_id = target(write.session_id);
  bool is_held = false;
  const auto note = [&](const Row& row) -> Result<void> {
    is_held = true;
    tell_of_wish(session_id, row.optional_text(0));
    return {};
  };
  if (transaction_.living == write.runner_id) {
    TRY(queries_.each(Query::hold_lease_of_living, note, session_id, write.runner_id, write.epoch));
  } else {
    TRY(queries_.each(Query::hold_lease, note, session_id, write.runner_id, write.epoch,
                      moment_.wall, moment_.boot_id, moment_.boot));
  }
  if (is_held) transaction_.living = write.runner_id;
  if (is_held) return {};
  const auto standing = TRY(standing_of(session_id));
  const auto runners = TRY(read_runners(queries_));
  return explained(check_held(standing.lease, write, runners, moment_));
}

Result<void> SqliteBatch::apply(const ReleaseLease& write) {
  const SessionId session_id = target(write.session_id);
  auto freed = queries_.run(Query::free_lease, session_id, write.runner_id, write.epoch);
  if (!freed || sqlite3_changes(connection_) > 0) return freed;
  return check_session(session_id);
}

Result<void> SqliteBatch::apply(const RequestCancel& write) {
  const SessionId session_id = target(write.session_id);
  auto wanted = queries_.run(Query::request_cancel, session_id, write.reason);
  if (!wanted) return wanted;
  if (sqlite3_changes(connection_) > 0) return queries_.run(Query::cancel_waits, session_id);
  const auto standing = TRY(standing_of(session_id));
  return std::unexpected(has_ended(session_id, standing.status));
}

Result<void> SqliteBatch::apply(const Enqueue& write) {
  const SessionId session_id = target(write.session_id);
  auto queued = queries_.run(Query::enqueue_session, session_id, write.priority, write.ready_at,
                             moment_.wall, moment_.boot_id, moment_.boot);
  if (!queued) return queued;
  if (sqlite3_changes(connection_) > 0) return apply(AppendMessage{session_id, write.message});
  const auto standing = TRY(standing_of(session_id));
  if (standing.is_child) return std::unexpected(queued_child());
  if (!is_end(standing.status)) {
    return std::unexpected(has_not_ended(session_id, standing.status));
  }
  const auto runners = TRY(read_runners(queries_));
  return explained(check_free(standing.lease, runners, moment_));
}

Result<void> SqliteBatch::apply(const LimitQueue& write) {
  bool is_full = false;
  const auto read = [&](const Row& row) -> Result<void> {
    is_full = row.integer(0) != 0;
    return {};
  };
  // The row behind the last that may be there; nothing is counted beyond it.
  const auto behind = static_cast<std::int64_t>(
      std::min<std::size_t>(write.most, std::numeric_limits<std::int64_t>::max()));
  if (write.tenant) {
    TRY(queries_.each(Query::is_queue_full_for, read, behind, *write.tenant));
  } else {
    TRY(queries_.each(Query::is_queue_full, read, behind));
  }
  if (!is_full) return {};
  return std::unexpected(queue_is_full(write));
}

Result<void> SqliteBatch::apply(const Claim& write) {
  TRY(check_runner(write.runner_id));
  std::vector<Line> lines;
  TRY(queries_.each(Query::queued_lines, [&](const Row& row) -> Result<void> {
    Line line{row.text(0), row.text(1), row.integer(2), row.integer(3)};
    const bool is_wanted =
        write.agent_names.empty() ||
        std::ranges::find(write.agent_names, line.agent_name) != write.agent_names.end();
    if (is_wanted) lines.push_back(std::move(line));
    return {};
  }));
  const auto list = [](const auto& values) {
    return to_text(Json(JsonArray(values.begin(), values.end())));
  };
  const std::string labels = list(write.labels);
  const std::string except = list(write.except);
  const std::string except_models = list(write.except_models);
  for (Line& line : lines) {
    TRY(queries_.each(
        Query::queued_sessions,
        [&](const Row& row) -> Result<void> {
          line.sessions.push_back({row.integer(0), row.integer(1)});
          return {};
        },
        line.agent_name, row_limit(write.most), moment_.wall, moment_.boot_id, moment_.boot, labels,
        except, line.tenant, except_models));
  }
  const std::vector<Turn> turns = turns_of(lines, write.most);
  if (turns.empty()) return {};
  std::int64_t served = 0;
  TRY(queries_.each(Query::last_served, [&](const Row& row) -> Result<void> {
    served = row.integer(0);
    return {};
  }));
  for (const Turn& turn : turns) {
    TRY(claim(turn.id, write.runner_id));
    lines[turn.line].served = ++served;
  }
  for (const Line& line : lines) {
    if (line.sessions.empty()) continue;
    TRY(queries_.run(Query::serve_line, line.tenant, line.agent_name, line.served));
  }
  return {};
}

// What runners took that are not alive any more is forgotten, so that it is free.
Result<void> SqliteBatch::apply(const TakePermits& write) {
  TRY(check_runner(write.runner_id));
  TRY(queries_.run(Query::forget_slots, moment_.wall, moment_.boot_id, moment_.boot));
  PaceRow pace;
  TRY(queries_.each(
      Query::pace,
      [&](const Row& row) -> Result<void> {
        pace = {row.integer(0), row.integer(1), row.integer(2)};
        return {};
      },
      write.name));
  std::vector<OtherSlots> others;
  TRY(queries_.each(
      Query::other_slots,
      [&](const Row& row) -> Result<void> {
        others.push_back({row.integer(0), row.integer(1)});
        return {};
      },
      write.name, write.runner_id));
  const PermitRuling ruling = permits_for(write, pace, others, now_);
  TRY(queries_.run(Query::keep_pace, write.name, ruling.row.requests_until, ruling.row.tokens_until,
                   ruling.row.paused_until));
  TRY(queries_.run(Query::keep_slots, write.name, write.runner_id, ruling.permits.slots,
                   sensible(write).slots));
  ids_.permits.push_back(ruling.permits);
  return {};
}

Result<void> SqliteBatch::claim(SessionId id, RunnerId runner) {
  return queries_.each(
      Query::claim_session,
      [&](const Row& row) -> Result<void> {
        ids_.claimed.push_back({id, static_cast<int>(row.integer(0))});
        tell_of_wish(id, row.optional_text(1));
        return {};
      },
      id, runner);
}

void SqliteBatch::tell_of_wish(SessionId id, std::optional<std::string> reason) {
  if (!reason) return;
  CancelWish wish{id, std::move(*reason)};
  if (std::ranges::find(ids_.cancelled, wish) == ids_.cancelled.end()) {
    ids_.cancelled.push_back(std::move(wish));
  }
}

}  // namespace wright::store
