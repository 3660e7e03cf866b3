#include "core/endless_keys.h"

#include <vector>

namespace wright {

std::optional<std::size_t> line_of_endless_key(std::string_view toml) {
  std::size_t line = 1;
  std::size_t dots = 0;                // since the last line that is open at its beginning
  std::vector<std::size_t> open = {};  // dots before each bracket that is open
  for (const char c : toml) {
    if (c == '\n') {
      ++line;
      dots = open.empty() ? 0 : open.back();
    } else if (c == '.') {
      ++dots;
    } else if (c == '[' || c == '{') {
      open.push_back(dots);
    } else if ((c == ']' || c == '}') && !open.empty()) {
      open.pop_back();
    }
    if (dots + open.size() > kMostTomlLevels) return line;
  }
  return std::nullopt;
}

}  // namespace wright
