// Feeds the reader of pages with bytes. Whatever they are: no crash, no hang, valid UTF-8 within
// the limit, and nothing in it that a terminal would obey.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/text/character_set.h"
#include "tools/web/html_text.h"
#include "wright/json.h"

namespace {

void check(std::string_view text) {
  if (!wright::is_valid_utf8(text)) std::abort();
  const bool has_control = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'; });
  if (has_control) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wright::tools;
  constexpr std::size_t kLimit = 10'000;
  constexpr std::size_t kLongestTarget = 2000;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  const DecodedText page = decoded_text(bytes, html_character_set(bytes));
  if (!wright::is_valid_utf8(page.text)) std::abort();
  for (const HtmlStyle style : {HtmlStyle::markdown, HtmlStyle::text}) {
    const auto page_read = read_html(
        page.text, {.style = style,
                    .resolve = [](std::string_view href, LinkRole) { return std::string(href); },
                    .max_bytes = kLimit});
    if (!page_read) {
      if (page_read.error().code != wright::ErrorCode::limit_reached) std::abort();
      continue;
    }
    const HtmlPage& read = *page_read;
    check(read.title);
    check(read.text);
    // One token may go over the limit, and what is still open is closed behind it.
    if (!read.is_cut && read.text.size() > 40 * (page.text.size() + kLimit)) std::abort();
    if (read.is_cut && read.text.size() > 10 * (page.text.size() + kLimit + kLongestTarget))
      std::abort();
  }
  return 0;
}
