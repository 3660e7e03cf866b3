// Which words of a command follow a program that runs files: `bash -e -o pipefail tools/check`.
// Rather too many than too few, as far as names tell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wright::project {

// Goes along the words of a command and tells which of them may be the file that is run: behind
// interpreters of any version (python3.11), and behind an option that says so (`make -f check`).
// What only starts another program (timeout, nice) starts one of these, or a file that can be
// executed, which its own mode tells.
class RunWords {
 public:
  // Whether the word that comes now may be run, whatever the file looks like.
  bool may_run(std::string_view word) const;
  // Whether none before it was one, so that it is run if it names a file at all.
  bool is_the_one(std::string_view word) const;
  // The interpreter that may run it, without its version; empty where none does.
  const std::string& interpreter() const { return interpreter_; }
  // It has gone by, and was the name of a file or not. After an empty one all begins anew.
  void pass(std::string_view word, bool is_file);

 private:
  enum class Expected : std::uint8_t { nothing, file, file_of_option };

  Expected expected_ = Expected::nothing;
  std::string interpreter_ = {};
  int words_ = 0;  // that have gone by since
  bool has_met_file_ = false;
  bool is_behind_option_ = false;
  bool is_behind_file_option_ = false;
};

// Whether an interpreter reads its program from another command: `cat tools/check | bash -s`.
bool pipes_into_interpreter(std::string_view command);

// Whether a variable stands in the word of which the command alone tells what it is.
bool has_variable(std::string_view word);

}  // namespace wright::project
