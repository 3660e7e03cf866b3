// What requests of a stored session leave out, wherever that is kept.
#pragma once

#include <cstddef>

#include "wright/store.h"

namespace wright::runtime {

// A fork of a part has the same beginning as its original, whose cut holds where it is not longer
// than the fork. `messages`: how many the session has.
Json kept_context(Store& store, const Session& session, std::size_t messages);

}  // namespace wright::runtime
