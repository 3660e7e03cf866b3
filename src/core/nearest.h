// Finds what a person probably meant when they mistyped a name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wright {

// The candidate with the fewest typos (a letter missing, added, wrong, or two swapped; case, `-`
// and `_` do not count), if it is close enough to be worth suggesting.
std::optional<std::string_view> nearest(std::string_view typed,
                                        std::span<const std::string_view> candidates);

// "; did you mean 'run'?", or nothing.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> candidates);

}  // namespace wright
