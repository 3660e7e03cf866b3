// Waits beside damaged ones: a row that cannot be read hides no other.
#pragma once

#include <vector>

#include "wright/store.h"

namespace wright::store {

struct DamagedWait {
  WaitId id = 0;
  SessionId session_id = 0;
  Error error = {};
};

struct ReadableWaits {
  std::vector<StoredWait> waits = {};
  std::vector<DamagedWait> damaged = {};
};

// As Store::get_waits(), which fails for all where one is damaged.
Result<ReadableWaits> readable_waits(Store& store, const WaitFilter& filter);

}  // namespace wright::store
