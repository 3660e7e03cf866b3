// Patterns for single words: * stands for any characters, ? for one.
#pragma once

#include <string>
#include <string_view>

namespace wright::sandbox {

class WordGlob {
 public:
  explicit WordGlob(std::string pattern) : pattern_(std::move(pattern)) {}

  const std::string& text() const { return pattern_; }
  // Stands for any number of words.
  bool is_any_words() const { return pattern_ == "*"; }

  bool matches(std::string_view word) const;
  // Whether every word with this start matches.
  bool matches_all_after(std::string_view start) const {
    return pattern_.ends_with('*') && matches(start);
  }
  // Whether some word with this start matches.
  bool matches_some_after(std::string_view start) const;

 private:
  std::string pattern_;
};

}  // namespace wright::sandbox
