// An agent is a value: who it is, which model it asks, which tools it may use, and its limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/debug.h"
#include "wright/model.h"
#include "wright/tool.h"

namespace wright {

// What one run may use; absent is no limit. A specialist that an agent calls has its own limits,
// and what it uses counts for the agent that called it as well.
struct Limits {
  int max_iterations = 10;                                 // calls to the model for one message
  std::optional<int> max_tool_calls = {};                  // for one user message; 0: none
  std::optional<std::int64_t> max_tokens = {};             // of the session, in and out
  std::optional<double> max_cost_usd = {};                 // of the session
  std::optional<std::chrono::milliseconds> max_time = {};  // from the message to the answer
  std::optional<int> max_repeats = 6;  // of one call with one result, for one user message
  int max_depth = 4;                   // specialists that call specialists
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
  // Where its response_format is a JSON schema, answers that do not fit it are refused: the model
  // is told why and asked again (kMostRefusedAnswers of run.h).
  Sampling sampling = {};
  // Refuses answers in the same way, with an error whose message the model reads. May be empty.
  std::function<Result<void>(std::string_view answer)> check_answer = {};
  // Tokens of a request and its answer together, beyond which old parts of the conversation are
  // sent shortened or summarised (context_window.h); absent: as many as the model reads.
  std::optional<std::int64_t> context_tokens = {};
  std::optional<DebugOptions> debug = {};
  // For people and programs that list or evaluate agents; the model is not told.
  std::string domain = {};  // "security", "billing"
  Json metadata = {};       // an object; null when there is none
};

// Refuses what could never run: no model, a tool without a printable name, two tools of one name or
// alias, a limit below one, a schema of answers that is none.
Result<void> check(const Agent& agent);

// execute() of tool.h with the agent's tools, interceptors and rules.
ToolOutcome execute(const Agent& agent, const ToolCall& call, const Context& context);

}  // namespace wright
