// What stands behind an MCP server of ours: tools, agents as tools, stored sessions as resources,
// and prompts. It answers the work of the protocol machine and knows no connection: what it needs
// to remember between two rounds of a call travels with the call, so any instance can answer any
// round.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "mcp/server.h"
#include "mcp_server/call_record.h"
#include "mcp_server/session_tracing.h"
#include "wright/agent.h"
#include "wright/events.h"
#include "wright/store.h"

namespace wright::mcp_server {

struct AgentToRun {
  std::shared_ptr<const Agent> agent = {};
  Json config = {};  // kept with the session
};

// An agent as a tool.
struct OfferedAgent {
  std::string tool = {};  // what clients call it
  std::string description = {};
  std::function<Result<AgentToRun>()> make = {};
};

struct Offering {
  // Its tools are offered; its interceptors and rules stand around every call.
  std::shared_ptr<const Agent> caller = {};
  std::vector<OfferedAgent> agents = {};
  // Where the sessions of agents and the calls of tools are kept; not owned. Null: there are no
  // agents, and nothing is kept.
  Store* store = nullptr;
  bool shows_sessions = false;  // as resources
  Observer observer = {};       // of the agents' sessions; may be empty
  SessionTracing tracing = {};  // of the same
  // Where a person answers what must not be typed into a client, such as passwords: the dashboard,
  // "http://127.0.0.1:7411". Empty: nowhere.
  std::function<std::string()> dashboard = {};
};

// What a piece of work may use while it is done.
struct WorkControls {
  std::stop_token stop = {};
  std::function<void(const mcp::Progress&)> progress = {};            // may be empty
  std::function<void(mcp::LoggingLevel, const Json& data)> log = {};  // may be empty
  // Tells the client something else on the way. May be empty.
  std::function<void(std::string_view method, const JsonObject& params)> notify = {};
};

// The sessions that clients began here: what they may go on with. From any thread.
class BegunSessions {
 public:
  void add(std::string_view principal, SessionId session);
  bool contains(std::string_view principal, SessionId session) const;

 private:
  mutable std::mutex mutex_;
  std::set<std::pair<std::string, SessionId>> sessions_;
};

class AgentTasks;

class Host {
 public:
  explicit Host(Offering offering);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // What the machine has to know of it. The key signs what clients keep for us.
  mcp::ServerOffer offer(mcp::Peer self, std::string state_key) const;

  // Blocks until it is done. From any thread.
  mcp::WorkOutcome perform(const mcp::Work& work, const WorkControls& controls) const;
  // Whether it takes no longer than reading what is in memory.
  bool is_quick(const mcp::Work& work) const;
  // Whether it may take minutes, as an agent does.
  bool is_slow(const mcp::Work& work) const;

 private:
  mcp::WorkOutcome call_tool(const mcp::Work& work, const WorkControls& controls) const;
  Offering offering_;
  JsonArray tools_;           // as tools/list shows them
  JsonArray tools_as_tasks_;  // to clients of 2025-11-25, who may call some of them as tasks
  std::unique_ptr<BegunSessions> begun_ = std::make_unique<BegunSessions>();
  std::unique_ptr<CallRecord> record_;
  std::unique_ptr<AgentTasks> tasks_;  // null: there are no agents
};

}  // namespace wright::mcp_server
