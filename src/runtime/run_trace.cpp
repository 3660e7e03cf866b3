#include "runtime/run_trace.h"

#include <fmt/format.h>

#include <string>

namespace wright::runtime {

void trace_request(const Logger& logger, std::string_view agent, int iteration, std::size_t tools) {
  if (!logger.is_on(LogLevel::debug)) return;
  const std::string_view message = iteration > 1 ? "Follow-up request with tool results"
                                   : tools > 0   ? "Processing message with tools enabled"
                                                 : "Processing message without tools";
  logger.log(LogLevel::debug, message,
             {{"agent", agent},
              {"iteration", static_cast<std::int64_t>(iteration)},
              {"tools", static_cast<std::int64_t>(tools)}});
}

void trace_response(const Logger& logger, std::string_view agent, const Response& response) {
  if (!logger.is_on(LogLevel::debug)) return;
  const auto calls = response.tool_calls();
  if (calls.empty()) {
    logger.log(LogLevel::debug, "No tool calls detected: the response is final",
               {{"agent", agent}});
    return;
  }
  std::string names;
  for (const ToolCall& call : calls) names += (names.empty() ? "" : ", ") + call.name;
  logger.log(
      LogLevel::debug,
      fmt::format("Tool calls detected: {} {}", calls.size(), calls.size() == 1 ? "call" : "calls"),
      {{"agent", agent}, {"names", std::string_view(names)}});
}

void trace_execution(const Logger& logger, std::string_view agent, const ToolCall& call) {
  if (!logger.is_on(LogLevel::debug)) return;
  logger.log(LogLevel::debug, fmt::format("Executing tool: {}", call.name),
             {{"agent", agent}, {"call", std::string_view(call.id)}});
}

void trace_result(const Logger& logger, std::string_view agent, const ToolResult& result) {
  if (!logger.is_on(LogLevel::debug)) return;
  logger.log(LogLevel::debug, fmt::format("Tool result: {}", result.name),
             {{"agent", agent},
              {"call", std::string_view(result.call_id)},
              {"failed", result.is_error},
              {"bytes", static_cast<std::int64_t>(result.content.size())}});
}

}  // namespace wright::runtime
