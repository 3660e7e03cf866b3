// The files that a word with `*`, `?`, `[` or braces stands for. Who wrote the word, and what lies
// in the folders, may want this never to end: all of it is paid for from an allowance.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wright::project {

// How much may still be looked at, in bytes of names.
class Allowance {
 public:
  explicit Allowance(std::size_t bytes) : left_(bytes) {}

  // Whether there was enough left for one more name of that length.
  [[nodiscard]] bool covers(std::size_t bytes) {
    constexpr std::size_t kEach = 32;  // what looking costs, however short the name is
    const std::size_t cost = bytes + kEach;
    if (cost > left_) left_ = 0;
    if (left_ == 0) return false;
    left_ -= cost;
    return true;
  }

 private:
  std::size_t left_;
};

// The words that a shell makes of one with braces; of `{1..9}` one with a `*` in its place. Nothing
// when they are too many.
std::optional<std::vector<std::string>> without_braces(const std::string& word,
                                                       Allowance& allowance);

// Of a word without braces, below `place`: what is there of a pattern, or else the word itself,
// whether that is there or not. Nothing when there is too much to look at.
std::optional<std::vector<std::filesystem::path>> paths_like(const std::filesystem::path& place,
                                                             const std::string& word,
                                                             Allowance& allowance);

}  // namespace wright::project
