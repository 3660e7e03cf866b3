// Finds out what follows from the stored parts of a run: the state that is never written down.
#include <algorithm>
#include <map>

#include "core/run_invariants.h"
#include "core/run_phases.h"
#include "core/try.h"
#include "wright/run.h"

namespace wright {
void recount(Run& run) {
  run.call_ids.clear();
  run.repeats.clear();
  run.tool_calls = 0;
  std::map<std::string_view, const ToolCall*> calls;
  for (const Message& message : run.messages) {
    if (message.is_from_user()) {
      run.tool_calls = 0;
      run.repeats.clear();
    }
    for (const Part& part : message.parts) {
      if (const auto* call = std::get_if<ToolCall>(&part)) {
        run.call_ids.insert(hash_of(call->id));
        calls[call->id] = call;
        ++run.tool_calls;
      } else if (const auto* result = std::get_if<ToolResult>(&part)) {
        const auto found = calls.find(result->call_id);
        if (found != calls.end()) ++run.repeats[hash_of(*found->second, *result)];
      }
    }
  }
}

Result<Run> restored(Run run) {
  if (run.messages.empty()) return fail(ErrorCode::invalid_argument, "A run without messages");
  recount(run);
  run.error = {};
  if (!run.open_calls.empty()) {
    settle_calls(run);
  } else if (run.messages.back().role == Role::assistant) {
    run.phase = Phase::done;
  } else {
    go_on_with_model(run);
  }
  TRY(check_invariants(run));
  return run;
}

}  // namespace wright
