// What drivers tell while they advance a run, and who hears it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "wright/message.h"
#include "wright/model.h"
#include "wright/run.h"
#include "wright/tool.h"

namespace wright {

// Views and references are valid for the duration of the callback.

struct FeedbackReport;

struct SessionStarted {
  std::int64_t session_id;  // 0 when nothing is stored
};
struct ModelStarted {  // it thinks
  int iteration;       // from 1
  std::string_view provider = {};
  std::string_view model = {};
};
struct TextDelta {  // it speaks
  std::string_view text;
  Text::Phase phase = Text::Phase::unmarked;  // a remark, or the answer, where the vendor says so
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
  bool is_unknown = false;  // its process ended while it ran: nobody knows what became of it
};
struct ChildStarted {  // a specialist answers a call
  const ToolCall& call;
  std::string_view agent;
  std::int64_t session_id;  // 0 when nothing is stored
};
struct HandedOff {  // the conversation goes on with another agent
  std::string_view agent;
};
struct MessageTaken {  // what the user said while it worked: the model reads it now
  const Message& message;
};
struct RunWaiting {  // nothing goes on before somebody answers
  std::span<const PersonWait> waits;
};
struct RunEnded {
  Phase phase;            // done, failed or cancelled
  std::string_view text;  // the answer, or the best one so far
  const Error* error;     // null when it is done
};

struct FeedbackGiven {  // in debug mode, just before the run ends or waits
  const FeedbackReport& report;
};

using Event = std::variant<SessionStarted, ModelStarted, TextDelta, ModelRetried, ModelEnded,
                           ContextShortened, ToolStarted, ToolProgress, ToolEnded, ChildStarted,
                           HandedOff, RunWaiting, RunEnded, FeedbackGiven, MessageTaken>;

// Whose event it is, and when it happened.
struct EventOrigin {
  std::int64_t session_id = 0;  // 0 when nothing is stored
  // Absent: nobody is above, or nothing is stored.
  std::optional<std::int64_t> parent_session_id = {};
  int depth = 0;  // how many sessions are above
  std::string_view agent = {};
  std::int64_t time_ms = 0;    // since 1970
  std::uint64_t sequence = 0;  // from 1, among the events of a session and those below it
};

// Who looks on: a function of an event, which hears of one session, or of an event and its origin,
// which also hears of all sessions below. What it throws is dropped.
class Observer {
 public:
  using Function = std::function<void(const Event&, const EventOrigin&)>;

  Observer() = default;
  template <class Callable>
  requires(std::invocable<Callable&, const Event&, const EventOrigin&>) Observer(Callable callable)
      : function_(std::move(callable)) {}
  template <class Callable>
  requires(std::invocable<Callable&, const Event&>) Observer(Callable callable)
      : function_([callable = std::move(callable)](const Event& event,
                                                   const EventOrigin& origin) mutable {
          if (origin.depth == 0) callable(event);
        }) {}

  explicit operator bool() const { return static_cast<bool>(function_); }
  void operator()(const Event& event, const EventOrigin& origin) const { function_(event, origin); }

 private:
  Function function_;
};

// Where what is under way stands in a trace: a call, or what the model is asked where `call_id` is
// empty. Asked in any thread, just after the observer has heard that it begins.
using FindTrace = std::function<TraceContext(std::int64_t session_id, std::string_view call_id)>;

}  // namespace wright
