#include "runtime/load_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <future>
#include <utility>

#include "core/told_notices.h"
#include "core/try.h"
#include "runtime/held_tree.h"
#include "runtime/said_messages.h"
#include "runtime/session_context.h"
#include "session/agent_of_now.h"
#include "session/stored_run.h"
#include "session/waits.h"
#include "store/labels.h"
#include "wright/agent.h"

namespace wright::runtime {
namespace {

using session::Journal;
using session::NodeId;
using session::SessionPlan;
using session::SessionState;
using session::StoredRun;

void write_down(Journal& journal, const StoredRun& loaded) {
  for (const OpenCall& open : loaded.unknown) {
    journal.call_is_unknown(open.call.id, "The process ended while it ran");
  }
  for (const auto& [call, outcome] : loaded.settled) {
    journal.call_ended(call, ToolOutcome(outcome));
  }
  for (const std::string& call : loaded.expired) journal.wait_ended(call, WaitStatus::expired);
}

void remember_decisions(RunMemory& memory, const StoredRun& loaded) {
  for (const StoredWait& wait : loaded.decisions) {
    if (!wait.answer) continue;
    if (const auto answers = session::answers_of(wait.kind, *wait.answer)) {
      session::remember_decision(memory, wait.covers, *answers);
    }
  }
}

// What the model was told with the results of calls is not told again.
void remember_notices(RunMemory& memory, const Run& run) {
  const auto remember = [&](const ToolResult& result) {
    for (const Notice& told : result.notices) (void)is_new_to(memory, told);
  };
  for (const Message& message : run.messages) {
    for (const Part& part : message.parts) {
      if (const auto* result = std::get_if<ToolResult>(&part)) remember(*result);
    }
  }
  for (const OpenCall& open : run.open_calls) remember(open.result);
}

const ToolCall* find_call(const Run& run, const std::string& id) {
  for (const OpenCall& open : run.open_calls) {
    if (open.call.id == id) return &open.call;
  }
  return nullptr;
}

// The agent that the conversation was handed off to, which the first one knows how to make.
std::shared_ptr<const Agent> find_agent(const std::shared_ptr<const Agent>& agent,
                                        std::string_view name, int depth) {
  if (agent->name == name) return agent;
  if (depth == 0) return nullptr;
  for (const Tool& tool : agent->tools) {
    if (!tool.specialist || tool.specialist->kind != Specialist::Kind::handoff) continue;
    const auto next = tool.specialist->make();
    if (!next) continue;
    if (auto found = find_agent(*next, name, depth - 1)) return found;
  }
  return nullptr;
}

constexpr int kMostHandoffs = 4;

bool is_over(SessionStatus status) {
  return status == SessionStatus::completed || status == SessionStatus::failed ||
         status == SessionStatus::cancelled;
}

Result<void> check_status(const Session& session, const ResumeRequest& request) {
  if (request.said && !is_over(session.status)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("Session {} is {}: it takes a message when it has ended", session.id,
                            to_string(session.status)));
  }
  const bool is_closed = (session.status == SessionStatus::completed && !request.takes_untaken) ||
                         (is_over(session.status) && !request.reopens && !request.takes_untaken);
  if (!request.said && is_closed) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("Session {} is {}: there is nothing to resume", session.id,
                            to_string(session.status)));
  }
  return {};
}

Result<void> check_place(const Session& session, const ResumeRequest& request) {
  if (!request.labels || store::has_labels(*request.labels, session.labels)) return {};
  return fail(ErrorCode::unavailable,
              fmt::format("Session {} asks for {}, which is not here: it is left to a worker that "
                          "has it",
                          session.id, fmt::join(session.labels, ", ")));
}

// Ends a session that the runner holds, by itself. Needs no agent.
Result<void> end_held(Host& host, RunnerId runner, Store& store, SessionId id,
                      const std::string& reason) {
  const auto session = TRY(store.get_session(id));
  if (is_over(session.status)) return {};
  const Agent nobody;  // whose tools and model are not needed for this
  auto loaded = TRY(session::load_run(store, id, nobody, {}, host.clock()));
  Journal journal(runner, id, loaded.stored_messages, loaded.rows, session.lease_epoch);
  write_down(journal, loaded);
  SessionStatus status = SessionStatus::cancelled;
  if (auto cancelled = accept(loaded.run, Cancelled{reason}); !cancelled) {
    // It has ended in all but name.
    status = loaded.run.phase == Phase::done ? SessionStatus::completed : SessionStatus::failed;
  }
  TRY(store.apply(journal.batch(loaded.run, status).writes));
  return {};
}

// What the session has used and where it stands, as a machine takes it up.
Result<SessionState> state_of(Store& store, const Session& session, StoredRun loaded,
                              std::optional<RunnerId> runner, bool is_new_turn) {
  const auto spent = TRY(store.spent_by_specialists(session.id, loaded.last_user_message));
  SessionState state{.run = std::move(loaded.run),
                     .journal = Journal(runner, session.id, loaded.stored_messages, loaded.rows,
                                        session.lease_epoch),
                     .spent_by_specialists = session::spending_of(spent.usage),
                     .worked_ms = session.worked_ms.value_or(0),
                     .unknown = loaded.unknown};
  if (!is_new_turn) {
    state.calls_of_children = static_cast<int>(spent.tool_calls);
    state.turn_worked_ms = session.turn_worked_ms.value_or(0);
  }
  write_down(state.journal, loaded);
  state.context.restore(kept_context(store, session, loaded.stored_messages), state.run.messages);
  return state;
}

// Puts the sessions of a tree in it, the root first.
class Planting {
 public:
  Planting(LoadedTree& loaded, Store& store, const session::TreeOptions& options, std::int64_t now,
           const Settlements& settlements)
      : loaded_(loaded), store_(store), options_(options), now_(now), settlements_(settlements) {}

  Result<void> plant(SessionPlan plan, const Session& session, const ResumeRequest& request) {
    auto loaded = TRY(load(plan, session));
    auto untaken = TRY(said_to(store_, session.id));
    std::vector<session::Said> taken;
    const bool is_ended = is_over(session.status) && !request.reopens;
    if (request.said || (is_ended && !untaken.empty())) taken = std::exchange(untaken, {});
    if (request.said) taken.push_back({"", *request.said});
    const bool is_said = !taken.empty();
    if (is_ended && !is_said) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("Session {} has ended: there is nothing to resume", session.id));
    }
    if (is_said) {
      if (!loaded.run.open_calls.empty()) {
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("Session {} was interrupted while tools ran: resume it first", session.id));
      }
      loaded.run.phase = Phase::done;
      TRY(accept(loaded.run, UserSaid{session::joined(taken)}));
    }
    auto state = TRY(state_of(store_, session, loaded, options_.runner, is_said));
    state.said = std::move(untaken);
    for (const session::Said& each : taken) {
      if (each.key.empty()) continue;
      state.journal.message_taken(each.key);
      state.heard.push_back(each.key);
    }
    if (request.config.is_object() && request.config != session.config) {
      state.journal.config_changed(request.config);
    }
    loaded_.tree.plant(std::move(plan), std::move(state));
    return add_below(session::kRoot, session, loaded);
  }

 private:
  Result<StoredRun> load(SessionPlan& plan, const Session& session) {
    if (auto present = find_agent(plan.agent, session.agent_name, kMostHandoffs)) {
      plan.agent = std::move(present);
    }
    // Its open calls may be of tools that came after it was made.
    plan.agent = session::agent_of_now(plan.agent, plan.agent);
    auto loaded = TRY(session::load_run(store_, session.id, *plan.agent, settlements_, now_));
    if (loaded.overdue.empty()) return loaded;
    TRY(end_waits(session, loaded.overdue));
    return session::load_run(store_, session.id, *plan.agent, settlements_, now_);
  }

  // Before anything follows from it: until then somebody may still answer, by a clock that differs
  // from ours, and is then heard.
  Result<void> end_waits(const Session& session, const std::vector<CallId>& calls) {
    std::vector<Write> writes;
    if (options_.runner) {
      writes.emplace_back(HoldLease{session.id, *options_.runner, session.lease_epoch});
    }
    for (const CallId call : calls) {
      writes.emplace_back(CloseWaits{session.id, call, WaitStatus::expired});
    }
    TRY(store_.apply(writes));
    return {};
  }

  Result<void> add_below(NodeId node, const Session& session, const StoredRun& loaded) {
    if (session.cancel_reason) loaded_.cancelled.push_back({session.id, *session.cancel_reason});
    remember_decisions(*loaded_.tree.at(node).memory(), loaded);
    remember_notices(*loaded_.tree.at(node).memory(), loaded_.tree.at(node).run());
    for (const session::StoredChild& child : loaded.children) {
      TRY(add(node, child));
    }
    return {};
  }

  Result<void> add(NodeId parent, const session::StoredChild& child) {
    const session::SessionMachine& above = loaded_.tree.at(parent);
    const ToolCall* call = find_call(above.run(), child.call_id);
    const Tool* tool = call != nullptr ? find_tool(above.agent().tools, call->name) : nullptr;
    if (tool == nullptr || !tool->specialist) return {};
    auto agent = TRY(tool->specialist->make());
    const auto session = TRY(store_.get_session(child.session_id));
    SessionPlan plan = loaded_.tree.child_plan(parent, agent);
    auto loaded = TRY(load(plan, session));
    auto state = TRY(state_of(store_, session, loaded, options_.runner, false));
    const NodeId node =
        loaded_.tree.graft(parent, child.call_id, std::move(plan), std::move(state));
    return add_below(node, session, loaded);
  }

  LoadedTree& loaded_;
  Store& store_;
  const session::TreeOptions& options_;
  const std::int64_t now_;
  const Settlements& settlements_;
};

}  // namespace

Result<LoadedTree> load_tree(Host& host, const session::TreeOptions& options, SessionPlan plan,
                             Store& store, const ResumeRequest& request) {
  auto session = store.get_session(request.id);
  if (!session) return std::unexpected(std::move(session).error());
  TRY(check_status(*session, request));
  TRY(check_place(*session, request));
  HeldTree held(store, host, options.runner);
  TRY(held.take(request.id, request.held_epoch));
  // Nobody else changes the session from here on; it may have ended a moment ago.
  session = store.get_session(request.id);
  if (!session) return std::unexpected(std::move(session).error());
  TRY(check_status(*session, request));
  LoadedTree loaded{session::SessionTree(options)};
  Planting planting(loaded, store, options, host.clock(), request.settlements);
  TRY(planting.plant(std::move(plan), *session, request));
  // A specialist that no call waits for: its creation seemed to fail, or its tool is gone.
  for (const SessionId each : held.deepest_first()) {
    if (loaded.tree.node_of(each)) continue;
    TRY(end_held(host, *options.runner, store, each, "The session above goes on without it"));
  }
  held.keep();
  return loaded;
}

Result<void> cancel_stored(Host& host, RunnerId runner, Store& store, SessionId id,
                           const std::string& reason) {
  HeldTree held(store, host, runner);
  TRY(held.take(id));
  for (const SessionId each : held.deepest_first()) {
    TRY(end_held(host, runner, store, each, reason));
  }
  held.keep();  // what has ended is nobody's
  return {};
}

}  // namespace wright::runtime
