#include "tools/search/literal_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace wright::tools {
namespace {

using Found = std::optional<std::pair<std::size_t, std::size_t>>;

Found found(const LiteralSearch& search, std::string_view text, std::size_t from = 0) {
  const auto result = search.find(text, from);
  if (!result) return std::nullopt;
  return std::pair(result->start, result->literal);
}

TEST(LiteralSearch, finds_the_leftmost_and_of_those_the_first_in_the_list) {
  const LiteralSearch search({"beta", "alpha", "al"}, AsciiCase::distinguish);
  EXPECT_EQ(found(search, "xx alpha beta"), Found({3, 1}));
  EXPECT_EQ(found(search, "xx alpha beta", 4), Found({9, 0}));
  EXPECT_EQ(found(search, "xx al beta"), Found({3, 2}));
  EXPECT_EQ(found(search, "xx ALPHA"), Found());
  EXPECT_EQ(found(search, ""), Found());
  EXPECT_EQ(found(LiteralSearch({"alpha"}, AsciiCase::ignore), "xx ALpHA"), Found({3, 0}));
  EXPECT_EQ(found(LiteralSearch({"a@b"}, AsciiCase::ignore), "a`b A@B"), Found({4, 0}));
}

TEST(LiteralSearch, agrees_with_the_simplest_search) {
  std::mt19937 random(1);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  const auto text_of = [&](std::size_t length, unsigned letters) {
    std::string text;
    while (text.size() < length) {
      const char c = static_cast<char>('a' + below(letters));
      text += below(4) == 0 ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    const std::string text = text_of(below(400), 3);
    std::vector<std::string> literals;
    for (unsigned i = 0, count = 1 + below(8); i < count; ++i) {
      literals.push_back(text_of(1 + below(12), 3));
    }
    const AsciiCase letters = below(2) == 0 ? AsciiCase::ignore : AsciiCase::distinguish;
    const auto lower = [&](std::string_view from) {
      std::string made(from);
      if (letters == AsciiCase::ignore) {
        std::ranges::transform(made, made.begin(), [](char c) {
          return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
      }
      return made;
    };
    const std::size_t from = text.empty() ? 0 : below(static_cast<unsigned>(text.size()));
    Found expected;
    for (std::size_t i = 0; i < literals.size(); ++i) {
      const std::size_t at = lower(text).find(lower(literals[i]), from);
      if (at == std::string::npos) continue;
      if (!expected || at < expected->first) expected = {at, i};
    }
    ASSERT_EQ(found(LiteralSearch(literals, letters), text, from), expected) << text;
  }
}

}  // namespace
}  // namespace wright::tools
