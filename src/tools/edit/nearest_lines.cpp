#include "tools/edit/nearest_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <tuple>
#include <vector>

#include "core/text.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::size_t kMaxLines = 100'000;
constexpr std::size_t kComparedBytes = 200;
constexpr std::size_t kShownLines = 3;

std::vector<std::string_view> first_lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kMaxLines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Pairs of neighbouring characters, which two similar lines have in common.
using Pairs = std::bitset<4096>;

Pairs pairs_of(std::string_view line) {
  Pairs pairs;
  line = line.substr(0, kComparedBytes);
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const auto first = static_cast<unsigned char>(line[i]);
    const auto second = static_cast<unsigned char>(line[i + 1]);
    pairs.set((first * 31U + second) % pairs.size());
  }
  return pairs;
}

// From 0 to 100.
std::size_t likeness(const Pairs& left, const Pairs& right) {
  const std::size_t all = left.count() + right.count();
  return all == 0 ? 0 : 200 * (left & right).count() / all;
}

// Where all lines of `wanted` stand one after the other, apart from blanks around them; past the
// end when they do not, or when finding out would take long.
std::size_t find_apart_from_blanks(const std::vector<std::string_view>& lines,
                                   const std::vector<std::string_view>& wanted) {
  constexpr std::size_t kMaxComparisons = 10'000'000;
  if (lines.size() * wanted.size() > kMaxComparisons) return lines.size();
  const auto bare = [](std::string_view line) { return trimmed(line); };
  const auto found = std::ranges::search(lines, wanted, {}, bare, bare);
  return found.empty() ? lines.size() : static_cast<std::size_t>(found.begin() - lines.begin());
}

std::string quoted_line(std::string_view line) {
  const std::string valid = to_valid_utf8(std::string(line.substr(0, kComparedBytes)));
  return valid.ends_with('\r') ? valid.substr(0, valid.size() - 1) : valid;
}

}  // namespace

std::string nearest_lines(std::string_view text, std::string_view wanted_text) {
  const auto lines = first_lines_of(text);
  const auto wanted = first_lines_of(wanted_text);
  if (lines.empty()) return "The file is empty.";
  const auto first =
      std::ranges::find_if(wanted, [](std::string_view line) { return !trimmed(line).empty(); });
  if (first == wanted.end()) return "The lines looked for are blank.";

  if (const std::size_t at = find_apart_from_blanks(lines, wanted); at < lines.size()) {
    return fmt::format("The same text with other blanks stands in line {}:\n{}: {}", at + 1, at + 1,
                       quoted_line(lines[at]));
  }
  const Pairs pairs = pairs_of(trimmed(*first));
  std::vector<std::tuple<std::size_t, std::size_t>> best;  // unlikeness, index
  constexpr std::size_t kLeastLikeness = 40;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t like = likeness(pairs, pairs_of(trimmed(lines[i])));
    if (like < kLeastLikeness) continue;
    best.emplace_back(100 - like, i);
    std::ranges::sort(best);
    if (best.size() > kShownLines) best.pop_back();
  }
  if (best.empty()) return "No line of the file is like its first line.";
  std::string made = "The lines most like its first line:";
  for (const auto& [unlikeness, i] : best) {
    made += fmt::format("\n{}: {}", i + 1, quoted_line(lines[i]));
  }
  return made;
}

}  // namespace wright::tools
