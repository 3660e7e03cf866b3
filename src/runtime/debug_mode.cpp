#include "runtime/debug_mode.h"

#include <utility>

#include "wright/store.h"

namespace wright::runtime {
namespace {

void store_feedback(Store& store, SessionId id, FeedbackReport& report) {
  const Write write = UpdateSession{.session_id = id, .feedback = to_json(report)};
  if (const auto stored = store.apply({&write, 1}); !stored) {
    report.notes.push_back("The feedback could not be stored: " + stored.error().message);
  }
}

SessionPlan observed(SessionPlan plan, const DebugOptions& debug, Store* store) {
  const FeedbackSession session(debug);
  plan.agent = std::make_shared<const Agent>(session.observed(*plan.agent));
  plan.conclude = [session, agent = plan.agent, store](const Run& run, Ending& ending) {
    FeedbackReport report = session.conclude(*agent, run);
    if (store != nullptr && ending.session_id != 0) {
      store_feedback(*store, ending.session_id, report);
    }
    ending.feedback = std::move(report);
  };
  return plan;
}

}  // namespace

SessionPlan in_debug_mode_if_wanted(SessionPlan plan, std::optional<bool> query, Store* store) {
  const std::optional<DebugOptions>& own = plan.agent->debug;
  plan.below = [query, store](SessionPlan child) {
    return in_debug_mode_if_wanted(std::move(child), query, store);
  };
  if (!wants_feedback(query, own)) return plan;
  const DebugOptions debug = effective_debug({.query = query, .agent = own});
  plan.below = [query, store, debug](SessionPlan child) {
    if (!child.agent->debug) {
      Agent heir = *child.agent;
      heir.debug = debug;
      child.agent = std::make_shared<const Agent>(std::move(heir));
    }
    return in_debug_mode_if_wanted(std::move(child), query, store);
  };
  return observed(std::move(plan), debug, store);
}

}  // namespace wright::runtime
