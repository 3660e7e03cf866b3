// What the body of an answer is, and how it reads. Opens nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "net/web_url.h"
#include "wright/error.h"

namespace wright::tools {

enum class PageFormat : std::uint8_t { markdown, text, raw };

enum class ContentKind : std::uint8_t {
  html,
  text,
  unknown,  // to be seen from the bytes
  binary,
};

// By a Content-Type such as "text/html; charset=utf-8"; what is empty is unknown.
ContentKind kind_of_content(std::string_view content_type);

// "text/html" of "Text/HTML; charset=utf-8".
std::string declared_media_type(std::string_view content_type);

struct ReadPage {
  std::string title = {};
  std::string text = {};  // valid UTF-8
  std::string character_set = {};
  bool is_cut = false;
};

// Refuses bytes that are no text (`unsupported`), whatever the type says, and HTML that is built to
// take too much time or memory (`limit_reached`).
Result<ReadPage> read_page(std::string_view body, std::string_view content_type,
                           const net::WebUrl& url, PageFormat format);

}  // namespace wright::tools
