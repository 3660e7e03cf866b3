// What a run has told its model beside the results of calls, so that it is told once. The memory of
// a run that is taken up again is filled from what is stored.
#pragma once

#include "wright/message.h"
#include "wright/people.h"

namespace wright {

// How many notices of one kind a run tells with results of calls.
inline constexpr int kMostTold = 64;

// Whether the run has not told this before, with the same words, and may tell it: from now on it
// has.
bool is_new_to(RunMemory& memory, const Notice& told);

}  // namespace wright
