#include "simulation/sim_store.h"

#include <algorithm>
#include <utility>

#include "simulation/world.h"

namespace wright::simulation {
namespace {

Error unknown_outcome() {
  return {ErrorCode::storage, "The connection broke; nobody knows what was applied", {}};
}

bool has_status(const Batch& batch) {
  return std::ranges::any_of(batch.writes, [](const Write& write) {
    return std::holds_alternative<UpdateSession>(write) ||
           std::holds_alternative<AppendMessage>(write);
  });
}

// What processes write all the time, whatever happens.
bool is_routine(const Batch& batch) {
  return !batch.create && std::ranges::all_of(batch.writes, [](const Write& write) {
    return std::holds_alternative<RenewRunner>(write) || std::holds_alternative<Claim>(write);
  });
}

template <class Kind>
void remove_all(Batch& batch) {
  std::erase_if(batch.writes,
                [](const Write& write) { return std::holds_alternative<Kind>(write); });
}

}  // namespace

SimStore::SimStore(World& world)
    : world_(world),
      keeps_log_(world.options().weight(Feature::crash) > 0 ||
                 world.has(Plant::acts_before_writing)),
      inner_(opened()) {}

std::unique_ptr<Store> SimStore::opened() {
  return open_memory_store(Clocks([this] { return is_replaying_ ? replayed_wall_ : world_.wall(); },
                                  [this] { return is_replaying_ ? replayed_boot_ : world_.now(); },
                                  "machine"));
}

// --- writing -----------------------------------------------------------------------------------

std::vector<Result<BatchIds>> SimStore::apply_all(std::span<const Batch> batches) {
  std::vector<Result<BatchIds>> results;
  for (const Batch& batch : batches) results.push_back(write(batch));
  return results;
}

Result<BatchIds> SimStore::write(const Batch& batch) {
  world_.others_go_on();
  if (world_.is_actor_dead()) return std::unexpected(unknown_outcome());
  if (world_.happens(Feature::busy, 150)) {
    world_.note("busy");
    return fail(ErrorCode::unavailable, "The database is locked");
  }
  if (world_.happens(Feature::unknown_lost, 40)) {
    world_.note("unknown, lost");
    return std::unexpected(unknown_outcome());
  }
  auto result = commit(batch);
  if (result && world_.happens(Feature::unknown_applied, 40)) {
    world_.note("unknown, applied");
    if (world_.has(Plant::repeated_commit)) return commit(batch);
    return std::unexpected(unknown_outcome());
  }
  return result;
}

Result<BatchIds> SimStore::commit(const Batch& batch) {
  Watch& watch = world_.watch();
  const WrittenBy before = watch.about_to_write(batch);
  const Batch written = with_bugs(batch);
  auto result = std::move(inner_->apply_all({&written, 1}).front());
  if (world_.has(Plant::second_answer_counts) && !result &&
      result.error().code == ErrorCode::already_exists && batch.writes.size() == 1) {
    if (const auto* answer = std::get_if<AnswerWait>(&batch.writes.front())) {
      const auto wait = inner_->get_wait(answer->wait_id);
      if (wait && wait->answer) {
        result = BatchIds{};
        result->answered.push_back(*wait);
      }
    }
  }
  world_.note(is_routine(batch) ? kRoutine
              : result          ? "written"
                                : "refused",
              static_cast<std::int64_t>(batch.writes.size()),
              result ? result->session : static_cast<std::int64_t>(result.error().code));
  if (!result) {
    watch.refused(batch, result.error());
    return result;
  }
  ++applied_;
  if (keeps_log_) log_.push_back({written, world_.wall(), world_.now()});
  watch.written(batch, *result, before);
  if (world_.has(Plant::dropped_cancel)) result->cancelled.clear();
  return result;
}

Batch SimStore::with_bugs(Batch batch) {
  switch (world_.options().plant) {
    case Plant::unfenced_writes:
      if (!batch.create) remove_all<HoldLease>(batch);
      break;
    case Plant::forgotten_epoch:
      for (Write& write : batch.writes) {
        if (auto* hold = std::get_if<HoldLease>(&write)) hold->epoch.reset();
      }
      break;
    case Plant::orphans:
      if (batch.create) remove_all<HoldLease>(batch);
      break;
    case Plant::lost_commit:
      if (has_status(batch) && !batch.create && world_.faults().chance(20)) batch.writes.clear();
      break;
    case Plant::half_commit:
      if (batch.writes.size() > 2 && !batch.create && world_.faults().chance(100)) {
        batch.writes.resize(batch.writes.size() / 2 + 1);
      }
      break;
    case Plant::kept_lease: remove_all<ReleaseLease>(batch); break;
    case Plant::said_twice: remove_all<RemoveRecords>(batch); break;
    case Plant::said_lost: remove_all<PutRecord>(batch); break;
    default: break;
  }
  return batch;
}

std::size_t SimStore::lose_last(std::size_t most) {
  const std::size_t lost = std::min(most, log_.size());
  if (lost == 0) return applied_;
  log_.resize(log_.size() - lost);
  is_replaying_ = true;
  inner_ = opened();
  for (const Applied& each : log_) {
    replayed_wall_ = each.wall;
    replayed_boot_ = each.boot;
    (void)inner_->apply_all({&each.batch, 1});
  }
  is_replaying_ = false;
  applied_ = log_.size();
  return applied_;
}

// --- reading -----------------------------------------------------------------------------------

Result<void> SimStore::before_reading() {
  world_.others_go_on();
  if (world_.is_actor_dead()) return std::unexpected(unknown_outcome());
  if (world_.happens(Feature::read_fails, 30)) {
    world_.note("read fails");
    return fail(ErrorCode::unavailable, "The database is locked");
  }
  return {};
}

Result<Session> SimStore::get_session(SessionId id) {
  if (auto ready = before_reading(); !ready) return std::unexpected(std::move(ready).error());
  auto session = inner_->get_session(id);
  if (session && world_.has(Plant::forgotten_spending)) {
    session->usage = {};
    session->turn_worked_ms.reset();
    session->iterations = 0;
  }
  return session;
}

Result<std::vector<Session>> SimStore::list_sessions(const SessionFilter& filter) {
  if (auto ready = before_reading(); !ready) return std::unexpected(std::move(ready).error());
  auto sessions = inner_->list_sessions(filter);
  if (sessions && filter.needs_driver && world_.has(Plant::forgotten_answer)) {
    std::erase_if(*sessions, [](const Session& session) {
      return session.status == SessionStatus::waiting && !session.cancel_reason;
    });
  }
  return sessions;
}

Result<std::vector<StoredMessage>> SimStore::get_messages(SessionId id, const Page& page) {
  if (auto ready = before_reading(); !ready) return std::unexpected(std::move(ready).error());
  return inner_->get_messages(id, page);
}

Result<std::vector<StoredCall>> SimStore::get_tool_calls(SessionId id, const CallFilter& filter) {
  if (auto ready = before_reading(); !ready) return std::unexpected(std::move(ready).error());
  return inner_->get_tool_calls(id, filter);
}

Result<std::vector<StoredWait>> SimStore::get_waits(const WaitFilter& filter) {
  if (auto ready = before_reading(); !ready) return std::unexpected(std::move(ready).error());
  return inner_->get_waits(filter);
}

Result<std::vector<StoredEvent>> SimStore::get_events(const EventFilter& filter) {
  return inner_->get_events(filter);
}

Result<std::vector<Record>> SimStore::get_records(const RecordFilter& filter) {
  return inner_->get_records(filter);
}

Result<std::vector<Runner>> SimStore::get_runners() {
  if (auto ready = before_reading(); !ready) return std::unexpected(std::move(ready).error());
  return inner_->get_runners();
}

Result<RunnerNews> SimStore::get_news(RunnerId id) {
  if (auto ready = before_reading(); !ready) return std::unexpected(std::move(ready).error());
  auto news = inner_->get_news(id);
  if (news && world_.has(Plant::dropped_cancel)) news->cancelled.clear();
  return news;
}

Result<SpentBySpecialists> SimStore::spent_by_specialists(SessionId id, MessageId since) {
  if (auto ready = before_reading(); !ready) return std::unexpected(std::move(ready).error());
  if (world_.has(Plant::forgotten_calls)) return SpentBySpecialists{};
  return inner_->spent_by_specialists(id, since);
}

Result<StoreStats> SimStore::get_stats(const StatsFilter& filter) {
  return inner_->get_stats(filter);
}

Result<StoreHistory> SimStore::get_history(const HistoryFilter& filter) {
  return inner_->get_history(filter);
}

}  // namespace wright::simulation
