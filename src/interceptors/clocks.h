// The real clocks, for options that name none.
#pragma once

#include "wright/interceptors.h"

namespace wright::intercept {

MonotonicClock or_real(MonotonicClock clock);
WallClock or_real(WallClock clock);
Pause or_real(Pause pause);

}  // namespace wright::intercept
