// Which of the switches for debug mode decides. Reads nothing but its argument.
#include "wright/agent.h"
#include "wright/feedback.h"

namespace wright {

DebugOptions effective_debug(const DebugSwitches& switches) {
  DebugOptions options = switches.agent.value_or(DebugOptions{});
  if (switches.query) {
    options.enabled = *switches.query;
    if (*switches.query) options.tool_feedback.enabled = true;
  } else if (!switches.agent) {
    options.enabled = switches.environment.value_or(false);
  }
  return options;
}

}  // namespace wright
