// Calls of agents as tasks (mcp/task.h). The task is the session: it is in the store before its id
// is told, goes on without its client, and is driven on by whoever is asked after it when the
// process that drove it is gone. So any instance with the same store answers for it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "mcp/server.h"
#include "mcp/task.h"
#include "mcp_server/agent_calls.h"
#include "mcp_server/host.h"
#include "mcp_server/stored_task.h"
#include "wright/runtime.h"

namespace wright::mcp_server {

// From any thread.
class AgentTasks {
 public:
  // All of them outlive it. `dashboard` may be empty: see Offering.
  AgentTasks(Store& store, const std::vector<OfferedAgent>& agents, const Observer& observer,
             const SessionTracing& tracing, const std::function<std::string()>& dashboard);
  ~AgentTasks();  // what still runs is suspended: it goes on when somebody asks after it

  // tools/call of an agent, by a client that wants or knows tasks.
  mcp::WorkOutcome begin(const OfferedAgent& offered, const AgentSessions& sessions,
                         const mcp::Work& work);
  // tasks/get, tasks/update, tasks/cancel and tasks/result.
  mcp::WorkOutcome perform(const mcp::Work& work, const WorkControls& controls);

 private:
  // How a task stands.
  struct View {
    mcp::Task task = {};
    JsonObject result = {};                               // of one that has ended
    std::vector<mcp::NeedsInput::Request> requests = {};  // of one that needs input
  };
  struct Words {
    std::string text = {};
    std::int64_t at = 0;
  };

  mcp::WorkOutcome get(StoredTask task, const mcp::Work& work);
  mcp::WorkOutcome update(StoredTask task, const mcp::Work& work);
  mcp::WorkOutcome cancel(StoredTask task, const mcp::Work& work);
  mcp::WorkOutcome result(StoredTask task, const mcp::Work& work, const WorkControls& controls);

  Result<Runtime*> runtime();
  RunOptions options(Json config, std::string_view principal, const TraceContext& asked_by);
  const OfferedAgent* offered(std::string_view tool) const;
  Result<View> look(StoredTask& task, const mcp::ClientView& client);
  // Ends the task where its turn has ended.
  Result<void> settle(StoredTask& task, const Session& session);
  // A turn of the session has ended, as it is stored: of which task, before anybody goes on with it.
  void settle_all_of(SessionId session);
  Result<void> look_at_waits(StoredTask& task, const mcp::ClientView& client, View& view);
  Result<void> take_answers(StoredTask& task, const mcp::InputAnswers& answers,
                            const mcp::ClientView& client);
  // Tells of those that are open no more, and forgets them.
  Result<void> tell_what_is_over(const StoredTask& task, std::vector<WaitId>& elsewhere,
                                 const WorkControls& controls);
  // Somebody has to drive it, and nobody may.
  Result<void> drive_on(StoredTask& task);
  void go_on(AgentToRun made, StoredTask& task);
  Words last_words(SessionId session);

  Store& store_;
  const std::vector<OfferedAgent>& agents_;
  const Observer& observer_;
  const SessionTracing& tracing_;
  const std::function<std::string()>& dashboard_;
  std::mutex mutex_;
  std::map<SessionId, Words> words_;  // what sessions that are driven here do
  std::int64_t looked_for_dead_ = 0;  // when
  std::unique_ptr<Runtime> runtime_;  // once it is needed
};

}  // namespace wright::mcp_server
