// Writes answers as plain Markdown: bounded, with file:line references, honest about what was cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "offline/source_text.h"

namespace wright::offline {

// An inline code span, on one line and not too long.
std::string code_span(std::string_view text);

// The text with its control characters, but for line ends and tabs, as visible signs.
std::string visible(std::string_view text);

// "src/a.c:12"
std::string place(std::string_view path, int line);

// "1 file", "1,204 files"
std::string counted(std::int64_t count, std::string_view singular, std::string_view plural);
std::string with_separators(std::int64_t number);

// "12.3 KB"
std::string human_size(std::int64_t bytes);

// One line of at most `longest` bytes, ending in "…" when it was cut.
std::string shortened(std::string_view text, std::size_t longest);

// Lines [first, last] of a window as a fenced block with line numbers; the rest is counted when
// there are more than `most_lines`.
std::string excerpt(const Window& window, std::size_t first, std::size_t last,
                    std::size_t most_lines);

// Text in paragraphs, list items and blocks, in the order in which they are added.
class AnswerText {
 public:
  AnswerText& paragraph(std::string_view text);
  AnswerText& heading(std::string_view text);
  AnswerText& item(std::string_view text);
  AnswerText& block(std::string_view text);  // already laid out

  // At most `most` items, then how many were left out.
  AnswerText& items(const std::vector<std::string>& items, std::size_t most, std::string_view noun);

  bool is_empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  enum class Last : std::uint8_t { nothing, item, other };
  void separate(Last next);

  std::string text_;
  Last last_ = Last::nothing;
};

}  // namespace wright::offline
