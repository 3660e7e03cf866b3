// What holds of every run between two steps. Loading refuses a run that breaks it; tests check it
// after every step.
#pragma once

#include "wright/run.h"

namespace wright {

// Every call is answered exactly once and in order before the model speaks again, ids are unique,
// and the phase agrees with the open calls. The error names what is broken.
Result<void> check_invariants(const Run& run);

}  // namespace wright
