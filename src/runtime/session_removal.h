// How a session is deleted with all that belongs to it.
#pragma once

#include "wright/store.h"

namespace wright::runtime {

// Refused while somebody drives it: its calls would go on, and nobody could tell any more what they
// did. One that cannot be read is gone whatever its status, unless it is driven: nobody could cancel
// it first.
Result<void> remove_session(Store& store, SessionId id);

}  // namespace wright::runtime
