// A session as it is in the store, made into a run that can go on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "session/journal.h"
#include "wright/people.h"

namespace wright::session {

struct StoredChild {
  std::string call_id;  // of the parent
  SessionId session_id = 0;
};

struct StoredRun {
  Session session = {};
  Run run = {};
  std::size_t stored_messages = 0;
  std::map<std::string, StoredRow> rows = {};
  std::vector<OpenCall> unknown = {};               // calls that become so now, by being loaded
  std::map<std::string, ToolOutcome> settled = {};  // calls whose outcome is known only now
  std::vector<std::string> expired = {};            // calls whose wait is over without an answer
  std::vector<CallId> overdue = {};                 // of these, where the store does not know it
  std::vector<StoredChild> children = {};           // that have not ended
  std::vector<StoredWait> decisions = {};           // approvals that were given in this session
  MessageId last_user_message = 0;                  // 0 when it is not stored
};

// Refuses a session that a newer Wright has written. `now` is in milliseconds since 1970.
Result<StoredRun> load_run(Store& store, SessionId id, const Agent& agent,
                           const Settlements& settlements, std::int64_t now);

}  // namespace wright::session
