// The writes of one batch inside a transaction, which its owner begins and ends. Nothing here
// commits, and after an error the transaction must be rolled back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "store/lease.h"
#include "store/sqlite_queries.h"
#include "wright/store.h"

namespace wright::store {

// What the batches of one transaction share.
struct SqliteTransaction {
  Moment now = {};  // of everything that they write
  // Who was found alive. Nobody else can write meanwhile, and the moment stays as it is.
  std::optional<RunnerId> living = {};
};

class SqliteBatch {
 public:
  SqliteBatch(sqlite3* connection, Queries& queries, SqliteTransaction& transaction)
      : connection_(connection),
        queries_(queries),
        transaction_(transaction),
        moment_(transaction.now),
        now_(moment_.wall) {}

  // The new session's id is in the ids. Writes that follow go to it where they name no session.
  Result<void> create_session(const NewSession& session);

  Result<void> write(std::span<const Write> writes);

  BatchIds take_ids() { return std::move(ids_); }

 private:
  Result<void> apply(const AppendMessage& write);
  Result<void> apply(const CreateCall& write);
  Result<void> apply(const UpdateCall& write);
  Result<void> apply(const UpdateSession& write);
  Result<void> apply(const OpenWait& write);
  Result<void> apply(const CloseWaits& write);
  Result<void> apply(const ClaimLease& write);
  Result<void> apply(const HoldLease& write);
  Result<void> apply(const ReleaseLease& write);
  Result<void> apply(const AnswerWait& write);
  Result<void> apply(const DeleteSession& write);
  Result<void> apply(const ForkSession& write);
  Result<void> apply(const RegisterRunner& write);
  Result<void> apply(const RenewRunner& write);
  Result<void> apply(const EndRunner& write);
  Result<void> apply(const RequestCancel& write);
  Result<void> apply(const Enqueue& write);
  Result<void> apply(const Claim& write);
  Result<void> apply(const AppendEvents& write);
  Result<void> apply(const Prune& write);
  Result<void> apply(const PutRecord& write);
  Result<void> apply(const RemoveRecords& write);
  Result<void> apply(const TakePermits& write);

  // Whether the lease is held, and the usage that the batch ends with is written: what an ordinary
  // turn does, in one statement. Otherwise nothing is, and each says what is wrong.
  Result<bool> hold_and_count(std::span<const Write> writes);

  SessionId target(SessionId written) const { return written == 0 ? ids_.session : written; }
  Result<void> insert_call(SessionId session_id, std::optional<MessageId> message_id,
                           const ToolCall& call, CallStatus status);
  Result<void> check_session(SessionId id);
  Result<void> check_message(MessageId id, SessionId session_id);
  Result<void> check_runner(RunnerId id);
  Result<void> check_parent(const NewSession& session);
  Result<CallStatus> status_of(CallId id);
  Result<CallStatus> status_in(SessionId session_id, CallId id);
  Result<void> delete_family(SessionId id);
  Result<void> claim(SessionId id, RunnerId runner);
  void tell_of_wish(SessionId id, std::optional<std::string> reason);

  // What decides who may write to the session.
  struct Standing {
    Lease lease;
    SessionStatus status = SessionStatus::running;
    bool is_child = false;
  };
  Result<Standing> standing_of(SessionId id);

  sqlite3* connection_;
  Queries& queries_;
  SqliteTransaction& transaction_;
  const Moment& moment_;
  std::int64_t now_;  // by the wall clock
  BatchIds ids_;
};

}  // namespace wright::store
