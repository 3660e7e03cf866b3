#include "session/session_tree.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/try.h"
#include "session/waits.h"
#include "wright/agent.h"

namespace wright::session {

void SessionTree::plant(SessionPlan plan, SessionState state) {
  std::string name = plan.agent->name;
  nodes_[kRoot] = {.machine = std::make_unique<SessionMachine>(options_.machine, std::move(plan),
                                                               std::move(state), nullptr),
                   .agent_name = std::move(name)};
}

void SessionTree::plant_new(SessionPlan plan, Run run, NewSession session) {
  SessionState state{.run = std::move(run), .journal = Journal(options_.runner)};
  if (options_.machine.has_store) {
    session.runner_id = options_.runner;
    state.journal.create(std::move(session));
  } else if (options_.next_id) {
    state.journal = Journal(std::nullopt, options_.next_id(), 0);
  }
  plant(std::move(plan), std::move(state));
}

NodeId SessionTree::graft(NodeId parent, const std::string& call_id, SessionPlan plan,
                          SessionState state) {
  Node& above = nodes_.at(parent);
  above.machine->adopt(call_id, state.worked_ms);
  const NodeId id = ++last_;
  std::string name = plan.agent->name;
  nodes_[id] = {.machine = std::make_unique<SessionMachine>(
                    options_.machine, std::move(plan), std::move(state), &above.machine->budget()),
                .parent = parent,
                .call_id = call_id,
                .agent_name = std::move(name)};
  return id;
}

SessionPlan SessionTree::child_plan(NodeId parent, std::shared_ptr<const Agent> agent) const {
  const SessionMachine& above = *nodes_.at(parent).machine;
  SessionPlan plan{
      .agent = std::move(agent),
      .people = above.plan().people,
      .lineage = above.plan().lineage.for_child(above.agent().name, above.run().limits),
      .config = above.plan().config};
  return above.plan().plan_child ? above.plan().plan_child(std::move(plan)) : plan;
}

int SessionTree::depth_of(NodeId node) const {
  return static_cast<int>(nodes_.at(node).machine->plan().lineage.depth());
}

std::optional<SessionId> SessionTree::parent_of(NodeId node) const {
  if (is_root(node)) return std::nullopt;
  const SessionId id = nodes_.at(nodes_.at(node).parent).machine->journal().session_id();
  return id == 0 ? std::nullopt : std::optional(id);
}

std::vector<NodeId> SessionTree::children_of(NodeId parent) const {
  std::vector<NodeId> children;
  for (const auto& [id, node] : nodes_) {
    const bool is_child = !is_root(id) && node.parent == parent;
    if (is_child && !node.machine->has_ended()) children.push_back(id);
  }
  return children;
}

std::optional<NodeId> SessionTree::node_of(SessionId session) const {
  for (const auto& [id, node] : nodes_) {
    if (node.machine->journal().session_id() == session) return id;
  }
  return std::nullopt;
}

bool SessionTree::is_at_rest() const {
  return std::ranges::all_of(nodes_, [](const auto& each) {
    const SessionMachine& machine = *each.second.machine;
    return machine.has_ended() || machine.is_waiting();
  });
}

// Not before those below it, which look at its budget.
void SessionTree::forget_the_ended() {
  std::ranges::sort(ended_, std::greater());  // whoever calls is older than those who are called
  std::erase_if(ended_, [this](NodeId node) {
    const bool has_others_below = std::ranges::any_of(nodes_, [&](const auto& each) {
      return !is_root(each.first) && each.second.parent == node;
    });
    if (!has_others_below) nodes_.erase(node);
    return !has_others_below;
  });
}

// Those that were woken while the end of this one was written are at work.
void SessionTree::leave_those_below(NodeId node) {
  for (const NodeId child : children_of(node)) {
    SessionMachine& machine = *nodes_.at(child).machine;
    if (!machine.is_waiting()) {
      posts_.push_back({child, Suspend{}});
      continue;
    }
    machine.leave();
    ended_.push_back(child);
    leave_those_below(child);
  }
}

void SessionTree::begin(const Now& now, TreeOutput& output) {
  for (const auto& [id, node] : nodes_) posts_.push_back({id, Begin{}});
  deliver_all(now, output);
}

void SessionTree::step(const Now& now, NodeId node, Input&& input, TreeOutput& output) {
  forget_the_ended();
  deliver(now, node, std::move(input), output);
  deliver_all(now, output);
}

void SessionTree::answer(const Now& now, const StoredWait& wait, TreeOutput& output) {
  const auto node = node_of(wait.session_id);
  if (!node || !wait.answer) return;
  const auto call_id = at(*node).journal().call_of(wait.call_id);
  auto answers = answers_of(wait.kind, *wait.answer);
  if (!call_id || !answers) return;
  step(now, *node, Answered{*call_id, std::move(*answers)}, output);
}

void SessionTree::deliver_all(const Now& now, TreeOutput& output) {
  while (!posts_.empty()) {
    std::list<Post> first;
    first.splice(first.begin(), posts_, posts_.begin());
    deliver(now, first.front().node, std::move(first.front().input), output);
  }
}

void SessionTree::deliver(const Now& now, NodeId node, Input&& input, TreeOutput& output) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;  // it has ended meanwhile
  StepOutput& stepped = output.of_one;
  found->second.machine->step(now, std::move(input), stepped);
  if (stepped.batch) output.batches.emplace_back(node, *std::exchange(stepped.batch, {}));
  for (Action& action : stepped.actions) carry(node, std::move(action), output);
  stepped.actions.clear();
}

// What concerns other sessions of the tree stays in it; the rest is for whoever drives it.
void SessionTree::carry(NodeId node, Action action, TreeOutput& output) {
  if (const auto* start = std::get_if<StartSpecialist>(&action)) {
    return start_specialist(node, *start);
  }
  if (const auto* cancel = std::get_if<CancelSpecialists>(&action)) {
    for (const NodeId child : children_of(node)) posts_.push_back({child, Cancel{cancel->reason}});
    return;
  }
  if (const auto* suspend = std::get_if<SuspendSpecialists>(&action)) {
    for (const NodeId child : children_of(node)) {
      posts_.push_back({child, Suspend{suspend->time_left}});
    }
    return;
  }
  if (const auto* created = std::get_if<Created>(&action)) {
    return tell_of_start(node, *created, output);
  }
  if (!is_root(node)) {
    const Node& child = nodes_.at(node);
    if (auto* waiting = std::get_if<NowWaits>(&action)) {
      posts_.push_back({child.parent, SpecialistWaits{child.call_id, waiting->ending.waits}});
    } else if (std::holds_alternative<Woke>(action)) {
      posts_.push_back({child.parent, SpecialistWoke{child.call_id}});
    } else if (auto* ended = std::get_if<Ended>(&action)) {
      posts_.push_back({child.parent, SpecialistEnded{child.call_id, ended->ending}});
    }
  }
  if (std::holds_alternative<Ended>(action)) {
    if (!is_root(node)) ended_.push_back(node);
    leave_those_below(node);
  }
  output.actions.emplace_back(node, std::move(action));
}

Result<std::shared_ptr<const Agent>> SessionTree::specialist_for(const SessionMachine& parent,
                                                                 const ToolCall& call) const {
  const Specialist& specialist = *find_tool(parent.agent().tools, call.name)->specialist;
  TRY(parent.plan().lineage.admit(specialist.name, parent.agent().name, parent.run().limits));
  auto agent = specialist.make();
  if (!agent) return agent;
  TRY(check(**agent));
  return agent;
}

void SessionTree::start_specialist(NodeId parent, const StartSpecialist& start) {
  SessionMachine& above = *nodes_.at(parent).machine;
  auto agent = specialist_for(above, start.call);
  if (!agent) {
    posts_.push_back(
        {parent,
         SpecialistEnded{start.call.id, {.kind = Ending::Kind::failed, .error = agent.error()}}});
    return;
  }
  SessionPlan plan = child_plan(parent, *agent);
  NewSession session{.agent_name = (*agent)->name,
                     .provider = (*agent)->model.provider(),
                     .model = (*agent)->model.name(),
                     .user_prompt = start.message,
                     .config = above.plan().config};
  if (!plan.agent->instructions.empty()) session.system_prompt = plan.agent->instructions;
  SessionState state{.run = wright::start(**agent, start.message),
                     .journal = Journal(options_.runner)};
  if (options_.machine.has_store) {
    session.runner_id = options_.runner;
    session.parent_session_id = above.journal().session_id();
    session.parent_call_id = above.journal().row_of(start.call.id);
    state.journal.create(std::move(session), above.journal().lease());
  } else if (options_.next_id) {
    state.journal = Journal(std::nullopt, options_.next_id(), 0);
  }
  const NodeId child = ++last_;
  nodes_[child] = {.machine = std::make_unique<SessionMachine>(options_.machine, std::move(plan),
                                                               std::move(state), &above.budget()),
                   .parent = parent,
                   .call_id = start.call.id,
                   .agent_name = (*agent)->name};
  posts_.push_back({child, Begin{}});
}

// The session above tells first that it has a specialist at work.
void SessionTree::tell_of_start(NodeId node, const Created& created, TreeOutput& output) {
  output.actions.emplace_back(node, created);
  if (options_.machine.is_heard == nullptr || !*options_.machine.is_heard) return;
  const Node& started = nodes_.at(node);
  if (!is_root(node)) {
    const SessionMachine& above = *nodes_.at(started.parent).machine;
    for (const OpenCall& open : above.run().open_calls) {
      if (open.call.id != started.call_id) continue;
      const auto kept =
          std::make_shared<const std::pair<ToolCall, std::string>>(open.call, started.agent_name);
      output.actions.emplace_back(
          started.parent, Publish{std::make_shared<const Event>(
                                      ChildStarted{kept->first, kept->second, created.session_id}),
                                  kept});
    }
  }
  output.actions.emplace_back(
      node, Publish{std::make_shared<const Event>(SessionStarted{created.session_id})});
}

}  // namespace wright::session
