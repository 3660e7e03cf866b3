// The messages of a chat completion's request.
#pragma once

#include <string>

#include "providers/sent_history.h"
#include "wright/provider.h"

namespace wright::providers {

// Images in results become a user message after all results of the turn, because the protocol has
// no other place for them. Reasoning goes back as the quirks say. Adds what is new to the history;
// the text of the instructions, which come before all messages, is the result.
std::string chat_messages(const Endpoint& endpoint, const Request& request, SentHistory& history,
                          const boost::json::storage_ptr& storage);

}  // namespace wright::providers
