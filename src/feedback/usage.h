// The record of a run's calls: what the tracker saw in the pipeline, joined with what the run's
// messages say. The messages decide, because they are what is stored; so a run that was resumed
// elsewhere has a record, too.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "feedback/failure_kind.h"
#include "feedback/result_shape.h"
#include "wright/feedback.h"
#include "wright/run.h"

namespace wright::feedback {

struct CallRecord {
  enum class State : std::uint8_t { succeeded, failed, waiting };
  std::string name = {};
  std::string arguments = {};  // as the model wrote them
  State state = State::succeeded;
  ResultShape shape = {};  // State::succeeded
  std::string error = {};  // State::failed
  Failure failure = {};
  double duration_ms = 0;
};

// What the pipeline knew of one call and the messages do not.
struct Observation {
  std::optional<ResultShape> shape = {};  // absent: it failed
  std::optional<ErrorCode> code = {};
  double duration_ms = 0;
};

// Remembers what passes by. Thread-safe.
class UsageTracker {
 public:
  void add(std::string call_id, Observation observation);

  // The calls since the user last spoke, in their order; those of report_tool_feedback and those
  // that were never executed are left out.
  std::vector<CallRecord> records(const Run& run) const;

 private:
  std::optional<Observation> find(const std::string& call_id) const;

  mutable std::mutex mutex_;
  std::map<std::string, Observation> observations_;
};

ResultQuality quality_of(const CallRecord& record);

// One entry a tool, in the order of first use.
std::vector<UsedTool> used_tools(const std::vector<CallRecord>& records);

enum class Times : std::uint8_t { left_out, included };
std::vector<ToolUsage> usage_of(const std::vector<CallRecord>& records, Times times);

// How the answer came about, as the record has it: the calls in their order, and what was answered
// from. Long ones are shortened.
std::vector<std::string> construction_of(const std::vector<CallRecord>& records,
                                         std::optional<std::string_view> answer);

// What the model said beside its calls, and what it thought, since the user last spoke; empty when
// it said nothing. Long texts are cut.
std::string reasoning_in(const Run& run);

// What the user last asked for.
std::string query_of(const Run& run);

}  // namespace wright::feedback
