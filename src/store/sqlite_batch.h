// The writes of one transaction, which its owner begins and ends. Nothing here commits.
#pragma once

#include <cstdint>
#include <optional>

#include "store/sqlite_queries.h"
#include "wright/store.h"

namespace wright::store {

class SqliteBatch {
 public:
  // `now` is the time of everything in the batch.
  SqliteBatch(sqlite3* connection, Queries& queries, std::int64_t now)
      : connection_(connection), queries_(queries), now_(now) {}

  Result<SessionId> create_session(const NewSession& session);

  // Writes that follow go to `session_id`, whatever they say themselves.
  void redirect_to(SessionId session_id) { session_id_ = session_id; }

  // After an error the transaction must be rolled back.
  Result<void> write(const Write& write);

  BatchIds take_ids() { return std::move(ids_); }

 private:
  Result<void> apply(const AppendMessage& write);
  Result<void> apply(const CreateCall& write);
  Result<void> apply(const UpdateCall& write);
  Result<void> apply(const UpdateSession& write);

  Result<void> insert_call(SessionId session_id, std::optional<MessageId> message_id,
                           const ToolCall& call);
  Result<void> check_session(SessionId id);
  Result<void> check_message(MessageId id, SessionId session_id);
  Result<CallStatus> status_of(CallId id);

  sqlite3* connection_;
  Queries& queries_;
  std::int64_t now_;
  std::optional<SessionId> session_id_;
  BatchIds ids_;
};

}  // namespace wright::store
