// A session and the specialists below it, at any depth: one machine each, owned by the tree, which
// carries between them what they say of each other. Pure, like the machines.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/session_machine.h"

namespace wright::session {

// A session of the tree, as long as it is driven. The root is 0; numbers are never used again.
using NodeId = std::uint32_t;
inline constexpr NodeId kRoot = 0;

struct TreeOptions {
  MachineOptions machine = {};
  std::optional<RunnerId> runner = {};
  std::function<SessionId()> next_id = {};  // where nothing is stored; may be empty: 0
};

struct TreeOutput {
  std::vector<std::pair<NodeId, Batch>> batches = {};  // answer each with Written
  std::vector<std::pair<NodeId, Action>> actions = {};
  StepOutput of_one = {};  // of the session whose turn it is; empty between steps
};

class SessionTree {
 public:
  explicit SessionTree(TreeOptions options) : options_(std::move(options)) {}

  // The root, which is there or is to be created.
  void plant(SessionPlan plan, SessionState state);
  void plant_new(SessionPlan plan, Run run, NewSession session);
  // A specialist that was at work when the tree was loaded.
  NodeId graft(NodeId parent, const std::string& call_id, SessionPlan plan, SessionState state);
  // The plan of a specialist of this node.
  SessionPlan child_plan(NodeId parent, std::shared_ptr<const Agent> agent) const;

  // What is to be done is added to `output`.
  // Every session goes on from where it is.
  void begin(const Now& now, TreeOutput& output);
  void step(const Now& now, NodeId node, Input&& input, TreeOutput& output);

  // A wait of one of these sessions was answered, and that is stored. Others are no matter of ours.
  void answer(const Now& now, const StoredWait& wait, TreeOutput& output);

  // No session of it is at work: each has ended, or waits. A session may end before one below it that
  // was woken at that moment.
  bool is_at_rest() const;

  std::optional<NodeId> node_of(SessionId session) const;
  // Of a session whose end has been told, until the next step; the root stays.
  SessionMachine& at(NodeId node) { return *nodes_.at(node).machine; }
  int depth_of(NodeId node) const;
  // Absent at the root, and where nothing is stored.
  std::optional<SessionId> parent_of(NodeId node) const;
  int epoch() const { return nodes_.at(kRoot).machine->journal().epoch(); }

 private:
  struct Node {
    std::unique_ptr<SessionMachine> machine = {};
    NodeId parent = kRoot;     // itself at the root
    std::string call_id = {};  // of the parent, which this one answers
    std::string agent_name = {};
  };
  struct Post {
    NodeId node = kRoot;
    Input input;
  };

  bool is_root(NodeId node) const { return node == kRoot; }
  void forget_the_ended();
  void leave_those_below(NodeId node);
  void deliver_all(const Now& now, TreeOutput& output);
  void deliver(const Now& now, NodeId node, Input&& input, TreeOutput& output);
  void carry(NodeId node, Action action, TreeOutput& output);
  void start_specialist(NodeId parent, const StartSpecialist& start);
  Result<std::shared_ptr<const Agent>> specialist_for(const SessionMachine& parent,
                                                      const ToolCall& call) const;
  void tell_of_start(NodeId node, const Created& created, TreeOutput& output);
  std::vector<NodeId> children_of(NodeId parent) const;

  TreeOptions options_;
  std::map<NodeId, Node> nodes_;
  NodeId last_ = kRoot;
  std::list<Post> posts_;      // between machines; a list takes no room while it is empty
  std::vector<NodeId> ended_;  // in the last step; there until the next one
};

}  // namespace wright::session
