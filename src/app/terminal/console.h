// Where commands print: results on standard output, everything else on standard error.
//
// A reader that goes away (`wright sessions | head`) ends the output quietly; a disk that is full
// is reported. Commands just print, and main asks finish() for the exit code.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "app/terminal/exit_code.h"
#include "app/terminal/terminal.h"
#include "wright/error.h"

namespace wright::app {

class Console {
 public:
  Console(int output, int error, const Environment& environment);

  const Terminal& output() const { return output_; }
  const Terminal& error() const { return error_; }

  // Standard output: exactly these bytes, but a terminal gets only what is safe to show.
  void print(std::string_view text);
  // JSON text, which says the same to a terminal by escapes.
  void print_json(std::string_view json);
  // A table or a list that fits the terminal; elsewhere exactly these bytes.
  void print_fitted(std::string_view text);
  // Text that a tool, a model or a user wrote: made harmless when a terminal would obey it.
  void print_foreign(std::string_view text);

  // Standard error: on a terminal what is safe to show, and elsewhere nothing that would drive one
  // later, when somebody looks at a log. A failure to write there has nobody to be told to.
  void note(std::string_view text);

  // From now on as screen readers have it; see plain() of terminal.h.
  void speak_plainly();

  // How a person learns that they are waited for: "bell", "osc9", "off", or a command.
  void notify_by(std::string way) { notify_ = std::move(way); }
  // Tells them, by the terminal behind standard error or by the command, which is not waited for.
  void notify(std::string_view words);

  // A sentence of its own behind two spaces, on as many rows as it needs.
  void remark(std::string_view sentence);

  // "wright: message", and what to do about it when there is something.
  void complain(std::string_view message, std::string_view advice = {});

  // The exit code of a command that ended with `code`, given what became of its output.
  ExitCode finish(ExitCode code);

 private:
  int output_descriptor_;
  int error_descriptor_;
  Terminal output_;
  Terminal error_;
  std::string notify_ = "bell";
  const bool is_in_tmux_;
  int output_errno_ = 0;  // why standard output stopped working
};

}  // namespace wright::app
