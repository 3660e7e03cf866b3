// How long a model should think, in the words that the vendors share.
#pragma once

#include <string_view>

#include "wright/message.h"

namespace wright::providers {

// "low", "medium" or "high"; for none, the lowest value there is.
std::string_view effort_level(ReasoningEffort effort);

}  // namespace wright::providers
