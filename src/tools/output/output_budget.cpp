#include "tools/output/output_budget.h"

namespace wright::tools {

std::size_t json_size(std::string_view text) {
  std::size_t size = 2;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t') {
      size += 2;
    } else {
      size += static_cast<unsigned char>(c) < 0x20 ? 6 : 1;
    }
  }
  return size;
}

}  // namespace wright::tools
