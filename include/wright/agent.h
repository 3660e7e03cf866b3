// Agents, what they tell of themselves, and agents as tools of others.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wright/context.h"
#include "wright/log.h"
#include "wright/model.h"
#include "wright/tool.h"

namespace wright {

// Debug mode: whether an agent reports on its use of tools, and how much. Off, it costs nothing.

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

// An agent is a value: who it is, which model it asks, which tools it may use, and its limits.

// What one run may use; absent is no limit. A specialist that an agent calls has its own limits,
// and what it uses counts for the agent that called it as well.
inline constexpr int kMostCutsInARow = 2;

struct Limits {
  int max_iterations = 10;                                 // calls to the model for one message
  std::optional<int> max_tool_calls = {};                  // for one user message; 0: none
  std::optional<std::int64_t> max_tokens = {};             // of the session, in and out
  std::optional<double> max_cost_usd = {};                 // of the session
  std::optional<std::chrono::milliseconds> max_time = {};  // from the message to the answer
  std::optional<int> max_repeats = 6;  // of one call with one result, for one user message
  int max_depth = 4;                   // specialists that call specialists
  // Answers in a row that end at their limit of tokens: the model is told and asked again. One more
  // fails the run with answer_cut.
  int max_cuts = kMostCutsInARow;
  bool operator==(const Limits&) const = default;
};

struct Agent {
  std::string name = "agent";
  std::string description = {};
  std::string instructions = {};
  Model model = {};
  std::vector<Tool> tools = {};
  // The tools as they are now, for those that come and go while a session runs: asked before every
  // question to the model with the tools that the session has, and with those above when a stored
  // session is gone on with. Nothing: as they were. Must be quick; from any thread. May be empty.
  std::function<std::optional<std::vector<Tool>>(std::span<const Tool> tools)> tools_now = {};
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
  // sent shortened or summarised; absent: as many as the model reads.
  std::optional<std::int64_t> context_tokens = {};
  ContextPolicy context = {};  // how that is done
  // That whoever drives its sessions must have, beside what its tools ask for: see
  // NewSession::labels.
  std::vector<std::string> labels = {};
  std::optional<DebugOptions> debug = {};
  // For people and programs that list or evaluate agents; the model is not told.
  std::string domain = {};  // "security", "billing"
  Json metadata = {};       // an object; null when there is none
};

// Refuses what could never run: no model, a tool without a printable name, two tools of one name or
// alias, a limit below one, a schema of answers that is none, a label that is none.
Result<void> check(const Agent& agent);

// What new sessions of the agent ask for: its own labels and those of its tools, with `more`, each
// once. Agents that are its tools count with all of theirs, unless a function makes them later.
std::vector<std::string> labels_for(const Agent& agent, std::vector<std::string> more = {});

// execute() of tool.h with the agent's tools, interceptors and rules.
ToolOutcome execute(const Agent& agent, const ToolCall& call, const Context& context);

// Agents as tools of other agents. A specialist answers a call in a run of its own: a child session
// with its own model, history and tools. A handoff moves the conversation itself to another agent.

struct Specialist {
  enum class Kind : std::uint8_t { delegate, handoff };
  Kind kind = Kind::delegate;
  std::string name = {};
  // Makes the agent when it is called, so that agents may name each other.
  std::function<Result<std::shared_ptr<const Agent>>()> make = {};
};

// A tool with the agent's name (as tools may be named), described by the first paragraph of its
// instructions where it has no description. Its argument is `message`, or `parameters` when given:
// the specialist then reads the arguments as JSON.
Tool delegate_to(Agent agent);
Result<Tool> delegate_to(Specialist specialist, std::string description, Json parameters = {});

// A tool `transfer_to_<agent>`: the agent goes on with this conversation in place of the caller.
Tool hand_off_to(Agent agent);
Tool hand_off_to(Specialist specialist, std::string description);

}  // namespace wright
