// What the writer and the reader of cassettes agree on.
#pragma once

#include <string_view>

namespace wright::runtime {

inline constexpr std::string_view kCassetteFormat = "wright-cassette";

}  // namespace wright::runtime
