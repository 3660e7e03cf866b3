// How a path is shown to people and models.
#include <fmt/format.h>

#include "core/text.h"
#include "tools/workspace/workspace.h"
#include "wright/json.h"

namespace wright::tools {

std::string shown_path(std::string_view path) {
  constexpr std::size_t kLongest = 200;
  const std::string valid = to_valid_utf8(std::string(path));
  const std::string_view start = utf8_prefix(valid, kLongest);
  // On one line: what stands in a list is no other line of it.
  std::string shown;
  for (const char c : start) {
    if (c == '\n') {
      shown += "\\n";
    } else if (c == '\r') {
      shown += "\\r";
    } else {
      shown += c;
    }
  }
  return fmt::format("'{}{}'", shown, start.size() < valid.size() ? "…" : "");
}

}  // namespace wright::tools
