// What stands behind @ in a message: a file or a folder of the person's, which goes to the agent
// with the message. Reads, and changes nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings/environment.h"
#include "wright/message.h"
#include "wright/sandbox.h"

namespace wright::app {

struct Mentions {
  std::string text = {};                   // the message, with what it mentions below it
  std::vector<Image> images = {};          // and files that are no text
  std::vector<std::string> notes = {};     // a line each: what goes along beside the words
  std::vector<std::string> problems = {};  // a sentence each: what is not in it, and why
};

struct MentionRules {
  // Where mentions count, where not all of the message is the person's own words: what a file of a
  // project says sends no files along.
  std::optional<std::string> typed = {};
  // What tools may not read does not go along either (SandboxPolicy::unreadable).
  std::vector<std::string> unreadable = usual_secrets();
  // A person at a terminal drops or pastes the path of an image, wherever it lies.
  bool takes_pasted_images = false;
};

// Only what lies below the base goes along, and nothing of a .git. A mention is @ and a path, at
// the beginning or behind a blank; one with blanks stands in quotes:
// @"my file". What names nothing stays a word. Images, PDF and audio files go along as they are.
Mentions with_mentions(std::string_view message, const std::filesystem::path& base,
                       const Environment& environment, const MentionRules& rules = {});

// The lines that `typed` may become when its last word is the beginning of a mention.
std::vector<std::string> mentions_beginning_with(std::string_view typed,
                                                 const std::filesystem::path& base);

}  // namespace wright::app
