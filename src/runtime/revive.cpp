#include "runtime/revive.h"

#include <fmt/format.h>

#include <future>
#include <limits>
#include <set>
#include <utility>

#include "session/turn.h"
#include "session/waits.h"
#include "wright/specialist.h"

namespace wright::runtime {
namespace {

void write_down(Journal& journal, const StoredRun& loaded) {
  for (const std::string& call : loaded.unknown) {
    journal.call_is_unknown(call, "The process ended while it ran");
  }
  for (const auto& [call, outcome] : loaded.settled) journal.call_ended(call, outcome);
  for (const std::string& call : loaded.expired) journal.wait_ended(call, WaitStatus::expired);
}

void remember_decisions(RunMemory& memory, const StoredRun& loaded) {
  for (const StoredWait& wait : loaded.decisions) {
    if (!wait.answer) continue;
    if (const auto answers = answers_of(wait.kind, *wait.answer)) {
      remember_decision(memory, wait.covers, *answers);
    }
  }
}

const ToolCall* find_call(const Run& run, const std::string& id) {
  for (const OpenCall& open : run.open_calls) {
    if (open.call.id == id) return &open.call;
  }
  return nullptr;
}

// The agent that the conversation was handed over to, which the first one knows how to make.
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

// Makes the driver of a session that may be driven, and those below it.
Result<std::shared_ptr<SessionDriver>> make_driver(const Surroundings& around, SessionPlan plan,
                                                   Store& store, const Session& session,
                                                   const Revival& revival) {
  if (auto present = find_agent(plan.agent, session.agent_name, kMostHandoffs)) {
    plan.agent = std::move(present);
  }
  const std::shared_ptr<const Agent> agent = plan.agent;
  auto loaded = load_run(store, session.id, *agent, revival.settlements, around.clock());
  if (!loaded) return std::unexpected(std::move(loaded).error());
  if (revival.said) {
    if (!loaded->run.open_calls.empty()) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("Session {} was interrupted while tools ran: resume it first", session.id));
    }
    loaded->run.phase = Phase::done;
    if (auto said = accept(loaded->run, UserSaid{*revival.said}); !said) {
      return std::unexpected(std::move(said).error());
    }
  }
  plan.spent_below = spending_of(loaded->usage_below);
  Journal journal(around.runner, session.id, loaded->stored_messages, loaded->rows,
                  session.lease_epoch);
  write_down(journal, *loaded);
  const auto driver =
      std::make_shared<SessionDriver>(around, std::move(plan), loaded->run, std::move(journal));
  remember_decisions(driver->memory(), *loaded);
  driver->context().restore(session.context, loaded->run.messages);
  for (const StoredChild& child : loaded->children) {
    const ToolCall* call = find_call(loaded->run, child.call_id);
    const Tool* tool = call != nullptr ? find_tool(agent->tools, call->name) : nullptr;
    if (tool == nullptr || !tool->specialist) continue;
    auto child_agent = tool->specialist->make();
    if (!child_agent) return std::unexpected(std::move(child_agent).error());
    const auto child_session = store.get_session(child.session_id);
    if (!child_session) return std::unexpected(child_session.error());
    auto revived = make_driver(around, driver->child_plan(child.call_id, *child_agent), store,
                               *child_session, {.settlements = revival.settlements});
    if (!revived) return revived;
    driver->adopt(child.call_id, std::move(*revived));
  }
  return driver;
}

bool has_ended(SessionStatus status) {
  return status == SessionStatus::completed || status == SessionStatus::failed ||
         status == SessionStatus::cancelled;
}

Result<void> check_status(const Session& session, const Revival& revival) {
  if (revival.said && !has_ended(session.status)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("Session {} is {}: it takes a message when it has ended", session.id,
                            to_string(session.status)));
  }
  if (!revival.said && session.status == SessionStatus::completed) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("Session {} is completed: there is nothing to resume", session.id));
  }
  return {};
}

// Adds the sessions below this one that have not ended, at any depth.
Result<void> add_unfinished_below(Store& store, SessionId id, std::vector<SessionId>& found) {
  const auto children = store.list_sessions(
      {.parent_session_id = id, .limit = std::numeric_limits<std::size_t>::max()});
  if (!children) return std::unexpected(children.error());
  for (const Session& child : *children) {
    if (has_ended(child.status)) continue;
    found.push_back(child.id);
    if (auto added = add_unfinished_below(store, child.id, found); !added) return added;
  }
  return {};
}

// A session and those below it that have not ended, held by a runner. All of them are taken before
// any is read: whoever drove them before, and perhaps still does, can change none of them any more.
class HeldTree {
 public:
  HeldTree(Store& store, const Surroundings& around)
      : store_(store), host_(around.host), runner_(around.runner) {}
  HeldTree(const HeldTree&) = delete;
  HeldTree& operator=(const HeldTree&) = delete;
  ~HeldTree() { give_free(); }

  Result<void> take(SessionId root) {
    if (!runner_) return {};
    // Until the one before is shut out, it may begin further specialists.
    while (true) {
      std::vector<SessionId> sessions{root};
      if (auto added = add_unfinished_below(store_, root, sessions); !added) return added;
      std::vector<Write> writes;
      for (const SessionId session : sessions) {
        if (held_.insert(session).second) writes.emplace_back(TakeLease{session, *runner_, {}});
      }
      if (writes.empty()) return {};
      if (auto taken = write(std::move(writes)); !taken) return taken;
    }
  }

  // From now on they are the drivers'.
  void keep() { held_.clear(); }

 private:
  void give_free() {
    std::vector<Write> writes;
    for (const SessionId session : held_) writes.emplace_back(FreeLease{session, *runner_});
    // If the store cannot take it, they are free when the runner ends.
    if (!writes.empty()) (void)write(std::move(writes));
  }

  // By the host, as everything that a runner writes.
  Result<void> write(std::vector<Write> writes) {
    const auto written = std::make_shared<std::promise<Result<BatchIds>>>();
    host_.write({.writes = std::move(writes)},
                [written](Result<BatchIds> ids) { written->set_value(std::move(ids)); });
    auto ids = written->get_future().get();
    if (!ids) return std::unexpected(std::move(ids).error());
    return {};
  }

  Store& store_;
  Host& host_;
  const std::optional<RunnerId> runner_;
  std::set<SessionId> held_;
};

}  // namespace

Result<std::shared_ptr<SessionDriver>> revive(const Surroundings& around, SessionPlan plan,
                                              Store& store, const Revival& revival) {
  auto session = store.get_session(revival.id);
  if (!session) return std::unexpected(std::move(session).error());
  if (auto fits = check_status(*session, revival); !fits) {
    return std::unexpected(std::move(fits).error());
  }
  HeldTree tree(store, around);
  if (auto taken = tree.take(revival.id); !taken) return std::unexpected(std::move(taken).error());
  // Nobody else changes the session from here on; it may have ended a moment ago.
  session = store.get_session(revival.id);
  if (!session) return std::unexpected(std::move(session).error());
  if (auto fits = check_status(*session, revival); !fits) {
    return std::unexpected(std::move(fits).error());
  }
  auto driver = make_driver(around, std::move(plan), store, *session, revival);
  if (driver) tree.keep();
  return driver;
}

}  // namespace wright::runtime
