// A bug of the product, as a sanitizer sees it: it copies what stands behind the end of a list.
#include "sanitizers/planted.h"

namespace wright::sanitizers {

std::string at(const std::vector<std::string>& list, std::size_t position) {
  return *(list.data() + position);
}

}  // namespace wright::sanitizers
