// See planted.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wright::sanitizers {

std::string at(const std::vector<std::string>& list, std::size_t position);

}  // namespace wright::sanitizers
