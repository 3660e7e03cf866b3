// Where a session may be forked, and what of a fork is its own.
#pragma once

#include <span>

#include "wright/store.h"

namespace wright::store {

// A fork is not a run before it goes on, and what it copied has run in its original. For figures.
bool has_run(const Session& session);
bool was_copied(const Session& session, const StoredCall& call);

// A place is one where every call has its result. How many of the session's messages (all of them,
// in order) a fork at `last` copies. Refuses a message that is not among them, and one behind which
// a call is still open; the error names the nearest messages where a fork is possible.
Result<std::size_t> messages_to_fork(SessionId session_id, std::span<const StoredMessage> messages,
                                     MessageId last);

}  // namespace wright::store
