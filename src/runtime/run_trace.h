// What a log says at debug level of the way of one message: that the model is asked and with what,
// the calls it makes, their execution, their results, and the request that follows them.
#pragma once

#include <cstddef>
#include <string_view>

#include "wright/log.h"
#include "wright/message.h"
#include "wright/tool.h"

namespace wright::runtime {

// The first request of a message, or one that follows the results of calls.
void trace_request(const Logger& logger, std::string_view agent, int iteration, std::size_t tools);
void trace_response(const Logger& logger, std::string_view agent, const Response& response);
void trace_execution(const Logger& logger, std::string_view agent, const ToolCall& call);
void trace_result(const Logger& logger, std::string_view agent, const ToolResult& result);

}  // namespace wright::runtime
