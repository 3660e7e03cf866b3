// Prints the text of a model on standard output as it comes, as it is or with its Markdown shown.
// It shares the terminal with the progress, which stands still meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/terminal/console.h"
#include "app/terminal/markdown_stream.h"
#include "app/terminal/progress.h"

namespace wright::app {

enum class AnswerText : std::uint8_t { as_it_is, rendered };

class AnswerStream {
 public:
  // `progress` may be null.
  AnswerStream(Console& console, Progress* progress, AnswerText text = AnswerText::as_it_is)
      : console_(console), progress_(progress) {
    if (text == AnswerText::rendered) markdown_.emplace(console.output().columns);
  }

  void observe(const Event& event);

  // Ends a text that broke off.
  void close();

  // Whether the last answer of the model has been printed whole.
  bool has_printed_answer() const { return has_printed_answer_; }

 private:
  void print(std::string_view text);
  void show_remark();
  void end_text();
  void show(std::string_view text);

  Console& console_;
  Progress* progress_;
  std::optional<MarkdownStream> markdown_;
  std::string remark_;  // what was said of one that goes on
  bool is_printing_ = false;
  bool is_at_line_start_ = true;
  bool has_printed_answer_ = false;
};

}  // namespace wright::app
