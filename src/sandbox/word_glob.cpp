#include "sandbox/word_glob.h"

#include <algorithm>
#include <vector>

namespace wright::sandbox {

bool WordGlob::matches(std::string_view word) const {
  // Goes back to the last star only, so it takes at most pattern × word steps.
  std::size_t p = 0;
  std::size_t w = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_word = 0;
  while (w < word.size()) {
    if (p < pattern_.size() && pattern_[p] == '*') {
      star = p++;
      star_word = w;
    } else if (p < pattern_.size() && (pattern_[p] == '?' || pattern_[p] == word[w])) {
      ++p;
      ++w;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      w = ++star_word;
    } else {
      return false;
    }
  }
  while (p < pattern_.size() && pattern_[p] == '*') ++p;
  return p == pattern_.size();
}

bool WordGlob::matches_some_after(std::string_view start) const {
  // Some word with this start matches when a first part of the pattern matches the start: the rest
  // of the pattern always matches something. Before the first star there is only one such part.
  const std::size_t star = std::min(pattern_.find('*'), pattern_.size());
  const std::size_t fixed = std::min(star, start.size());
  for (std::size_t i = 0; i < fixed; ++i) {
    if (pattern_[i] != '?' && pattern_[i] != start[i]) return false;
  }
  return start.size() <= star || star < pattern_.size();
}

}  // namespace wright::sandbox
