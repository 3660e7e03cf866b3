// What a driver tells while it advances a run. Views are valid for the duration of the callback.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <variant>

#include "wright/model.h"
#include "wright/request.h"
#include "wright/tool.h"

namespace wright {

struct FeedbackReport;

struct SessionStarted {
  std::int64_t session_id;  // 0 when nothing is stored
};
struct ModelStarted {
  int iteration;  // from 1
};
struct TextDelta {
  std::string_view text;
};
struct ModelRetried {  // the text since ModelStarted is void
  const ModelRetry& retry;
};
struct ModelEnded {
  const Response& response;
  double duration_ms;
};
struct ToolStarted {
  const ToolCall& call;
};
struct ToolEnded {
  const ToolCall& call;
  const ToolOutcome& outcome;
};

struct FeedbackGiven {  // in debug mode, after the run has ended in whichever way
  const FeedbackReport& report;
};

using Event = std::variant<SessionStarted, ModelStarted, TextDelta, ModelRetried, ModelEnded,
                           ToolStarted, ToolEnded, FeedbackGiven>;
using Observer = std::function<void(const Event&)>;

}  // namespace wright
