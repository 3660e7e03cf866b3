#include "app/commands/trace_log.h"

#include "runtime/run_trace.h"

namespace wright::app {

void TraceLog::observe(const Event& event) const {
  if (!logger_.is_on(LogLevel::debug)) return;
  if (const auto* asked = std::get_if<ModelStarted>(&event)) {
    runtime::trace_request(logger_, agent_, asked->iteration, tools_);
  } else if (const auto* answered = std::get_if<ModelEnded>(&event)) {
    runtime::trace_response(logger_, agent_, answered->response);
  } else if (const auto* started = std::get_if<ToolStarted>(&event)) {
    runtime::trace_execution(logger_, agent_, started->call);
  } else if (const auto* ended = std::get_if<ToolEnded>(&event)) {
    runtime::trace_result(logger_, agent_, ended->outcome.result);
  }
}

}  // namespace wright::app
