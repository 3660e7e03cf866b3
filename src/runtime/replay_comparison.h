// Whether what comes now is what was recorded, and if not, in words for people. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/replay.h"
#include "wright/run.h"

namespace wright::runtime {

// Why the sessions of a replay are ended before their time; calls that are open then answer so.
inline constexpr std::string_view kReplayEndsHere = "The replay ends here";

class ReplayComparison {
 public:
  // What comes now passes the redactor before it is compared.
  explicit ReplayComparison(Redactor redactor) : redactor_(std::move(redactor)) {}

  // Ids of calls, durations and metadata do not count.
  bool is_same(const Message& recorded, const Message& now) const;
  bool is_same(const ToolResult& recorded, const ToolResult& now) const;

  // All that differs, in the order of the conversation. What was not reached because the replay
  // was ended is no difference.
  std::vector<Difference> differences(const RecordedSession& recorded,
                                      const RecordedSession& now) const;

 private:
  class Walk;
  std::string redacted(const std::string& text) const;

  Redactor redactor_;
};

// A message or an end as a person reads it, without what never counts.
std::string readable(const Message& message);
std::string readable_end(SessionStatus status, std::string_view error);

// Whether this is what a run says that was stopped by a vendor's filter.
bool is_content_filter(std::string_view error);

// Whether the session failed for a reason that lies outside of the conversation, after its answer.
bool failed_after_answer(const RecordedSession& recorded);

}  // namespace wright::runtime
