// Bugs of the product, as a sanitizer sees them: one copies what stands behind the end of a list,
// the other keeps what stood on a stack.
#include "sanitizers/planted.h"

#include <array>

namespace wright::sanitizers {

std::string at(const std::vector<std::string>& list, std::size_t position) {
  return *(list.data() + position);
}

const char*& kept() {
  static const char* kept = nullptr;
  return kept;
}

void keep_what_goes() {
  const std::array<char, 64> text{"gone"};
  kept() = text.data();
}

}  // namespace wright::sanitizers
