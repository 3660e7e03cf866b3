// The record of a run's calls: what the tracker saw in the pipeline, joined with what the run's
// messages say. The messages decide, because they are what is stored; so a run that was resumed
// elsewhere has a record as well.
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

// What the pipeline knew about one call and the messages do not say.
struct Observation {
  std::optional<ResultShape> shape = {};  // absent: it failed
  std::optional<ErrorCode> code = {};
  double duration_ms = 0;
};

// Records the calls that pass through. Thread-safe.
class UsageTracker {
 public:
  void add(std::string call_id, Observation observation);

  // The calls since the user's last message, in order; those of report_tool_feedback and those
  // that were never executed are left out.
  std::vector<CallRecord> records(const Run& run) const;

 private:
  std::optional<Observation> find(const std::string& call_id) const;

  mutable std::mutex mutex_;
  std::map<std::string, Observation> observations_;
};

ResultQuality quality_of(const CallRecord& record);

// One entry per tool, in the order of first use.
std::vector<UsedTool> used_tools(const std::vector<CallRecord>& records);

enum class Times : std::uint8_t { left_out, included };
std::vector<ToolUsage> usage_of(const std::vector<CallRecord>& records, Times times);

// How the answer came about, according to the record: the calls in order, and what the answer is
// based on. Long ones are shortened.
std::vector<std::string> construction_of(const std::vector<CallRecord>& records,
                                         std::optional<std::string_view> answer);

// What the model said next to its calls, and its reasoning, since the user's last message; empty
// when it said nothing. Long texts are cut.
std::string reasoning_in(const Run& run);

// What the user last asked for.
std::string query_of(const Run& run);

}  // namespace wright::feedback
