// What debug mode adds to a request: a paragraph of instructions and one tool.
#pragma once

#include <string>
#include <string_view>

#include "wright/agent.h"
#include "wright/tool.h"

namespace wright::feedback {

std::string debug_instructions(const ToolFeedbackOptions& options);
// Instructions as they were before that was added.
std::string_view without_debug_instructions(std::string_view instructions);

// report_tool_feedback. It accepts whatever it is called with: feedback is never a reason for
// another turn.
Tool report_tool(const ToolFeedbackOptions& options);

}  // namespace wright::feedback
