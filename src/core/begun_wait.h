// A call that waits in the middle of what it does. Most calls wait before they do anything; one
// that has begun may have had its effect, so that no end without its own word says that it did
// nothing. Its tool says so in Waiting::state, which is stored with the wait: {"has_begun": true,
// …}.
#pragma once

#include <string>
#include <string_view>

#include "wright/people.h"

namespace wright {

inline constexpr std::string_view kHasBegun = "has_begun";

bool waits_in_the_middle(const Json& state);

// What such a call gets where nobody answers it: it goes on with a no, and says itself how it ends.
WaitAnswers declined(WaitKind kind, std::string why);

}  // namespace wright
