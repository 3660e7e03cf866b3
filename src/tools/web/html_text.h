// From HTML to text that a model reads: headings, links, lists, code and tables as in Markdown;
// scripts, styles and what a browser hides left out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::tools {

enum class HtmlStyle : std::uint8_t {
  markdown,
  text,  // without marks for headings and code, and without where links lead
};

enum class LinkRole : std::uint8_t {
  link,
  base,  // of <base href>: what later links are relative to
};

// Of reading a page. One that needs more is read in part, or not at all.
struct HtmlLimits {
  std::size_t memory = std::size_t{256} << 20U;
  std::chrono::milliseconds time{5'000};
};

struct HtmlOptions {
  HtmlStyle style = HtmlStyle::markdown;
  // Where a link leads, for the reader; empty when that is not worth a mention. Without a function,
  // links are only text.
  std::function<std::string(std::string_view href, LinkRole role)> resolve = {};
  std::size_t max_bytes = 16 * 1024 * 1024;  // of the text
  HtmlLimits limits = {};
};

struct HtmlPage {
  std::string title = {};  // on one line
  std::string text = {};
  bool is_cut = false;
};

// `html` is valid UTF-8, and so is the answer. Reads at most 8 MB of it. Fails only for a page that
// is built to take more time or memory than the limits allow, even in part.
Result<HtmlPage> read_html(std::string_view html, const HtmlOptions& options);

// The character set that a page names in its first bytes; empty when it names none.
std::string html_character_set(std::string_view bytes);

}  // namespace wright::tools
