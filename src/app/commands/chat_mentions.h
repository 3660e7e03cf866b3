// What stands behind @ in a message: a file or a folder of the person's, which goes to the agent
// with the message. Reads, and changes nothing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings/environment.h"

namespace wright::app {

struct Mentions {
  std::string text = {};                   // the message, with what it mentions below it
  std::vector<std::string> problems = {};  // a sentence each: what is not in it, and why
};

// Only what lies below the base goes along. A mention is @ and a path, at the beginning or behind a
// blank; one with blanks stands in quotes:
// @"my file". What names nothing stays a word.
Mentions with_mentions(std::string_view message, const std::filesystem::path& base,
                       const Environment& environment);

// The lines that `typed` may become when its last word is the beginning of a mention.
std::vector<std::string> mentions_beginning_with(std::string_view typed,
                                                 const std::filesystem::path& base);

}  // namespace wright::app
