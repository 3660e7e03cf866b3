// What goes to models and comes back, as OpenTelemetry's conventions for generative AI write it:
// JSON that is never longer than an attribute may be. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wright/message.h"

namespace wright::telemetry {

constexpr std::size_t kMostContent = 64 * 1024;  // bytes of one attribute

// The conversation that the model reads: the newest messages of it that fit.
std::string input_messages(const Request& request);
std::string system_instructions(const Request& request);
// The tools that it may call; those that fit.
std::string tool_definitions(const Request& request);
std::string output_messages(const Response& response);
// As the conventions name them.
std::string finish_reason(StopReason reason);
std::string provider_name(std::string_view vendor);

}  // namespace wright::telemetry
