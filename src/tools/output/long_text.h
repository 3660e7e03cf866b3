// What a model gets to read of a text that may be too long for it: the beginning, the end, and
// where all of it is.
#pragma once

#include <cstddef>
#include <string>

#include "wright/tool.h"

namespace wright::tools {

struct ShownText {
  std::string text = {};
  std::string file = {};  // with all of it, where only a part is shown and there is a place for it
  bool is_cut = false;
};

// At most `budget` bytes as a JSON string.
ShownText shown_within(std::string text, std::size_t budget, const Context& context);

}  // namespace wright::tools
