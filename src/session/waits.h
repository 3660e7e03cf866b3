// What is read from and into the things that calls wait for.
#pragma once

#include <span>
#include <string>

#include "wright/people.h"
#include "wright/session.h"

namespace wright::session {

// A stored answer, as the call that waited receives it. Refuses an approval that is none.
Result<WaitAnswers> answers_of(WaitKind kind, const Json& answer);

// Keeps what was decided for the whole session.
void remember_decision(RunMemory& memory, std::span<const std::string> covers,
                       const WaitAnswers& answers);

}  // namespace wright::session
