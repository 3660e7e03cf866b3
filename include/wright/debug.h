// Debug mode: whether an agent tells about its use of tools, and how much. Off, it costs nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wright/log.h"

namespace wright {

struct ToolFeedbackOptions {
  bool enabled = true;
  bool include_reasoning = true;      // why tools were chosen, and why others were not
  bool include_limitations = true;    // what could not be done
  bool include_suggestions = true;    // what would help
  bool include_alternatives = false;  // other ways to the answer
  bool operator==(const ToolFeedbackOptions&) const = default;
};

// A tool that exists and that the agent could have: what is to be changed for that, and how it is
// written. Where it would help, this is said instead of proposing to build it.
struct AvailableTool {
  std::string name = {};
  std::string change = {};   // "Set entities.index to true"
  std::string example = {};  // "[entities]\nindex = true"
  bool operator==(const AvailableTool&) const = default;
};

struct DebugOptions {
  bool enabled = false;
  ToolFeedbackOptions tool_feedback = {};
  bool verbose_logging = false;    // tells `logger` of every call and of every finding
  bool track_performance = false;  // adds times to the report
  Logger logger = {};
  std::vector<AvailableTool> available = {};

  bool wants_feedback() const { return enabled && tool_feedback.enabled; }
};

// The three places that may switch debug mode, strongest first.
struct DebugSwitches {
  std::optional<bool> query = {};          // for this query only
  std::optional<DebugOptions> agent = {};  // the agent's own
  std::optional<bool> environment = {};    // what a program read from its surroundings
};

// Whether feedback is wanted, for the price of two comparisons.
inline bool wants_feedback(const std::optional<bool>& query,
                           const std::optional<DebugOptions>& agent) {
  if (query) return *query;
  return agent && agent->wants_feedback();
}

// What holds: query over agent over environment. A query that switches debug mode on asks for
// feedback too; what the agent says about its parts still counts.
DebugOptions effective_debug(const DebugSwitches& switches);

}  // namespace wright
