// Where a session may be forked: where every call has its result. Reads messages only.
#pragma once

#include <span>

#include "wright/store.h"

namespace wright::store {

// How many of the session's messages (all of them, in order) a fork at `last` copies. Refuses a
// message that is not among them, and one behind which a call is still open; the error names the
// nearest messages where a fork is possible.
Result<std::size_t> messages_to_fork(SessionId session_id, std::span<const StoredMessage> messages,
                                     MessageId last);

}  // namespace wright::store
