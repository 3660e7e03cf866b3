#include "core/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace wright {
namespace {

// Longer input is not a typo, and would cost quadratic time.
constexpr std::size_t kLongestTypo = 64;

std::string folded(std::string_view text) {
  std::string copy(text);
  for (char& c : copy) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  return copy;
}

// Optimal string alignment distance.
std::size_t mistakes_between(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before_previous(right.size() + 1);
  std::vector<std::size_t> previous(right.size() + 1);
  std::vector<std::size_t> current(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      const bool is_swapped =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (is_swapped) current[j] = std::min(current[j], before_previous[j - 2] + 1);
    }
    std::swap(before_previous, previous);
    std::swap(previous, current);
  }
  return previous[right.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view typed,
                                        std::span<const std::string_view> candidates) {
  if (typed.empty() || typed.size() > kLongestTypo) return std::nullopt;
  const std::string wanted = folded(typed);
  std::optional<std::string_view> best;
  std::size_t fewest = 0;
  for (const std::string_view candidate : candidates) {
    const std::string name = folded(candidate);
    std::size_t mistakes = mistakes_between(wanted, name);
    // A beginning of a long name is a good guess, however much is missing.
    if (wanted.size() >= 3 && name.starts_with(wanted))
      mistakes = std::min<std::size_t>(mistakes, 1);
    const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
    if (mistakes > allowed || (best && mistakes >= fewest)) continue;
    best = candidate;
    fewest = mistakes;
  }
  return best;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> candidates) {
  const auto found = nearest(typed, candidates);
  return found ? fmt::format("; did you mean '{}'?", *found) : std::string();
}

}  // namespace wright
