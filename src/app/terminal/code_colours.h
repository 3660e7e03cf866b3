// Colours for the code in a block of Markdown: comments dim, strings green, keywords cyan. It knows
// words and marks, no grammar; what goes on over lines (block comments, docstrings, here-documents)
// is carried from line to line. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wright::app {

class CodeColours {
 public:
  // For a block in that language ("cpp", "python", …), from its first line on. Nothing for one that
  // is not coloured.
  static std::optional<CodeColours> of(std::string_view language);

  // The next line, which is harmless already, with colours of a terminal.
  std::string line(std::string_view text);

 private:
  explicit CodeColours(std::string language) : language_(std::move(language)) {}

  // What a line has begun and not ended.
  struct Open {
    std::string end = {};
    std::string_view style = {};
    bool has_escapes = false;      // a backslash takes the end's meaning away
    bool is_whole_line = false;    // a here-document: its end stands alone
    bool may_be_indented = false;  // by tabs
  };
  std::string rest_of_open(std::string_view& line);
  // A block, or a here-document below the line, that begins here: its length, or 0.
  std::size_t begin_block(std::string_view line);
  std::size_t begin_document(std::string_view line);

  std::string language_;
  std::optional<Open> open_;
  std::optional<Open> below_;  // begins with the next line
};

}  // namespace wright::app
