// What is stored of a task beside its session: a record that goes with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/task.h"
#include "wright/store.h"

namespace wright::mcp_server {

struct StoredTask {
  std::string id = {};  // which nobody can guess
  std::string tool = {};
  std::string principal = {};  // whose it is; empty where nobody had to say
  SessionId session = 0;
  MessageId after = 0;  // its turn begins with the next message of a user; see task_turn.h
  // The session's lease_epoch when the task began it or went on with it, and the last message by
  // then.
  int epoch = 0;
  MessageId said_until = 0;
  std::int64_t created_at = 0;
  // Waits that this client's person was sent away for: they are asked elsewhere.
  std::vector<WaitId> elsewhere = {};
  // Once it has ended: as what, and with which result. It stays so, whatever the session does.
  std::optional<mcp::TaskStatus> ended = {};
  JsonObject result = {};
  std::int64_t ended_at = 0;
  std::int64_t version = 0;  // of the record; 0: there is none yet
};

std::string new_task_id();

// Of this caller. ErrorCode::not_found for all others.
Result<StoredTask> find_task(Store& store, std::string_view id, std::string_view principal);
// Refused (ErrorCode::unavailable) when somebody else has changed it meanwhile.
Result<void> keep_task(Store& store, StoredTask& task);
// Those of a session that have not ended.
Result<std::vector<StoredTask>> open_tasks_of(Store& store, SessionId session);

}  // namespace wright::mcp_server
