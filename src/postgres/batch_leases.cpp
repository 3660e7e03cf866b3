// The writes of a batch that say who drives a session, and those about whole sessions.
#include <algorithm>
#include <string>
#include <utility>

#include "core/try.h"
#include "postgres/batch.h"
#include "store/permits.h"
#include "store/status.h"

namespace wright::postgres {

Result<void> BatchWriter::apply(const RegisterRunner& write, Requests& requests) {
  Runner runner{.name = write.name};
  store::renew(runner, write.time, moment_);
  requests.push_back(
      request(Query::insert_runner,
              values_of(runner.name, runner.expires_at, runner.boot_id, runner.boot_expires_at),
              [this](const Row& row) -> Result<void> {
                ids_.runners.push_back(row.integer(0));
                return {};
              }));
  return {};
}

Result<void> BatchWriter::apply(const RenewRunner& write, Requests& requests) {
  Runner runner{.id = write.runner_id};
  store::renew(runner, write.time, moment_);
  requests.push_back(
      request(Query::renew_runner,
              values_of(runner.id, runner.expires_at, runner.boot_id, runner.boot_expires_at)));
  return {};
}

Result<void> BatchWriter::apply(const EndRunner& write, Requests& requests) {
  requests.push_back(request(Query::delete_runner, values_of(write.runner_id)));
  return {};
}

Result<void> BatchWriter::apply(const ClaimLease& write, Requests& requests) {
  requests.push_back(
      request(Query::take_lease,
              values_of(target_value(write.session_id), write.runner_id, write.expected_epoch,
                        moment_.wall, moment_.boot_id, moment_.boot),
              [this](const Row& row) -> Result<void> {
                ids_.epochs.push_back(static_cast<int>(row.integer(0)));
                tell_of_wish(row.integer(2), row.optional_text(1));
                return {};
              }));
  return {};
}

Result<void> BatchWriter::apply(const HoldLease& write, Requests& requests) {
  requests.push_back(request(Query::hold_lease,
                             values_of(target_value(write.session_id), write.runner_id, write.epoch,
                                       moment_.wall, moment_.boot_id, moment_.boot),
                             [this](const Row& row) -> Result<void> {
                               tell_of_wish(row.integer(1), row.optional_text(0));
                               return {};
                             }));
  return {};
}

Result<void> BatchWriter::apply(const ReleaseLease& write, Requests& requests) {
  requests.push_back(request(
      Query::free_lease, values_of(target_value(write.session_id), write.runner_id, write.epoch)));
  return {};
}

Result<void> BatchWriter::apply(const RequestCancel& write, Requests& requests) {
  requests.push_back(
      request(Query::request_cancel, values_of(target_value(write.session_id), write.reason)));
  requests.push_back(request(Query::cancel_waits, values_of(target_value(write.session_id))));
  return {};
}

Result<void> BatchWriter::apply(const Enqueue& write, Requests& requests) {
  requests.push_back(
      request(Query::enqueue_session,
              values_of(target_value(write.session_id), write.priority, write.ready_at,
                        moment_.wall, moment_.boot_id, moment_.boot)));
  return apply(AppendMessage{write.session_id, write.message}, requests);
}

Result<void> BatchWriter::apply(const LimitQueue& write, Requests& requests) {
  requests.push_back(
      write.tenant ? request(Query::limit_queue_of, values_of(row_limit(write.most), *write.tenant))
                   : request(Query::limit_queue, values_of(row_limit(write.most))));
  return {};
}

Result<void> BatchWriter::apply(const Claim& write, Requests& requests) {
  requests.push_back(request(Query::runner_lives, values_of(write.runner_id, moment_.wall,
                                                            moment_.boot_id, moment_.boot)));
  requests.push_back(request(Query::release_due, values_of(moment_.wall)));
  Values values = values_of(write.runner_id, row_limit(write.most));
  values.push_back(write.agent_names.empty() ? std::nullopt
                                             : std::optional(array_literal(write.agent_names)));
  for (auto& value : values_of(moment_.wall, moment_.boot_id, moment_.boot)) {
    values.push_back(std::move(value));
  }
  values.push_back(array_literal(write.labels));
  std::vector<std::string> except;
  for (const SessionId id : write.except) except.push_back(std::to_string(id));
  values.push_back(array_literal(except));
  values.push_back(array_literal(write.except_models));
  requests.push_back(
      request(Query::claim, std::move(values), [this](const Row& row) -> Result<void> {
        ids_.claimed.push_back({row.integer(0), static_cast<int>(row.integer(1))});
        tell_of_wish(row.integer(0), row.optional_text(2));
        return {};
      }));
  return {};
}

// The row is locked by a statement of its own: the next one sees what others took until then.
Result<void> BatchWriter::apply(const TakePermits& write, Requests& requests) {
  const TakePermits asked = store::sensible(write);
  requests.push_back(request(Query::runner_lives, values_of(asked.runner_id, moment_.wall,
                                                            moment_.boot_id, moment_.boot)));
  requests.push_back(request(Query::make_pace, values_of(asked.name)));
  requests.push_back(request(Query::lock_pace, values_of(asked.name)));
  requests.push_back(request(Query::forget_slots,
                             values_of(asked.name, moment_.wall, moment_.boot_id, moment_.boot)));
  requests.push_back(request(
      Query::take_permits,
      values_of(asked.runner_id, asked.name, asked.requests_per_minute, asked.tokens_per_minute,
                asked.concurrent_requests, asked.requests, asked.tokens, asked.tokens_of_first,
                asked.slots, asked.used_slots, std::int64_t{asked.pause.count()}, moment_.wall),
      [this](const Row& row) -> Result<void> {
        ids_.permits.push_back({row.integer(0), row.integer(1), row.integer(2),
                                std::chrono::milliseconds(row.integer(3))});
        return {};
      }));
  return {};
}

void BatchWriter::tell_of_wish(SessionId id, std::optional<std::string> reason) {
  if (!reason) return;
  CancelWish wish{id, std::move(*reason)};
  if (std::ranges::find(ids_.cancelled, wish) == ids_.cancelled.end()) {
    ids_.cancelled.push_back(std::move(wish));
  }
}

Result<void> BatchWriter::apply(const DeleteSession& write, Requests& requests) {
  requests.push_back(request(Query::delete_family,
                             values_of(target(write.session_id), std::int64_t{write.unless_running},
                                       moment_.wall, moment_.boot_id, moment_.boot)));
  return {};
}

Result<void> BatchWriter::apply(const Prune& write, Requests& requests) {
  requests.push_back(
      request(Query::prune,
              values_of(write.ended_before, row_limit(write.keep), row_limit(write.most),
                        moment_.wall, moment_.boot_id, moment_.boot),
              [this](const Row& row) -> Result<void> {
                ids_.pruned.push_back(row.integer(0));
                return {};
              }));
  return {};
}

Result<void> BatchWriter::apply(const ForkSession&, Requests&) {
  return fail(ErrorCode::internal, "A session is forked by reading it first");
}

}  // namespace wright::postgres
