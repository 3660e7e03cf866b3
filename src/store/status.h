// What the statuses of sessions and calls mean to a store: which of them are ends, and which moves
// a call may make. Their names are in store.h's to_string(). Knows nothing about any database.
#pragma once

#include <string>

#include "wright/store.h"

namespace wright::store {

bool is_end(SessionStatus status);
bool is_end(CallStatus status);

// The table of legal moves, as UpdateCall documents it.
bool may_move(CallStatus from, CallStatus to);

Error no_session(SessionId id);
Error no_message(MessageId id, SessionId session_id);
Error no_call(CallId id);
Error illegal_move(CallId id, CallStatus from, CallStatus to);

}  // namespace wright::store
