// The input of a request to OpenAI's responses: messages, calls, results and reasoning as items.
#pragma once

#include <string>

#include "providers/sent_history.h"
#include "wright/provider.h"

namespace wright::providers {

// Adds what is new to the history. The result is the text of what comes before all messages.
std::string responses_input(const Endpoint& endpoint, const Request& request,
                            const ToolNames& names, SentHistory& history);

}  // namespace wright::providers
