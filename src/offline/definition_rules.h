// What a definition looks like, language by language: data for definitions.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "offline/languages.h"

namespace wright::offline {

enum class LineRole : std::uint8_t {
  definition,
  declaration,  // a prototype, a forward declaration, an extern
  callable,     // a function; whether it has a body is to be seen from what follows
  assignment,   // a variable that is given a value inside some block
  constant,     // perhaps an enum constant; only what stands around it can tell
  typedef_end,  // "} name;": a type or a variable, depending on how the brace was opened
  use,
};

struct Rule {
  Family family;
  LineRole role;
  int score;  // how surely this is what somebody who asks for the name wants to see
  std::string_view what;
  std::string_view pattern;  // RE2; NAME stands for the name, in its first group
};

// In order; the first rule of a file's family that matches a line decides.
std::span<const Rule> definition_rules();

// Two patterns that together find every line a rule may call a definition, in any language: the
// first those that hardly ever are anything else, the second the rest. NAME stands for the name.
std::string_view likely_definitions();
std::string_view possible_definitions();

// A narrower one, for names so common that the others find too much.
std::string_view surest_definitions();

}  // namespace wright::offline
