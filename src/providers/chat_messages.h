// The messages of a chat completion's request.
#pragma once

#include "providers/tool_names.h"
#include "wright/provider.h"

namespace wright::providers {

// Images in results become a message of the user behind all results of the turn, because the
// protocol has no place for them there. Reasoning goes back as the quirks say. All of it is in
// `storage`.
JsonArray chat_messages(const Endpoint& endpoint, const Request& request, const ToolNames& names,
                        const boost::json::storage_ptr& storage);

}  // namespace wright::providers
