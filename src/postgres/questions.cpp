#include "postgres/questions.h"

#include <type_traits>
#include <utility>

#include "core/try.h"
#include "postgres/errors.h"
#include "store/row_values.h"
#include "store/status.h"

namespace wright::postgres {
namespace {

template <class Ruling>
Result<void> only_error(const Result<Ruling>& ruling) {
  if (!ruling) return std::unexpected(ruling.error());
  return {};
}

// The write with the session that it is about, where it named none.
template <class One>
One with_target(One write, const BatchWriter& batch) {
  if constexpr (requires { SessionId{write.session_id}; }) {
    write.session_id = batch.target(write.session_id);
  }
  return write;
}

}  // namespace

Result<void> Questions::ask(Query query, Values values, OnRow on_row) {
  const Request request{&pool_.statements()[query], std::move(values), std::move(on_row)};
  TRY(all_done(pool_.exchange(slot_, {&request, 1}, deadline_)));
  return slot_.connection ? slot_.connection->row_error() : Result<void>();
}

Error Questions::why_not(const NewSession& session, Error failure) {
  const auto explained = [&]() -> Result<void> {
    if (session.parent_session_id) {
      TRY(check_session(*session.parent_session_id));
    }
    if (session.parent_call_id && session.parent_session_id) {
      TRY(status_in(*session.parent_session_id, *session.parent_call_id));
    }
    if (!session.runner_id) return {};
    const auto all = TRY(runners());
    return store::check_alive(*session.runner_id, all, moment_);
  }();
  if (!explained) return explained.error();
  return failure;
}

Error Questions::why_not(const Write& write, const BatchWriter& batch, Error failure) {
  // One that was not counted to its end is not full by that.
  const bool is_passing = failure.code == ErrorCode::unavailable;
  if (is_passing && std::holds_alternative<LimitQueue>(write)) return failure;
  const auto explained =
      std::visit([&](const auto& one) { return explain(with_target(one, batch)); }, write);
  if (!explained) return explained.error();
  return failure;
}

Result<void> Questions::explain(const AppendMessage& write) {
  TRY(check_session(write.session_id));
  if (!write.others || store::may_move(CallStatus::pending, write.others->status)) return {};
  return std::unexpected(
      store::illegal_move(write.others->call_id, CallStatus::pending, write.others->status));
}

Result<void> Questions::explain(const CreateCall& write) {
  TRY(check_session(write.session_id));
  if (!write.message_id) return {};
  Result<void> found = std::unexpected(store::no_message(*write.message_id, write.session_id));
  TRY(ask(Query::message_exists, values_of(*write.message_id, write.session_id),
          [&](const Row&) { return found = Result<void>(); }));
  return found;
}

Result<void> Questions::explain(const UpdateCall& write) {
  const auto current = TRY(status_of(write.call_id));
  if (store::may_move(current, write.status)) return {};
  return std::unexpected(store::illegal_move(write.call_id, current, write.status));
}

Result<void> Questions::explain(const OpenWait& write) {
  const auto status = TRY(status_in(write.session_id, write.call_id));
  if (status != CallStatus::waiting) {
    return std::unexpected(store::not_waiting(write.call_id, status));
  }
  TRY(store::json_column(write.shown));
  return std::unexpected(store::waits_already(write.call_id));
}

// What the row was is not asked again: the write itself has found out.
Result<void> Questions::explain(const PutRecord& write) {
  if (write.session_id && !write.version) {
    TRY(standing_of(*write.session_id));
  }
  return std::unexpected(write.version ? store::record_changed(write.kind, write.key)
                                       : store::record_exists(write.kind, write.key));
}

Result<void> Questions::explain(const ClaimLease& write) {
  const auto standing = TRY(standing_of(write.session_id));
  const auto all = TRY(runners());
  return only_error(store::taken(standing.lease, write, all, moment_));
}

Result<void> Questions::explain(const HoldLease& write) {
  const auto standing = TRY(standing_of(write.session_id));
  const auto all = TRY(runners());
  return store::check_held(standing.lease, write, all, moment_);
}

Result<void> Questions::explain(const AnswerWait& write) {
  TRY(store::json_column(write.answer));
  Result<StoredWait> wait = std::unexpected(store::no_wait(write.wait_id));
  TRY(ask(Query::wait, values_of(write.wait_id), [&](const Row& row) -> Result<void> {
    wait = store::wait_of(row);
    return {};
  }));
  if (!wait) return std::unexpected(wait.error());
  return std::unexpected(store::not_open(*wait));
}

Result<void> Questions::explain(const DeleteSession& write) {
  TRY(check_session(write.session_id));
  if (!write.unless_running) return {};
  return std::unexpected(store::is_running(write.session_id));
}

Result<void> Questions::explain(const RenewRunner& write) {
  return std::unexpected(store::no_runner(write.runner_id));
}

Result<void> Questions::explain(const RequestCancel& write) {
  const auto standing = TRY(standing_of(write.session_id));
  return std::unexpected(store::has_ended(write.session_id, standing.status));
}

Result<void> Questions::explain(const Enqueue& write) {
  const auto standing = TRY(standing_of(write.session_id));
  if (standing.is_child) return std::unexpected(store::queued_child());
  if (!store::is_end(standing.status)) {
    return std::unexpected(store::has_not_ended(write.session_id, standing.status));
  }
  const auto all = TRY(runners());
  return store::check_free(standing.lease, all, moment_);
}

Result<void> Questions::explain(const Claim& write) {
  const auto all = TRY(runners());
  return store::check_alive(write.runner_id, all, moment_);
}

Result<void> Questions::explain(const TakePermits& write) {
  const auto all = TRY(runners());
  return store::check_alive(write.runner_id, all, moment_);
}

Result<Questions::Standing> Questions::standing_of(SessionId id) {
  Result<Standing> standing = std::unexpected(store::no_session(id));
  TRY(ask(Query::session_lease, values_of(id), [&](const Row& row) -> Result<void> {
    const auto status = TRY(session_status_from(row.text(2)));
    standing = Standing{.lease = {id, row.optional_integer(0), static_cast<int>(row.integer(1))},
                        .status = status,
                        .is_child = !row.is_null(3)};
    return {};
  }));
  return standing;
}

Result<std::vector<Runner>> Questions::runners() {
  std::vector<Runner> all;
  TRY(ask(Query::runners, {}, [&](const Row& row) -> Result<void> {
    all.push_back(store::runner_of(row));
    return {};
  }));
  return all;
}

Result<void> Questions::check_session(SessionId id) {
  Result<void> found = std::unexpected(store::no_session(id));
  TRY(ask(Query::session_exists, values_of(id),
          [&](const Row&) { return found = Result<void>(); }));
  return found;
}

Result<CallStatus> Questions::status_of(CallId id) {
  Result<CallStatus> status = std::unexpected(store::no_call(id));
  TRY(ask(Query::call_status, values_of(id), [&](const Row& row) -> Result<void> {
    status = call_status_from(row.text(0));
    return {};
  }));
  return status;
}

Result<CallStatus> Questions::status_in(SessionId session, CallId id) {
  TRY(check_session(session));
  Result<CallStatus> status = std::unexpected(store::no_call(id, session));
  TRY(ask(Query::call_status_in_session, values_of(id, session),
          [&](const Row& row) -> Result<void> {
            status = call_status_from(row.text(0));
            return {};
          }));
  return status;
}

}  // namespace wright::postgres
