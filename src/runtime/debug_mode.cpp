#include "runtime/debug_mode.h"

#include <utility>

#include "wright/store.h"

namespace wright {
namespace {

void store_feedback(Store& store, SessionId id, FeedbackReport& report) {
  const Write write = UpdateSession{.session_id = id, .feedback = to_json(report)};
  if (const auto stored = store.apply({&write, 1}); !stored) {
    report.notes.push_back("The feedback could not be stored: " + stored.error().message);
  }
}

}  // namespace

Result<Answer> with_feedback(const Agent& agent, const RunOptions& options, const Run& run,
                             const Drive& drive) {
  const FeedbackSession session(effective_debug({.query = options.debug, .agent = agent.debug}));
  Agent observed = agent;
  if (options.interceptors) observed.interceptors = *options.interceptors;
  observed = session.observed(std::move(observed));
  RunOptions inner = options;
  inner.interceptors.reset();
  // Nobody looks on: then nothing need come as it is made.
  if (!options.observer) inner.delivery = Delivery::whole;
  SessionId session_id = 0;
  inner.observer = [&](const Event& event) {
    if (const auto* started = std::get_if<SessionStarted>(&event)) session_id = started->session_id;
    if (options.observer) options.observer(event);
  };
  Result<Answer> answer = drive(observed, inner);
  if (run.messages.empty()) return answer;  // it never began
  FeedbackReport report = session.conclude(agent, run);
  if (options.store != nullptr && session_id != 0) {
    store_feedback(*options.store, session_id, report);
  }
  if (options.observer) options.observer(FeedbackGiven{report});
  if (answer) answer->feedback = std::move(report);
  return answer;
}

}  // namespace wright
