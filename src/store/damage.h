// How a session whose row cannot be read is told from one that failed; see
// SessionFilter::keeps_damaged.
#pragma once

#include "wright/session.h"

namespace wright::store {

inline constexpr int kFormatOfDamaged = 0;  // those that can be read begin with 1

inline bool is_damaged(const Session& session) {
  return session.format_version == kFormatOfDamaged;
}

}  // namespace wright::store
