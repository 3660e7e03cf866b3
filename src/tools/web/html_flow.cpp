#include "tools/web/html_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace wright::tools {
namespace {

constexpr std::size_t kMostContainers = 8;
constexpr std::string_view kFence = "```";

std::size_t length_of_character(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
    ++length;
  return length;
}

bool is_blank(std::string_view character) {
  return character == " " || character == "\t" || character == "\n" || character == "\r" ||
         character == "\f" || character == "\xC2\xA0";  // U+00A0
}

// Characters that nobody sees: they only hide text from people, or turn its direction.
bool is_invisible(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  if (character.size() == 2)
    return character == "\xC2\xAD" || (first == 0xC2 && character < "\xC2\xA0");
  if (character.size() == 3) {
    return character == "\xEF\xBB\xBF" || character == "\xE2\x80\x8B" ||
           (character >= "\xE2\x80\xAA" && character <= "\xE2\x80\xAE") ||
           (character >= "\xE2\x81\xA0" && character <= "\xE2\x81\xA9");
  }
  return character >= "\xF3\xA0\x80\x80" && character <= "\xF3\xA0\x87\xAF";  // tags, selectors
}

}  // namespace

void HtmlFlow::text(std::string_view text) {
  while (!text.empty()) {
    const std::string_view next = text.substr(0, length_of_character(text));
    text.remove_prefix(next.size());
    if (preformatted_depth_ > 0) {
      preformatted_character(next);
    } else if (is_blank(next)) {
      wants_space_ = true;
    } else if (!is_invisible(next)) {
      character(next);
    }
  }
}

void HtmlFlow::character(std::string_view bytes) {
  make_ready();
  if (link_.depth > 0 && link_.begin == std::string::npos) link_.begin = text_.size();
  if (code_.depth > 0 && code_.begin == std::string::npos) code_.begin = text_.size();
  text_ += bytes;
}

void HtmlFlow::preformatted_character(std::string_view bytes) {
  const bool drops = std::exchange(drops_line_break_, false);
  if (bytes == "\r" || (drops && bytes == "\n")) return;
  if (is_invisible(bytes) && bytes != "\n" && bytes != "\t") return;
  if (!has_fence_ && is_blank(bytes) && bytes != " " && bytes != "\t") return;
  if (!has_fence_) {
    has_fence_ = true;
    make_ready();
    if (is_markdown()) text_ += fmt::format("{}\n{}", kFence, line_prefix());
  }
  if (breaks_ > 0) {
    breaks_ = 0;
    if (!text_.ends_with('\n')) text_ += "\n" + line_prefix();
  }
  text_ += bytes;
  if (bytes == "\n") text_ += line_prefix();
}

void HtmlFlow::line_break(int lines) {
  if (is_heading_ && lines == 1) {
    wants_space_ = true;
    return;
  }
  // What comes first in an item or a heading stands behind its mark.
  if (!item_marker_.empty() || !heading_marker_.empty()) return;
  breaks_ = std::max(breaks_, lines);
  wants_space_ = false;
}

void HtmlFlow::make_ready() {
  if (breaks_ == 0) {
    if (wants_space_) text_ += ' ';
    wants_space_ = false;
    return;
  }
  if (!text_.empty()) text_.append(static_cast<std::size_t>(breaks_), '\n');
  breaks_ = 0;
  wants_space_ = false;
  text_ += line_prefix();
  text_ += take_markers();
}

// The mark of an item stands where its text would otherwise begin.
std::string HtmlFlow::line_prefix() const {
  std::string prefix;
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    const bool is_of_item = i + 1 == containers_.size() && !item_marker_.empty();
    switch (containers_[i].kind) {
      case Container::quote: prefix += "> "; break;
      case Container::list: prefix += is_of_item ? "" : "  "; break;
      case Container::numbered_list: prefix += is_of_item ? "" : "   "; break;
    }
  }
  return prefix;
}

std::string HtmlFlow::take_markers() {
  std::string markers = item_marker_ + heading_marker_;
  item_marker_.clear();
  heading_marker_.clear();
  return markers;
}

void HtmlFlow::begin_container(Open open) {
  line_break(containers_.empty() ? 2 : 1);
  if (containers_.size() < kMostContainers) {
    containers_.push_back(open);
  } else {
    ++ignored_containers_;
  }
}

void HtmlFlow::end_container() {
  item_marker_.clear();
  if (ignored_containers_ > 0) {
    --ignored_containers_;
  } else if (!containers_.empty()) {
    containers_.pop_back();
  }
  line_break(containers_.empty() ? 2 : 1);
}

void HtmlFlow::begin_list() {
  item_marker_.clear();
  begin_container({Container::list, 0});
}

void HtmlFlow::begin_numbered_list(int first) {
  item_marker_.clear();
  begin_container({Container::numbered_list, first});
}

void HtmlFlow::begin_quote() {
  item_marker_.clear();
  begin_container({Container::quote, 0});
}

void HtmlFlow::begin_item() {
  item_marker_.clear();
  line_break(1);
  const bool is_numbered =
      !containers_.empty() && containers_.back().kind == Container::numbered_list;
  item_marker_ =
      is_numbered ? fmt::format("{}. ", containers_.back().next_number++) : std::string("- ");
}

void HtmlFlow::begin_definition() {
  line_break(1);
  if (is_markdown()) item_marker_ = ": ";
}

void HtmlFlow::begin_heading(int level) {
  heading_marker_.clear();
  line_break(2);
  is_heading_ = true;
  if (is_markdown()) heading_marker_ = std::string(static_cast<std::size_t>(level), '#') + " ";
}

void HtmlFlow::end_heading() {
  is_heading_ = false;
  heading_marker_.clear();
  line_break(2);
}

void HtmlFlow::begin_preformatted() {
  if (preformatted_depth_++ > 0) return;
  end_code();
  line_break(2);
  drops_line_break_ = true;
  has_fence_ = false;
}

void HtmlFlow::end_preformatted() {
  if (preformatted_depth_ == 0) return;
  --preformatted_depth_;
  if (preformatted_depth_ > 0) return;
  drops_line_break_ = false;
  if (std::exchange(has_fence_, false)) {
    // The last line break of the text is that before the closing fence.
    const std::string prefix = line_prefix();
    if (text_.ends_with("\n" + prefix)) text_.resize(text_.size() - prefix.size() - 1);
    if (is_markdown()) text_ += fmt::format("\n{}{}", prefix, kFence);
    breaks_ = 0;
  }
  line_break(2);
}

bool HtmlFlow::has_line_break_since(std::size_t begin) const {
  return std::string_view(text_).substr(begin).find('\n') != std::string_view::npos;
}

void HtmlFlow::begin_code() {
  if (!is_markdown() || preformatted_depth_ > 0) return;
  if (code_.depth++ == 0) code_.begin = std::string::npos;
}

void HtmlFlow::end_code() {
  if (code_.depth == 0) return;
  --code_.depth;
  if (code_.depth > 0) return;
  const std::size_t begin = std::exchange(code_.begin, std::string::npos);
  if (begin == std::string::npos || has_line_break_since(begin)) return;
  text_.insert(begin, 1, '`');
  if (link_.begin != std::string::npos && link_.begin > begin) ++link_.begin;
  text_ += '`';
}

void HtmlFlow::begin_link(std::string target) {
  end_link();
  if (!is_markdown() || target.empty() || preformatted_depth_ > 0) return;
  link_ = {.begin = std::string::npos, .depth = 1, .target = std::move(target)};
}

void HtmlFlow::end_link() {
  const Mark link = std::exchange(link_, {});
  if (link.depth == 0 || link.begin == std::string::npos) return;
  if (std::string_view(text_).substr(link.begin) == link.target) return;
  if (has_line_break_since(link.begin)) {
    text_ += fmt::format(" ({})", link.target);
    return;
  }
  text_.insert(link.begin, 1, '[');
  if (code_.begin != std::string::npos && code_.begin >= link.begin) ++code_.begin;
  text_ += fmt::format("]({})", link.target);
}

void HtmlFlow::rule() {
  line_break(2);
  if (!is_markdown()) return;
  make_ready();
  text_ += "---";
  line_break(2);
}

void HtmlFlow::lines(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    make_ready();
    text_ += lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    breaks_ = 1;
  }
}

std::string HtmlFlow::take() && {
  if (preformatted_depth_ > 0) preformatted_depth_ = 1;
  end_preformatted();
  if (code_.depth > 0) code_.depth = 1;
  end_code();
  end_link();
  const std::size_t end = text_.find_last_not_of(" \n");
  text_.resize(end == std::string::npos ? 0 : end + 1);
  return std::move(text_);
}

}  // namespace wright::tools
