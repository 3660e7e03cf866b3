// What a call would touch, as a person is shown it who has to approve it. Nothing here fails a call
// or changes anything.
#pragma once

#include <string>

#include "wright/tool.h"

namespace wright::tools {

// More than this is not added to what a person is shown.
inline constexpr std::size_t kMostPreviewBytes = std::size_t{96} * 1024;

// The members of what the tool's preview says about these arguments. Empty without a preview; a
// "problem" instead when the preview throws, or is too large.
JsonObject preview_of(const Tool& tool, const Json& arguments);

// What a person is asked about a call: the tool, its arguments, and what it would touch.
JsonObject approval_question(const ToolCall& call, const Context& context);

// {"diff": …}, bounded; or why there is none.
Json preview_of_change(const Result<std::string>& diff);

// {"problem": …}
Json preview_problem(const Error& error);

}  // namespace wright::tools
