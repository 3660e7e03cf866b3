// What a call keeps to go on after a crash (Context::keep), as a record of its session. It counts
// as long as its row says that the call is under way; nobody looks at it afterwards.
#pragma once

#include <optional>
#include <vector>

#include "wright/store.h"

namespace wright::session {

// The note of that row, in the place of the one before, by whoever holds the session.
std::vector<Write> writes_of_note(const HoldLease& lease, CallId row, const Json& note);

// Nothing: it has kept none.
Result<std::optional<Json>> note_of(Store& store, CallId row);

}  // namespace wright::session
