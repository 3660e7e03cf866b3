// What was missing in a run, and what would help: judged by its calls, its end and the query.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "feedback/capabilities.h"
#include "feedback/usage.h"
#include "wright/feedback.h"

namespace wright::feedback {

// What the findings are based on.
struct Evidence {
  std::string agent = {};
  std::string query = {};
  std::vector<CallRecord> calls = {};
  std::vector<ToolFacts> tools = {};          // those that the agent offers
  std::vector<AvailableTool> available = {};  // those that it could have
  std::optional<std::string> answer = {};     // Phase::done: what the model said last
  std::string reasoning = {};                 // what the model said on its way
  Phase phase = Phase::done;
  Error error = {};  // of the run
  int max_iterations = 0;
};

struct Findings {
  std::vector<Limitation> limitations = {};
  std::vector<Suggestion> suggestions = {};
  std::vector<Alternative> alternatives = {};
};

// From what happened: failures by kind, empty and cut results, how the run ended.
Findings findings_from_calls(const Evidence& evidence);

// From what was asked: needs that no tool of the agent meets.
Findings findings_from_query(const Evidence& evidence);

// Both, without repetitions, the most serious first.
Findings all_findings(const Evidence& evidence);

// A key that is equal for two suggestions that ask for the same thing.
std::string key_of(const Suggestion& suggestion);

// The tool of that name that the agent could have but does not; null when there is none.
const AvailableTool* available_tool(const std::vector<AvailableTool>& available,
                                    std::string_view name);
// Says how to get tools that only have to be switched on, all by the same change. `names` are
// `first.name` and others.
Suggestion switch_on(const AvailableTool& first, const std::vector<std::string>& names,
                     std::string_view agent, Impact priority);

// Two suggestions with the same key as one: the more serious priority, and where both switch tools
// on, all of their names.
void join_into(Suggestion& known, const Suggestion& more);

// Whether the answer says that it is not one.
bool is_refused(const Evidence& evidence);

// Whether any call returned data.
bool has_data(const Evidence& evidence);

}  // namespace wright::feedback
