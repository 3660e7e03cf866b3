// The sentences that the offline planner understands about a project and its files.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "offline/parsed_prompt.h"

namespace wright::offline {

// What the subject of a match must look like for a sentence to hold.
enum class Needs : std::uint8_t {
  nothing,
  text,       // anything
  name,       // one identifier, or something quoted
  code_name,  // a name that cannot be an ordinary word, or is quoted, or called a function, …
  phrase,     // a name, or a few plain words
  quoted,
  file,
  glob,
  folder,
};

struct Sentence {
  Topic topic;
  Needs needs;
  const char* pattern;  // matched whole, in any case; groups: subject, qualifier, visibility
  const char* qualifier = "";
};

// Parts of their patterns: "this project" and "folder", in all the words for them.
extern const std::string_view kProjectPattern;
extern const std::string_view kFolderPattern;

// In the order in which they are tried; the first that holds wins.
std::span<const Sentence> prompt_sentences();

// Of one of them. Compiled when it is asked for the first time: most prompts are understood after a
// few, and all of them take longer than the rest of a short run.
const RE2& pattern_of(const Sentence& sentence);

}  // namespace wright::offline
