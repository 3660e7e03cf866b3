// Reads what earlier versions of Wright wrote as text and is a type now.
#pragma once

#include <optional>
#include <string_view>

#include "wright/run.h"

namespace wright::older {

// Words of Wright that were stored as words of the user, or at the end of a result, as notices.
Message with_notices(Message message);

// What was waited for, from what a person was shown: it had "kind", "kinds" and "timeout_secs".
WaitsFor waits_for(const Json& shown);
Waiting waiting(WaitKind kind, Json shown);

// The limit that a sentence about the end of a session names, where it was not stored apart.
std::optional<Limit> limit_in(std::string_view error);

// The detail of an error, which was JSON text.
Json detail(const Json& json);

}  // namespace wright::older
