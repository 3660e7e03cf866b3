// updated(): a record that takes over what came instead. What is the same, but for the moment it
// was said, keeps the record's words: a file of it changes only where something has changed.
#include <algorithm>

#include "runtime/replay_comparison.h"
#include "wright/replay.h"

namespace wright {
namespace {

using runtime::ReplayComparison;

RecordedSession merged(const RecordedSession& recorded, RecordedSession now,
                       const ReplayComparison& comparison);

void merge(const RecordedCall& recorded, RecordedCall& now, const ReplayComparison& comparison) {
  now.waits = recorded.waits;
  const bool is_same =
      recorded.result && now.result && comparison.is_same(*recorded.result, *now.result);
  if (is_same) {
    now.result = recorded.result;
    now.status = recorded.status;
  }
  if (recorded.specialist.empty() || now.specialist.empty()) return;
  now.specialist.front() =
      merged(recorded.specialist.front(), std::move(now.specialist.front()), comparison);
}

RecordedSession merged(const RecordedSession& recorded, RecordedSession now,
                       const ReplayComparison& comparison) {
  now.agent = recorded.agent;
  now.provider = recorded.provider;
  now.model = recorded.model;
  if (now.status == recorded.status && now.error == recorded.error) now.limit = recorded.limit;
  now.config = recorded.config;
  const std::size_t shared = std::min(recorded.messages.size(), now.messages.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (comparison.is_same(recorded.messages[i], now.messages[i])) {
      now.messages[i] = recorded.messages[i];
    }
  }
  for (RecordedCall& call : now.calls) {
    const auto then = std::ranges::find(recorded.calls, call.id, &RecordedCall::id);
    if (then != recorded.calls.end()) merge(*then, call, comparison);
  }
  return now;
}

}  // namespace

RecordedSession updated(const RecordedSession& recorded, const ReplayReport& report) {
  return merged(recorded, report.session, ReplayComparison(Redactor{}));
}

}  // namespace wright
