// The head of a Markdown file: lines of `key: value` between two lines of dashes. The part of YAML
// that such files use, read forgivingly: a colon in a value needs no quotes. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::project {

struct FrontMatter {
  // Members of a nested map as "metadata.author".
  std::map<std::string, std::string, std::less<>> values = {};
  std::string body = {};  // what follows the head

  std::string value(std::string_view key) const;  // empty: there is none
};

// A text without a head is all body. Refused where the head does not end.
Result<FrontMatter> parse_front_matter(std::string_view text);

}  // namespace wright::project
