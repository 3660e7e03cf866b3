// The writes of one batch to the tables in memory. What they changed is undone unless keep() is
// called. The caller has the tables to itself meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/memory_tables.h"

namespace wright::store {

class MemoryBatch {
 public:
  // `now` is the time of everything in the batch.
  MemoryBatch(Tables& tables, const Moment& now)
      : tables_(tables), moment_(now), now_(now.wall), last_(tables.last) {}
  MemoryBatch(const MemoryBatch&) = delete;
  MemoryBatch& operator=(const MemoryBatch&) = delete;
  ~MemoryBatch();

  // The new session's id is in the ids. Writes that follow go to it where they name no session.
  Result<void> create_session(const NewSession& session);

  Result<void> write(std::span<const Write> writes);

  BatchIds keep();

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
  Result<void> apply(const LimitQueue& write);
  Result<void> apply(const Claim& write);
  Result<void> apply(const AppendEvents& write);
  Result<void> apply(const Prune& write);
  Result<void> apply(const PutRecord& write);
  Result<void> apply(const RemoveRecords& write);
  Result<void> apply(const TakePermits& write);

  Result<SessionRow*> target(SessionId written);
  Result<void> check_parent(const NewSession& session);
  void insert_call(SessionRow& row, std::optional<MessageId> message_id, const ToolCall& call);
  void delete_family(SessionId id);
  void claim(SessionRow& row, RunnerId runner);
  void serve(const std::string& tenant, const std::string& agent_name);
  void tell_of_wish(const Session& session);
  void tell_of_news(CallId id);  // where the call waits for it
  void remember(const SessionRow& row);
  void remember(const WaitRow& row);
  void remember(const CallRow& row);
  void remember_runners();

  Tables& tables_;
  Moment moment_;
  std::int64_t now_;  // by the wall clock
  LastIds last_;
  bool is_kept_ = false;
  BatchIds ids_;
  std::vector<std::move_only_function<void()>> undo_;
};

// Text as a database would take it: what is not UTF-8 is repaired.
std::optional<std::string> valid(const std::optional<std::string>& text);

Lease lease_of(const Session& session);

}  // namespace wright::store
