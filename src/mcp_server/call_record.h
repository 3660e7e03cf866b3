// What clients called here, in the store: one session for every client, with every call of it. No
// agent drives such a session: it has ended from its first moment, and grows all the same.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "mcp/server.h"
#include "wright/store.h"
#include "wright/tool.h"

namespace wright::mcp_server {

// From any thread.
class CallRecord {
 public:
  // Not owned. Null: nothing is stored.
  CallRecord(Store* store, std::string agent_name);

  // Different for every work of every process.
  std::string id_of(const mcp::Work& work) const;

  // Before it is executed: what cannot be recorded must not happen. 0 when nothing is stored.
  // `earlier` is what this returned for the round before, 0: there was none.
  Result<CallId> begin(const mcp::Work& work, const ToolCall& call, CallId earlier);
  // A record that cannot be written does not change what has happened.
  Result<void> end(const mcp::Work& work, CallId id, const ToolOutcome& outcome);

 private:
  Result<SessionId> session_of(const mcp::Work& work);

  Store* const store_;
  const std::string agent_name_;
  const std::string process_;  // a random word
  std::mutex mutex_;
  std::map<std::string, SessionId, std::less<>> sessions_;  // by client
};

}  // namespace wright::mcp_server
