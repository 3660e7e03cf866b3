// Reads what earlier versions of Wright stored as text and is a type now.
#pragma once

#include <optional>
#include <string_view>

#include "wright/run.h"

namespace wright::older {

// Notices that were stored as messages of the user, or at the end of a result.
Message with_notices(Message message);

// How a result came about, from its first words. Where they mislead, a result is stored with its
// origin.
ToolResult::Origin origin_in(const ToolResult& result);

// What a call waited for, taken from what a person was shown: that had "kind", "kinds" and
// "timeout_secs".
WaitsFor waits_for(const Json& shown);
Waiting waiting(WaitKind kind, Json shown);

// The limit that the sentence about the end of a session names, from when it was not stored
// separately.
std::optional<Limit> limit_in(std::string_view error);

// The detail of an error, which was JSON text.
Json detail(const Json& json);

}  // namespace wright::older
