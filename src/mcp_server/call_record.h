// What clients called here, in the store: one session for every client, with every call of it. No
// agent drives such a session: it has ended from its first moment, and grows all the same. Calls of
// a process that dies are settled by whoever comes next (runtime/outside_calls.h).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "mcp/server.h"
#include "runtime/outside_calls.h"
#include "wright/store.h"
#include "wright/tool.h"

namespace wright::runtime {
class RunnerRegistration;
}

namespace wright::mcp_server {

// From any thread.
class CallRecord {
 public:
  // Not owned. Null: nothing is stored.
  CallRecord(Store* store, std::string agent_name);
  ~CallRecord();

  // Different for every work of every process.
  std::string id_of(const mcp::Work& work) const;

  // Before it is executed: what cannot be recorded must not happen.
  Result<runtime::OutsideCall> begin(const mcp::Work& work, const ToolCall& call);
  // A person has answered, and it is executed again. Unless it was already, since the same answer
  // came before: then this is what is known of it.
  Result<std::optional<ToolOutcome>> go_on(runtime::OutsideCall& call);
  // A record that cannot be written does not change what has happened.
  // `done`: by a call that waits.
  Result<void> end(runtime::OutsideCall& call, const ToolOutcome& outcome,
                   runtime::Done done = runtime::Done::nothing);

 private:
  Result<SessionId> session_of(const mcp::Work& work);
  Result<std::shared_ptr<runtime::RunnerRegistration>> runner();
  Result<void> forget_what_is_gone(RunnerId id, SessionId session);
  // Of a call that is about to be executed, with its note.
  Result<BatchIds> write_start(const runtime::OutsideCall& call, const Write& start);
  Result<std::optional<ToolOutcome>> known_of(const runtime::OutsideCall& call);
  Result<ToolOutcome> told_of(const StoredCall& call);

  Store* const store_;
  const std::string agent_name_;
  const std::string process_;  // a random word
  std::mutex mutex_;
  std::map<std::string, SessionId, std::less<>> sessions_;  // by client
  std::shared_ptr<runtime::RunnerRegistration> runner_;     // once it is needed
};

}  // namespace wright::mcp_server
