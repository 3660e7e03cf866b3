// Messages to sessions that work or wait, as the store keeps them until they are taken.
#pragma once

#include <vector>

#include "session/said.h"
#include "wright/store.h"

namespace wright::runtime {

inline constexpr std::size_t kMostUntaken = 100;  // of one session

struct SaidTo {
  SessionId session_id = 0;
  session::Said said = {};
};

// Stores it. Refused where too many wait already.
Result<session::Said> store_said(Store& store, SessionId id, Message message);

// All that nobody has taken, in the order in which it was stored.
Result<std::vector<SaidTo>> all_said(Store& store);
Result<std::vector<session::Said>> said_to(Store& store, SessionId id);

}  // namespace wright::runtime
