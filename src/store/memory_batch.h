// The writes of one batch to the tables in memory. What they changed is undone unless keep() is
// called. The caller has the tables to itself meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "store/memory_tables.h"

namespace wright::store {

class MemoryBatch {
 public:
  // `now` is the time of everything in the batch.
  MemoryBatch(Tables& tables, std::int64_t now) : tables_(tables), now_(now), last_(tables.last) {}
  MemoryBatch(const MemoryBatch&) = delete;
  MemoryBatch& operator=(const MemoryBatch&) = delete;
  ~MemoryBatch();

  // The new session's id is in the ids. Writes that follow go to it, whatever they say themselves.
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
  Result<void> apply(const TakeLease& write);
  Result<void> apply(const HoldLease& write);
  Result<void> apply(const FreeLease& write);

  Result<SessionRow*> target(SessionId written);
  Result<void> check_parent(const NewSession& session);
  void insert_call(SessionRow& row, std::optional<MessageId> message_id, const ToolCall& call);
  void remember(const SessionRow& row);
  void remember(const WaitRow& row);

  Tables& tables_;
  std::int64_t now_;
  LastIds last_;
  bool is_kept_ = false;
  std::optional<SessionId> session_id_;
  BatchIds ids_;
  std::vector<std::function<void()>> undo_;
};

// Text as a database would take it: what is not UTF-8 is repaired.
std::optional<std::string> valid(const std::optional<std::string>& text);

}  // namespace wright::store
