#include "runtime/debug_mode.h"

#include <memory>
#include <utility>
#include "wright/feedback.h"

namespace wright::runtime {
namespace {

using session::SessionPlan;

SessionPlan observed(SessionPlan plan, const DebugOptions& debug) {
  const FeedbackSession feedback(debug);
  plan.agent = std::make_shared<const Agent>(feedback.observed(*plan.agent));
  plan.conclude = [feedback, agent = plan.agent](const Run& run) {
    return feedback.conclude(*agent, run);
  };
  return plan;
}

}  // namespace

SessionPlan in_debug_mode_if_wanted(SessionPlan plan, std::optional<bool> query) {
  const std::optional<DebugOptions>& own = plan.agent->debug;
  plan.plan_child = [query](SessionPlan child) {
    return in_debug_mode_if_wanted(std::move(child), query);
  };
  if (!wants_feedback(query, own)) return plan;
  const DebugOptions debug = effective_debug({.query = query, .agent = own});
  plan.plan_child = [query, debug](SessionPlan child) {
    if (!child.agent->debug) {
      Agent heir = *child.agent;
      heir.debug = debug;
      child.agent = std::make_shared<const Agent>(std::move(heir));
    }
    return in_debug_mode_if_wanted(std::move(child), query);
  };
  return observed(std::move(plan), debug);
}

}  // namespace wright::runtime
