// From the bytes of a page to UTF-8, by what the server, the page or the bytes themselves say about
// their character set. Never fails: what cannot be read becomes U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wright::tools {

// Appends the character as UTF-8; U+FFFD for what is no character.
void append_utf8(std::string& text, std::uint32_t code_point);

struct DecodedText {
  std::string text;           // valid UTF-8
  std::string character_set;  // "utf-8", "windows-1252", …: the one that was used
};

// A byte order mark counts first, then `declared` if it is known, then UTF-8 where the bytes are
// that, then windows-1252.
DecodedText decoded_text(std::string_view bytes, std::string_view declared);

}  // namespace wright::tools
