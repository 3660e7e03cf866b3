#include "tools/text/base64.h"

#include <cstdint>

namespace wright::tools {

std::string base64_of(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string made;
  made.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (j < group.size() ? static_cast<std::uint8_t>(group[j]) : 0);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      made += j <= group.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return made;
}

}  // namespace wright::tools
