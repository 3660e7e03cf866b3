#include "core/label.h"

#include <fmt/format.h>

#include <algorithm>

#include "wright/json.h"

namespace wright {

bool is_label(std::string_view text) {
  constexpr std::size_t kLongest = 63;
  constexpr std::string_view kOthers = "._-=";
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

std::string no_label(std::string_view text) {
  return fmt::format("'{}' is no label: use up to 63 letters, digits and . _ - =",
                     to_valid_utf8(std::string(text)));
}

}  // namespace wright
