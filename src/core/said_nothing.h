// A model that has answered with nothing at all: an error that its provider tells.
#pragma once

#include <string_view>

namespace wright {

// A member of Error::detail.
inline constexpr std::string_view kSaidNothing = "said_nothing";

}  // namespace wright
