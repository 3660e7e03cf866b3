// What a protocol or a model has no field for, said to the model in words.
#pragma once

#include <string>

#include "providers/tool_names.h"
#include "wright/catalogue.h"
#include "wright/request.h"

namespace wright::providers {

// That the answer must be JSON; empty for a format of text.
std::string format_in_words(const ResponseFormat& format);

// What a tool said, as valid text; and that its images are missing where the model reads none.
std::string result_in_words(const ToolResult& result, const Quirks& quirks);

// That a tool must be called; empty where none has to be.
std::string tool_choice_in_words(const ToolChoice& choice, const ToolNames& names);

}  // namespace wright::providers
