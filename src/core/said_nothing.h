// A model that has answered with nothing at all: an error that its provider tells, and that is
// known again from what a store keeps of it.
#pragma once

#include <string_view>

#include "wright/error.h"

namespace wright {

// In the message of such an error.
inline constexpr std::string_view kSaidNothing = "ended its answer without having said anything";

// Other answers are cut, too (ErrorCode::answer_cut); those have something to tell.
inline bool has_said_nothing(ErrorCode code, std::string_view message) {
  return code == ErrorCode::answer_cut && message.find(kSaidNothing) != std::string_view::npos;
}

}  // namespace wright
