// Questions inside of an open transaction, one after the other, each waiting for its answer: why a
// write was refused, and how a session is forked. Whoever asks ends the transaction.
#pragma once

#include <vector>

#include "postgres/batch.h"
#include "postgres/pool.h"
#include "store/status.h"

namespace wright::postgres {

class Questions {
 public:
  Questions(Pool& pool, Slot& slot, const store::Moment& now, Deadline deadline)
      : pool_(pool), slot_(slot), moment_(now), deadline_(deadline) {}

  // Why the session cannot be created, or the write not be applied, as things are now. `failure` is
  // what the server said, and the answer where nothing better is known.
  Error why_not(const NewSession& session, Error failure);
  Error why_not(const Write& write, const BatchWriter& batch, Error failure);

  Result<SessionId> fork(SessionId id, MessageId last);

  Result<void> ask(Query query, Values values, OnRow on_row = {});

 private:
  Result<void> explain(const AppendMessage& write);
  Result<void> explain(const CreateCall& write);
  Result<void> explain(const UpdateCall& write);
  Result<void> explain(const UpdateSession& write) { return check_session(write.session_id); }
  Result<void> explain(const OpenWait& write);
  Result<void> explain(const CloseWaits& write) { return check_session(write.session_id); }
  Result<void> explain(const ClaimLease& write);
  Result<void> explain(const HoldLease& write);
  Result<void> explain(const ReleaseLease& write) { return check_session(write.session_id); }
  Result<void> explain(const AnswerWait& write);
  Result<void> explain(const DeleteSession& write);
  Result<void> explain(const ForkSession&) { return {}; }
  Result<void> explain(const RegisterRunner&) { return {}; }
  Result<void> explain(const RenewRunner& write);
  Result<void> explain(const EndRunner&) { return {}; }
  Result<void> explain(const RequestCancel& write);
  Result<void> explain(const Enqueue& write);
  Result<void> explain(const LimitQueue& write) {
    return std::unexpected(store::queue_is_full(write));
  }
  Result<void> explain(const Claim& write);
  Result<void> explain(const AppendEvents& write) { return check_session(write.session_id); }
  Result<void> explain(const Prune&) { return {}; }
  Result<void> explain(const PutRecord& write);
  Result<void> explain(const RemoveRecords&) { return {}; }
  Result<void> explain(const TakePermits& write);

  struct Standing {
    store::Lease lease;
    SessionStatus status = SessionStatus::running;
    bool is_child = false;
  };
  Result<Standing> standing_of(SessionId id);
  Result<std::vector<Runner>> runners();
  Result<void> check_session(SessionId id);
  Result<CallStatus> status_of(CallId id);
  Result<CallStatus> status_in(SessionId session, CallId id);

  Pool& pool_;
  Slot& slot_;
  store::Moment moment_;
  Deadline deadline_;
};

}  // namespace wright::postgres
