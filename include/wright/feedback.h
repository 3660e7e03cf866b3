// Debug mode and tool feedback.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/agent.h"
#include "wright/run.h"
#include "wright/schema.h"

namespace wright {

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

// Tool feedback: what a run used, what it lacked and what would help, checked against what really
// happened. See docs/feedback.md.

enum class ResultQuality : std::uint8_t { excellent, good, partial, failed };
enum class Impact : std::uint8_t { critical, high, medium, low };  // a suggestion's priority, too
enum class MissingCapability : std::uint8_t { tool, field, comparison, relationship };
enum class SuggestionType : std::uint8_t {
  new_tool,
  expose_field,
  add_relationship,
  improve_existing,
};

struct UsedTool {
  std::string name = {};
  std::string purpose = {};
  bool success = false;
  std::optional<ResultQuality> result_quality = {};
  bool operator==(const UsedTool&) const = default;
};
struct ConsideredTool {
  std::string name = {};
  std::string reason_not_used = {};
  bool operator==(const ConsideredTool&) const = default;
};
struct Limitation {
  std::string description = {};
  Impact impact = Impact::medium;
  std::optional<MissingCapability> missing_capability = {};
  bool operator==(const Limitation&) const = default;
};
struct ProposedTool {
  std::string name = {};
  std::string purpose = {};
  std::vector<std::string> parameters = {};  // "name", or "name?" for one that may be absent
  bool operator==(const ProposedTool&) const = default;
};
struct ConfigChange {
  std::string entity = {};
  std::string change = {};
  std::string example = {};
  bool operator==(const ConfigChange&) const = default;
};
struct Suggestion {
  SuggestionType type = SuggestionType::new_tool;
  Impact priority = Impact::medium;
  std::string description = {};
  std::optional<ProposedTool> tool_spec = {};
  std::optional<ConfigChange> config_change = {};
  bool operator==(const Suggestion&) const = default;
};
struct Alternative {
  std::string approach = {};
  std::vector<std::string> pros = {};
  std::vector<std::string> cons = {};
  std::optional<std::vector<std::string>> needs = {};  // "requires" in JSON
  bool operator==(const Alternative&) const = default;
};
struct AnswerQuality {
  double completeness = 0;  // percent
  double confidence = 0;    // percent
  std::optional<std::string> notes = {};
  bool operator==(const AnswerQuality&) const = default;
};
// In addition to the parts that every report has, `reasoning` and `construction` are given in debug
// mode with include_reasoning.
struct ToolFeedback {
  std::vector<UsedTool> tools_used = {};
  std::vector<ConsideredTool> tools_considered = {};
  std::vector<Limitation> limitations = {};
  std::vector<Suggestion> suggestions = {};
  std::optional<std::vector<Alternative>> alternatives = {};
  std::optional<std::string> reasoning = {};                  // why this approach was taken
  std::optional<std::vector<std::string>> construction = {};  // how the answer came about, in steps
  AnswerQuality answer_quality = {};
  bool operator==(const ToolFeedback&) const = default;
};

Json to_json(const ToolFeedback& feedback);
Json tool_feedback_schema();

// What could be understood of a model's words; never an error.
struct ReadFeedback {
  ToolFeedback feedback = {};
  bool is_rated = false;                // whether answer_quality was given
  std::vector<std::string> notes = {};  // one for each part that was dropped, and why
};
ReadFeedback tool_feedback_from_json(const Json& json);
ReadFeedback tool_feedback_from_text(std::string_view text);  // JSON or XML

// How often a tool was called, as the pipeline saw it.
struct ToolUsage {
  std::string name = {};
  int calls = 0;  // those that ended, so not calls that wait for a person
  int failed = 0;
  std::optional<double> total_ms = {};  // DebugOptions::track_performance
  std::optional<double> slowest_ms = {};
  bool operator==(const ToolUsage&) const = default;
};
// Where the model's words and the record differ.
struct Contradiction {
  std::string about = {};  // "tools_used grep"
  std::string said = {};
  std::string recorded = {};
  bool operator==(const Contradiction&) const = default;
};
struct FeedbackReport {
  int version = 2;
  ToolFeedback tool_feedback = {};
  std::vector<ToolUsage> usage = {};
  std::vector<Contradiction> contradictions = {};
  std::vector<std::string> notes = {};
  bool operator==(const FeedbackReport&) const = default;
};
Json to_json(const FeedbackReport& report);
Result<FeedbackReport> feedback_report_from_json(const Json& json);
std::string to_text(const FeedbackReport& report);  // for people; several lines

// Watches one run of an agent in debug mode. May be used from several threads at once.
class FeedbackSession {
 public:
  explicit FeedbackSession(DebugOptions options);

  // The agent to run instead: with the debug instructions, the tool report_tool_feedback, an
  // interceptor around all others, and a model whose report costs no further turn.
  Agent observed(Agent agent) const;

  // The report on the run, however it ended.
  FeedbackReport conclude(const Agent& agent, const Run& run) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

inline constexpr std::string_view kReportToolFeedback = "report_tool_feedback";

}  // namespace wright

#include "wright/detail/feedback.h"  // IWYU pragma: export
