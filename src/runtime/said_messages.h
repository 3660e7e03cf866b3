// Messages to sessions that work or wait, as the store keeps them until they are taken.
#pragma once

#include <vector>

#include "session/said.h"
#include "wright/store.h"

namespace wright::runtime {

inline constexpr std::size_t kMostUntaken = 100;  // of one session

// Stores it. Refused where too many wait already, or the session is gone.
Result<session::Said> store_said(Store& store, SessionId id, Message message);

// What nobody has taken, in the order in which it was stored.
Result<std::vector<session::Said>> said_to(Store& store, SessionId id);
// Whether there is any, without reading it all.
Result<bool> is_spoken_to(Store& store, SessionId id);

}  // namespace wright::runtime
