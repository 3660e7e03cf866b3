// How often each tool of a session was called, by the store and by its feedback.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>

#include "wright/wright.h"

namespace wright::testing {

struct Counts {
  int calls = 0;
  int failed = 0;
  bool operator==(const Counts&) const = default;
};
using ByTool = std::map<std::string, Counts>;

inline void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.failed << " of " << counts.calls << " failed";
}

inline ByTool stored(Store& store, SessionId id) {
  ByTool counts;
  const auto all = store.get_tool_calls(id);
  EXPECT_TRUE(all);
  for (const StoredCall& each : *all) {
    const bool has_ended =
        each.status == CallStatus::completed || each.status == CallStatus::failed;
    if (!has_ended || each.tool_name == kReportToolFeedback) continue;
    ++counts[each.tool_name].calls;
    if (each.status == CallStatus::failed) ++counts[each.tool_name].failed;
  }
  return counts;
}

inline ByTool tracked(const FeedbackReport& report) {
  ByTool counts;
  for (const ToolUsage& tool : report.usage) counts[tool.name] = {tool.calls, tool.failed};
  return counts;
}

}  // namespace wright::testing
