// An agent is a value: who it is, which model it asks, which tools it may use, and its limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wright/debug.h"
#include "wright/model.h"
#include "wright/tool.h"

namespace wright {

// What one run may use. 0 is no limit, but for max_iterations and max_depth. A specialist that an
// agent calls has its own limits, and what it uses counts for the agent that called it as well.
struct Limits {
  int max_iterations = 10;                // calls to the model for one user message
  int max_tool_calls = 0;                 // for one user message
  std::int64_t max_tokens = 0;            // of the session, in and out
  double max_cost_usd = 0;                // of the session
  std::chrono::milliseconds max_time{0};  // from the user's message to the answer
  int max_repeats = 6;                    // of one call with one result, for one user message
  int max_depth = 4;                      // specialists that call specialists
  bool operator==(const Limits&) const = default;
};

struct Agent {
  std::string name = "agent";
  std::string description = {};
  std::string instructions = {};
  Model model = {};
  std::vector<Tool> tools = {};
  std::vector<Interceptor> interceptors = {};  // outermost first
  ValidationOptions validation = {};           // of the arguments of calls, before interceptors
  Spill spill = {};                            // where long results are kept; may be empty
  Limits limits = {};
  Sampling sampling = {};
  // Tokens of a request and its answer together, beyond which old parts of the conversation are
  // sent shortened or summarised (context_window.h); 0: as many as the model reads.
  std::int64_t context_tokens = 0;
  std::optional<DebugOptions> debug = {};
  // For people and programs that list or evaluate agents; the model is not told.
  std::string domain = {};  // "security", "billing"
  Json metadata = {};       // an object; null when there is none
};

// Refuses what could never run: no model, a tool without a printable name, two tools of one name or
// alias, a limit below one.
Result<void> check(const Agent& agent);

// execute() of tool.h with the agent's tools, interceptors and rules.
ToolOutcome execute(const Agent& agent, const ToolCall& call, const Context& context);

}  // namespace wright
