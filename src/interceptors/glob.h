// Name patterns: * stands for any characters, ? for one.
#pragma once

#include <string_view>

namespace wright::intercept {

bool matches_glob(std::string_view pattern, std::string_view name);

}  // namespace wright::intercept
