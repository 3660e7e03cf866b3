// Prints the text of a model on standard output as it comes. It shares the terminal with the
// progress, which stands still meanwhile.
#pragma once

#include <string_view>

#include "app/console.h"
#include "app/progress.h"

namespace wright::app {

class AnswerStream {
 public:
  // `progress` may be null.
  AnswerStream(Console& console, Progress* progress) : console_(console), progress_(progress) {}

  void observe(const Event& event);

  // Whether the last answer of the model has been printed whole.
  bool has_printed_answer() const { return has_printed_answer_; }

 private:
  void print(std::string_view text);
  void end_text();

  Console& console_;
  Progress* progress_;
  bool is_printing_ = false;
  bool is_at_line_start_ = true;
  bool has_printed_answer_ = false;
};

}  // namespace wright::app
