// JSON objects and arrays that stand between other words, as in the output of a program that also
// says what it does.
#pragma once

#include <string_view>
#include <vector>

#include "wright/json.h"

namespace wright::project {

struct JsonInWords {
  Json value = {};
  std::string_view written = {};
  bool is_at_end = false;      // nothing but JSON follows
  bool has_own_lines = false;  // nothing else stands on its first line and its last
};

// Without those inside of others. What does not parse is words.
std::vector<JsonInWords> json_in_words(std::string_view text);

}  // namespace wright::project
