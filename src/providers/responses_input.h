// The input of a request to OpenAI's responses: messages, calls, results and reasoning as items.
#pragma once

#include "providers/tool_names.h"
#include "wright/provider.h"

namespace wright::providers {

JsonArray responses_input(const Endpoint& endpoint, const Request& request, const ToolNames& names);

}  // namespace wright::providers
