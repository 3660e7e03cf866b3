// The writes of one batch as requests, which are sent together with those of other batches. Nothing
// here waits for the server. What the rows say is in the ids once everything is done.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "postgres/request.h"
#include "postgres/statements.h"
#include "store/lease.h"
#include "wright/store.h"

namespace wright::postgres {

class BatchWriter {
 public:
  BatchWriter(const Statements& statements, const store::Moment& now)
      : statements_(statements), moment_(now), now_(now.wall) {}
  BatchWriter(const BatchWriter&) = delete;  // the requests refer to it
  BatchWriter& operator=(const BatchWriter&) = delete;

  // What they append stands for the whole write. Fails, and appends nothing of use, where the write
  // cannot be sent.
  Result<void> create(const NewSession& session, std::vector<Request>& requests);
  Result<void> add(const Write& write, std::vector<Request>& requests);

  // Whether the write can be sent without reading first.
  static bool is_plain(const Write& write) { return !std::holds_alternative<ForkSession>(write); }

  BatchIds& ids() { return ids_; }
  // The session of a write that names none is known only when the batch's own was created before.
  SessionId target(SessionId written) const { return written == 0 ? ids_.session : written; }

 private:
  using Requests = std::vector<Request>;
  Result<void> apply(const AppendMessage& write, Requests& requests);
  Result<void> apply(const CreateCall& write, Requests& requests);
  Result<void> apply(const UpdateCall& write, Requests& requests);
  Result<void> apply(const UpdateSession& write, Requests& requests);
  Result<void> apply(const OpenWait& write, Requests& requests);
  Result<void> apply(const CloseWaits& write, Requests& requests);
  Result<void> apply(const ClaimLease& write, Requests& requests);
  Result<void> apply(const HoldLease& write, Requests& requests);
  Result<void> apply(const ReleaseLease& write, Requests& requests);
  Result<void> apply(const AnswerWait& write, Requests& requests);
  Result<void> apply(const DeleteSession& write, Requests& requests);
  Result<void> apply(const ForkSession& write, Requests& requests);
  Result<void> apply(const RegisterRunner& write, Requests& requests);
  Result<void> apply(const RenewRunner& write, Requests& requests);
  Result<void> apply(const EndRunner& write, Requests& requests);
  Result<void> apply(const RequestCancel& write, Requests& requests);
  Result<void> apply(const Enqueue& write, Requests& requests);
  Result<void> apply(const LimitQueue& write, Requests& requests);
  Result<void> apply(const Claim& write, Requests& requests);
  Result<void> apply(const AppendEvents& write, Requests& requests);
  Result<void> apply(const Prune& write, Requests& requests);
  Result<void> apply(const PutRecord& write, Requests& requests);
  Result<void> apply(const RemoveRecords& write, Requests& requests);
  Result<void> apply(const TakePermits& write, Requests& requests);

  // As $1 of statements with kTarget: absent for the session that the batch is about to create.
  std::optional<SessionId> target_value(SessionId written) const {
    if (written == 0 && has_created_ && ids_.session == 0) return std::nullopt;
    return target(written);
  }
  void add_call(SessionId session, Query query, std::optional<MessageId> message,
                const ToolCall& call, CallStatus status, Requests& requests);
  Result<void> update_call(Query query, std::optional<CallId> id, const UpdateCall& write,
                           Requests& requests);
  Request request(Query query, Values values, OnRow on_row = {}) const {
    return {&statements_[query], std::move(values), std::move(on_row)};
  }
  void tell_of_wish(SessionId id, std::optional<std::string> reason);

  const Statements& statements_;
  store::Moment moment_;
  std::int64_t now_;  // by the wall clock
  bool has_created_ = false;
  BatchIds ids_;
};

}  // namespace wright::postgres
