// What is asked, as a value. Understanding is a table of recognisers over ordinary English; it
// looks at nothing but the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wright::offline {

enum class Topic : std::uint8_t {
  capabilities,       // who are you, what can you do
  definition,         // where is `subject` defined
  usage,              // where is `subject` used
  symbol,             // what does `subject`, a name in code, do
  search,             // lines that contain `subject`
  list,               // what is in `path`
  find_files,         // files whose name matches `subject`, or of `file_type`
  containing_files,   // files that contain `subject`
  ranked_files,       // `qualifier`: largest, smallest, newest or oldest
  count_files,        // of `file_type`, named `subject`
  count_lines,        // of `file_type`, or of the file `subject`
  count_definitions,  // `qualifier`: functions, classes, …
  count_occurrences,  // of `subject`
  file,               // what does the file `subject` do
  project,            // what is all this
  entry_points,
  dependencies,
  todos,
  tests,
  licence,
  idea,  // where or how is `subject`, a phrase, dealt with
  unknown,
};

std::string_view to_string(Topic topic);

struct Question {
  Topic topic = Topic::unknown;
  std::string subject;     // a name, a phrase, a glob or a file
  bool is_quoted = false;  // the subject stood in quotes or backticks
  std::string qualifier;   // "struct" in "struct stat"; see Topic for other uses
  std::string file_type;   // "python", ".h": see globs_for_type() in languages.h
  std::string path;        // the folder or file that the question is limited to
  int first_line = 0;      // of a file; 0 when not asked for
  int last_line = 0;
  std::string prompt;  // what was understood, shortened, valid UTF-8

  bool operator==(const Question&) const = default;
};

// Never fails: what is not recognised has the topic `idea` (a question about something) or
// `unknown`.
Question understand(std::string_view prompt);

// A prompt that asks several things, "What is this, and where is X defined?", as its questions, at
// most three; one question otherwise.
std::vector<Question> understand_all(std::string_view prompt);

// A question about "it" or "that" takes its subject from the question before.
Question with_subject_of(Question question, const Question& earlier);

}  // namespace wright::offline
