// The table of question recognisers: which wording means which topic.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <span>
#include <string>

#include "offline/question.h"

namespace wright::offline {

// What the subject of a match must look like for the recogniser to hold.
enum class Needs : std::uint8_t {
  nothing,
  subject,    // any subject at all
  file,       // a file name
  name,       // one identifier, or something quoted
  code_name,  // a name that cannot be an ordinary word, or is quoted, or called a function, …
  quoted,
  glob,
  folder,
  file_type,
};

// Whether "… in src/net" at the end of the question is cut off before matching.
enum class Scope : std::uint8_t { split, keep };

struct Recogniser {
  Topic topic;
  Needs needs;
  Scope scope;
  std::string qualifier;
  // Named groups: subject, qualifier, type, path.
  std::unique_ptr<RE2> pattern;
};

// In the order in which they are tried; the first that holds wins.
std::span<const Recogniser> recognisers();

}  // namespace wright::offline
