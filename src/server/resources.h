// What is stored, as the API shows it. Pure.
#pragma once

#include "wright/agent.h"
#include "wright/session.h"
#include "wright/store.h"

namespace wright::server {

// An object whose texts have at most so many bytes; "is_cut" says that some were longer.
Json with_short_texts(Json json, std::size_t most = 16 * 1024);

Json session_json(const Session& session);
// `is_told`: a caller says so, and nobody here has seen it.
Json message_json(const StoredMessage& message, bool is_told);
Json call_json(const StoredCall& call);
Json wait_json(const StoredWait& wait);
Json event_json(const StoredEvent& event);
Json tool_json(const ToolSpec& spec);
Json agent_json(const Agent& agent);

}  // namespace wright::server
