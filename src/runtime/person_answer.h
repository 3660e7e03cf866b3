// A person's answer, held against the rules of what they were shown.
#pragma once

#include "wright/people.h"

namespace wright::runtime {

// As it is stored: with passwords hidden. Refuses one that breaks the rules.
Result<Json> checked_answer(WaitKind kind, const Json& shown, const Json& answer);

}  // namespace wright::runtime
