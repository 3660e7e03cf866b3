// Text as it flows down a page, or down one cell of a table: blanks collapsed, line breaks, the
// marks of lists, quotes, code and links. Knows nothing about tags.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/web/html_text.h"

namespace wright::tools {

class HtmlFlow {
 public:
  explicit HtmlFlow(HtmlStyle style) : style_(style) {}

  void text(std::string_view text);

  // At least so many line breaks before what comes next.
  void line_break(int lines);

  void begin_list();
  void begin_numbered_list(int first);
  void begin_item();
  void begin_definition();
  void begin_quote();
  void end_container();  // the last list or quote
  void begin_heading(int level);
  void end_heading();
  void begin_preformatted();
  void end_preformatted();
  void begin_code();
  void end_code();
  void begin_link(std::string target);
  void end_link();
  void rule();

  // Lines that are there already, each on a line of its own.
  void lines(std::string_view lines);

  std::size_t size() const { return text_.size(); }

  // Everything that is still open ends.
  std::string take() &&;

 private:
  enum class Container : std::uint8_t { list, numbered_list, quote };
  struct Open {
    Container kind;
    int next_number;
  };
  struct Mark {
    std::size_t begin = std::string::npos;  // of the text inside; npos: none yet
    int depth = 0;
    std::string target = {};
  };

  bool is_markdown() const { return style_ == HtmlStyle::markdown; }
  void begin_container(Open open);
  // The line goes on, or a new one begins with what belongs in front of it.
  void make_ready();
  void character(std::string_view bytes);
  void preformatted_character(std::string_view bytes);
  std::string line_prefix() const;
  std::string take_markers();
  bool has_line_break_since(std::size_t begin) const;

  HtmlStyle style_;
  std::string text_;
  std::vector<Open> containers_;
  int ignored_containers_ = 0;
  int breaks_ = 1;  // the first line is a new one
  bool wants_space_ = false;
  std::string item_marker_;
  std::string heading_marker_;
  bool is_heading_ = false;
  int preformatted_depth_ = 0;
  bool has_fence_ = false;
  bool drops_line_break_ = false;  // the first in preformatted text
  Mark code_;
  Mark link_;
};

}  // namespace wright::tools
