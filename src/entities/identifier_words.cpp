#include "entities/identifier_words.h"

#include <algorithm>

#include "core/text.h"

namespace wright::entities {
namespace {

enum class Letter : unsigned char { other, lower, upper, digit };

Letter kind_of(char c) {
  if (c >= 'a' && c <= 'z') return Letter::lower;
  if (c >= 'A' && c <= 'Z') return Letter::upper;
  if (c >= '0' && c <= '9') return Letter::digit;
  return static_cast<unsigned char>(c) >= 0x80 ? Letter::lower : Letter::other;
}

// Calls `take` with each word, still in its own case.
template <class Take>
void for_each_word(std::string_view text, Take take) {
  std::size_t start = 0;
  const auto end_word = [&](std::size_t end) {
    if (end > start) take(text.substr(start, end - start));
    start = end;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Letter now = kind_of(text[i]);
    if (now == Letter::other) {
      end_word(i);
      start = i + 1;
      continue;
    }
    if (i == start) continue;
    const Letter before = kind_of(text[i - 1]);
    const bool next_is_lower = i + 1 < text.size() && kind_of(text[i + 1]) == Letter::lower;
    const bool starts_capital =
        now == Letter::upper &&
        (before == Letter::lower || (before == Letter::upper && next_is_lower));
    const bool changes_digits = (now == Letter::digit) != (before == Letter::digit);
    if (starts_capital || changes_digits) end_word(i);
  }
  end_word(text.size());
}

}  // namespace

std::vector<std::string> identifier_words(std::string_view text) {
  std::vector<std::string> words;
  for_each_word(text, [&](std::string_view word) {
    std::string made(word);
    std::ranges::transform(made, made.begin(), to_lower);
    words.push_back(std::move(made));
  });
  return words;
}

std::string searchable_text(std::string_view text) {
  std::string made;
  made.reserve(text.size() + 8);
  for_each_word(text, [&](std::string_view word) {
    if (!made.empty()) made += ' ';
    for (const char c : word) made += to_lower(c);
  });
  return made;
}

}  // namespace wright::entities
