// The messages of a chat completion's request.
#pragma once

#include "providers/tool_names.h"
#include "wright/provider.h"

namespace wright::providers {

// Images in results become a user message after all results of the turn, because the protocol has
// no other place for them. Reasoning goes back as the quirks say. Everything is allocated in
// `storage`.
JsonArray chat_messages(const Endpoint& endpoint, const Request& request, const ToolNames& names,
                        const boost::json::storage_ptr& storage);

}  // namespace wright::providers
