// What became of the turn of a task. A session may have many turns, of many people; the task is its
// own one, which begins with its own message and ends before anybody begins another one.
#pragma once

#include <optional>

#include "mcp_server/stored_task.h"

namespace wright::mcp_server {

struct TurnEnd {
  mcp::TaskStatus status = mcp::TaskStatus::completed;  // or cancelled
  JsonObject result = {};                               // as tools/call answers it
  std::int64_t at = 0;
};

// Nothing: it is what the session does now.
Result<std::optional<TurnEnd>> end_of_turn(Store& store, const StoredTask& task,
                                           const Session& session);

// What a task has to know of its session when it has begun it or has gone on with it: whatever is
// said there belongs to its turn, as long as nobody else takes the session.
Result<void> note_turn(Store& store, StoredTask& task);

}  // namespace wright::mcp_server
