// What a driver tells while it advances a run. Views are valid for the duration of the callback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <variant>

#include "wright/model.h"
#include "wright/request.h"
#include "wright/run.h"
#include "wright/tool.h"

namespace wright {

struct FeedbackReport;

struct SessionStarted {
  std::int64_t session_id;  // 0 when nothing is stored
};
struct ModelStarted {  // it thinks
  int iteration;       // from 1
};
struct TextDelta {  // it speaks
  std::string_view text;
};
struct ModelRetried {  // the text since ModelStarted is void
  const ModelRetry& retry;
};
struct ModelEnded {
  const Response& response;
  double duration_ms;
};
struct ContextShortened {           // the next request leaves something out; the session does not
  std::size_t shortened_messages;   // from the first on, whose results are shortened
  std::size_t summarised_messages;  // from the first on, that a summary stands for
  const Usage& usage;               // of the summaries that the model wrote for it
};
struct ToolStarted {
  const ToolCall& call;
};
struct ToolProgress {  // what a running tool says of itself; in any thread, one at a time
  const ToolCall& call;
  std::string_view text;
};
struct ToolEnded {
  const ToolCall& call;
  const ToolOutcome& outcome;
};
struct ChildStarted {  // a specialist answers a call
  const ToolCall& call;
  std::string_view agent;
  std::int64_t session_id;  // 0 when nothing is stored
};
struct HandedOver {  // the conversation goes on with another agent
  std::string_view agent;
};
struct RunParked {  // nothing goes on before somebody answers
  std::span<const PersonWait> waits;
};
struct RunEnded {
  Phase phase;            // done, failed or cancelled
  std::string_view text;  // the answer, or the best one so far
  const Error* error;     // null when it is done
};

struct FeedbackGiven {  // in debug mode, just before the run ends or is parked
  const FeedbackReport& report;
};

using Event = std::variant<SessionStarted, ModelStarted, TextDelta, ModelRetried, ModelEnded,
                           ContextShortened, ToolStarted, ToolProgress, ToolEnded, ChildStarted,
                           HandedOver, RunParked, RunEnded, FeedbackGiven>;
using Observer = std::function<void(const Event&)>;

}  // namespace wright
