// What is asked, as a value. Understanding is a short table of sentences that are matched whole, so
// that no word of a question is passed over; it looks at nothing but the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wright::offline {

enum class Topic : std::uint8_t {
  capabilities,      // who are you, what can you do
  set,               // how many, the largest, those with …: see entity_prompt.h
  definition,        // where is `subject` defined, what does it do
  usage,             // where is `subject` used
  members,           // which `qualifier` (methods, fields, …) has `subject`
  subclasses,        // what inherits from `subject`
  search,            // lines that contain `subject`
  containing_files,  // files that contain `subject`
  find_files,        // files whose name matches `subject`
  file,              // what does the file `subject` do; with "show", its text
  folder,            // what is in `path`
  project,           // what is all this
  how_to,            // how do I `qualifier` (build, install, run, test) it
  entry_points,
  dependencies,
  packages,
  flags,
  todos,
  licence,
  unknown,
};

std::string_view to_string(Topic topic);

struct ParsedPrompt {
  Topic topic = Topic::unknown;
  std::string subject;          // a name, a phrase, a glob or a file
  bool is_quoted = false;       // the subject stood in quotes or backticks
  std::string qualifier;        // "struct" in "struct stat"; see Topic for other uses
  std::string visibility = {};  // "private", of members
  std::string path;             // the folder or file that the question is limited to
  int first_line = 0;           // of a file; 0 when not asked for
  int last_line = 0;
  std::string prompt;  // what was understood, shortened, valid UTF-8

  bool operator==(const ParsedPrompt&) const = default;
};

// Never fails: what is not recognised has the topic `unknown`.
ParsedPrompt understand(std::string_view prompt);

// A prompt that asks several things, "What is this, and where is X defined?", as its questions, at
// most three; one question otherwise.
std::vector<ParsedPrompt> understand_all(std::string_view prompt);

// A question about "it" or "that" takes its subject from the question before.
ParsedPrompt with_subject_of(ParsedPrompt question, const ParsedPrompt& earlier);

}  // namespace wright::offline
