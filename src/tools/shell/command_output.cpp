#include "tools/shell/command_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tools/output/output_budget.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

// The end of `text` in at most `most` bytes, not starting inside of a character.
std::string_view utf8_suffix(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  text.remove_prefix(text.size() - most);
  constexpr std::size_t kLongestRest = 3;
  std::size_t cut = 0;
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  while (cut < std::min(kLongestRest, text.size()) && continues(cut)) ++cut;
  // That many are no rest of a character but bytes that are no text.
  if (cut < text.size() && cut == kLongestRest && continues(cut)) cut = 0;
  return text.substr(cut);
}

// Text with longer ones has no words.
constexpr std::size_t kLongestWord = 512;
constexpr std::string_view kBreaks = " \t\r\n";

// The end of `text` in at most `most` bytes, beginning with a whole word.
std::string_view suffix_of_words(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::string_view end = utf8_suffix(text, most);
  const std::size_t blank = end.find_first_of(kBreaks);
  return blank < kLongestWord ? end.substr(blank + 1) : end;
}

std::string start_and_end(const CapturedOutput& output, std::size_t kept) {
  const std::string_view head = prefix_of_words(output.head, kept / 2);
  const std::string_view tail =
      suffix_of_words(output.tail.empty() ? output.head : output.tail, kept / 2);
  return fmt::format("{}\n[… {} of {} bytes are left out …]\n{}", to_valid_utf8(std::string(head)),
                     output.total_bytes - head.size() - tail.size(), output.total_bytes,
                     to_valid_utf8(std::string(tail)));
}

}  // namespace

std::string_view prefix_of_words(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::string_view begin = utf8_prefix(text, most);
  const std::size_t blank = begin.find_last_of(kBreaks);
  const bool is_near = blank != std::string_view::npos && begin.size() - blank <= kLongestWord;
  return is_near ? begin.substr(0, blank + 1) : begin;
}

std::string shown_output(const CapturedOutput& output, std::size_t budget) {
  if (output.omitted_bytes() == 0) {
    std::string whole = to_valid_utf8(output.head);
    if (json_size(whole) <= budget) return whole;
  }
  // Control characters and what is no UTF-8 take several bytes each.
  std::size_t kept = std::min<std::size_t>(budget, output.head.size() + output.tail.size());
  while (kept > 0) {
    std::string text = start_and_end(output, kept);
    if (json_size(text) <= budget) return text;
    kept = kept * 2 / 3;
  }
  return {};
}

}  // namespace wright::tools
