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

}  // namespace

SessionPlan in_debug_mode(SessionPlan plan, const DebugOptions& debug, Store* store) {
  const FeedbackSession session(debug);
  Agent observed = *plan.agent;
  if (plan.interceptors) observed.interceptors = *std::exchange(plan.interceptors, std::nullopt);
  plan.agent = std::make_shared<const Agent>(session.observed(std::move(observed)));
  plan.conclude = [session, agent = plan.agent, store](const Run& run, Ending& ending) {
    FeedbackReport report = session.conclude(*agent, run);
    if (store != nullptr && ending.session_id != 0) {
      store_feedback(*store, ending.session_id, report);
    }
    ending.feedback = std::move(report);
  };
  return plan;
}

}  // namespace wright::runtime
