// One wildcard pattern over paths, compiled: * ? [a-z] ** and backslash escapes. What a pattern is
// anchored to, braces and negation belong to those who use it (glob.h, gitignore.h).
//
// Matching takes time proportional to pattern times path, whatever the pattern.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"

namespace wright::tools {

enum class WildcardStyle : std::uint8_t {
  git,     // works on bytes; ** only means something as a whole component
  people,  // works on UTF-8 characters; ** likewise, and exactly two stars
};

class Wildcard {
 public:
  // Refuses an open bracket, an unknown [:class:] and a backslash at the end.
  static Result<Wildcard> compile(std::string_view pattern, WildcardStyle style);

  bool matches(std::string_view path) const;

 private:
  enum class Kind : std::uint8_t {
    byte,            // this one
    any,             // one byte, no slash
    set,             // one byte out of a set
    star,            // any bytes but slashes
    deep_star,       // any bytes
    folders,         // nothing, or anything that ends in a slash; stands before inside_folders
    inside_folders,  // within such a folder's name
    tail_bytes,      // the rest of a UTF-8 character
  };
  struct Token {
    Kind kind;
    std::uint8_t byte = 0;
    std::uint16_t set = 0;
  };
  using Set = std::bitset<256>;

  class Compiler;
  class Simulation;

  std::string prefix_;  // what every match begins with
  std::string suffix_;  // and ends with
  std::vector<Token> tokens_;
  std::vector<Set> sets_;
  WildcardStyle style_ = WildcardStyle::git;
};

}  // namespace wright::tools
