// Debug mode: whether an agent reports on its use of tools, and how much. Off, it costs nothing.
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

// A tool that exists and that the agent could have: what to change for that, and how to write it.
// Where the tool would help, this is suggested instead of building one.
struct AvailableTool {
  std::string name = {};
  std::string change = {};   // "Set entities.index to true"
  std::string example = {};  // "[entities]\nindex = true"
  bool operator==(const AvailableTool&) const = default;
};

struct DebugOptions {
  bool enabled = false;
  ToolFeedbackOptions tool_feedback = {};
  bool verbose_logging = false;    // logs every call and every finding to `logger`
  bool track_performance = false;  // adds times to the report
  Logger logger = {};
  std::vector<AvailableTool> available = {};

  bool wants_feedback() const { return enabled && tool_feedback.enabled; }
};

// The three places that may switch debug mode, strongest first.
struct DebugSwitches {
  std::optional<bool> query = {};          // for this query only
  std::optional<DebugOptions> agent = {};  // the agent's own
  std::optional<bool> environment = {};    // what a program read from its environment
};

// Whether feedback is wanted, at the cost of two comparisons.
inline bool wants_feedback(const std::optional<bool>& query,
                           const std::optional<DebugOptions>& agent) {
  if (query) return *query;
  return agent && agent->wants_feedback();
}

// What applies: query over agent over environment. A query that switches debug mode on also asks
// for feedback; the agent's choice of its parts still counts.
DebugOptions effective_debug(const DebugSwitches& switches);

}  // namespace wright
