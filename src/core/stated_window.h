// What a server's refusal says of its window. Every server has words of its own; the numbers in
// them are worth more than any guess.
#pragma once

#include <cstdint>
#include <string_view>

namespace wright {

struct StatedWindow {
  std::int64_t window = 0;  // tokens; 0: it does not say
  std::int64_t sent = 0;    // tokens of the request that was refused; 0: it does not say
  bool operator==(const StatedWindow&) const = default;
};

StatedWindow stated_window(std::string_view words);

}  // namespace wright
