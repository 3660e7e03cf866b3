// What is read from and into the things that calls wait for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "wright/approval.h"
#include "wright/session.h"

namespace wright::runtime {

// "questions", "approval", "result", "specialist", or empty.
std::string_view kind_of(const Json& shown);
WaitKind wait_kind(const Json& shown);
std::optional<std::int64_t> seconds_to_wait(const Json& shown);

// An answer as it is stored: with passwords hidden. Refuses one that breaks the rules of what is
// shown.
Result<Json> checked_answer(WaitKind kind, const Json& shown, const Json& answer);

// A stored answer, as the call that waited receives it. Refuses an approval that is none.
Result<WaitAnswers> answers_of(WaitKind kind, const Json& answer);

// Keeps what was decided for the whole session.
void remember_decision(RunMemory& memory, const Json& shown, const WaitAnswers& answers);

}  // namespace wright::runtime
