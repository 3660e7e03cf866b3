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

std::string start_and_end(const CapturedOutput& output, std::size_t kept) {
  const std::string_view head = utf8_prefix(output.head, kept / 2);
  const std::string_view tail =
      utf8_suffix(output.tail.empty() ? output.head : output.tail, kept / 2);
  return fmt::format("{}\n[… {} of {} bytes are left out …]\n{}", to_valid_utf8(std::string(head)),
                     output.total_bytes - head.size() - tail.size(), output.total_bytes,
                     to_valid_utf8(std::string(tail)));
}

}  // namespace

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
