// See planted.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wright::sanitizers {

std::string at(const std::vector<std::string>& list, std::size_t position);

// What keep_what_goes() has kept.
const char*& kept();
void keep_what_goes();

}  // namespace wright::sanitizers
