// Who gets how many permits: the rules of TakePermits over plain values. Knows nothing about any
// database; PostgreSQL says the same in one statement.
#pragma once

#include <cstdint>
#include <span>

#include "wright/store_writes.h"

namespace wright::store {

// The burst after a quiet time: ten seconds' worth.
inline constexpr std::int64_t kBurstUs = 10'000'000;
inline constexpr std::int64_t kMinuteUs = 60'000'000;
// No pace is faster: so that no number overflows.
inline constexpr std::int64_t kFastestPace = 100'000'000'000;

// Microseconds since 1970 at which the permits taken so far would be used up at full pace.
struct PaceRow {
  std::int64_t requests_until = 0;
  std::int64_t tokens_until = 0;
  std::int64_t paused_until = 0;
};

// The slots of another runner that lives.
struct OtherSlots {
  std::int64_t slots = 0;
  std::int64_t wanted = 0;
};

struct PermitRuling {
  Permits permits;
  PaceRow row;  // as it is afterwards
};
PermitRuling permits_for(const TakePermits& take, const PaceRow& row,
                         std::span<const OtherSlots> others, std::int64_t now_ms);

// The write with nothing in it that makes no sense.
TakePermits sensible(TakePermits take);

}  // namespace wright::store
