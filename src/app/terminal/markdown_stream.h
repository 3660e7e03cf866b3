// Shows the Markdown of a model on a terminal while it comes: headings bold, code indented and in
// colours, bullets, tables, bold and italic words, links with their addresses, lines broken between
// words. Whatever else comes
// is shown as it is, made harmless. Pure: gives text, prints nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/terminal/code_colours.h"
#include "app/terminal/word_wrap.h"

namespace wright::app {

class MarkdownStream {
 public:
  // `columns` is how wide a line or a table may be.
  explicit MarkdownStream(std::size_t columns = 80) : columns_(columns), wrap_(columns) {}

  // The window has another width.
  void fit(std::size_t columns);

  // What can be shown now. Held back are a line whose kind is not clear yet, a word that has not
  // ended, and a span of bold text, code or a link that has not, none beyond the end of its line; a
  // line of code until it is whole; and a table until it has ended.
  std::string add(std::string_view text);

  // What was held back. What is added next is a new text.
  std::string finish();

 private:
  enum class LineKind : std::uint8_t { prose, heading, bullet, quote, rule, fence, code, table };
  enum class Extent : std::uint8_t { so_far, whole };

  std::string take(std::string_view text);
  std::optional<LineKind> kind_of_line(Extent extent) const;
  std::optional<LineKind> kind_in_code(std::string_view text, Extent extent) const;
  std::string show(Extent extent);
  std::string begin_line();
  bool is_wrapped() const;
  std::size_t hanging_indent() const;
  std::string end_table();
  void end_line();
  void pass_fence();

  std::string raw_;                  // the beginning of a character, or a carriage return
  std::string line_;                 // the current one, harmless
  std::size_t shown_ = 0;            // bytes of it
  std::optional<LineKind> kind_;     // once it is clear
  std::string_view style_;           // of the line
  std::string fence_;                // of the block of code that is open; empty outside of one
  std::optional<CodeColours> code_;  // of that block, where it has colours
  std::vector<std::string> table_;   // lines that may be one
  std::size_t columns_;
  WordWrap wrap_;
};

// A text that is there already.
std::string rendered_markdown(std::string_view text, std::size_t columns = 80);

}  // namespace wright::app
