// What the protocol or the model has no field for, told to the model in words.
#pragma once

#include <string>

#include "providers/tool_names.h"
#include "wright/message.h"
#include "wright/provider.h"

namespace wright::providers {

// That the response must be JSON; empty for text.
std::string format_in_words(const ResponseFormat& format);

// A tool's result as valid text, with a note where the model cannot read its images.
std::string result_in_words(const ToolResult& result, const Quirks& quirks);

// That a tool must be called; empty where none must be.
std::string tool_choice_in_words(const ToolChoice& choice, const ToolNames& names);

}  // namespace wright::providers
