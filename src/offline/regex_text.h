// Text as the regular expressions' library takes it.
#pragma once

#include <re2/stringpiece.h>

#include <string_view>

namespace wright::offline {

inline re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace wright::offline
