// The contents of JSON strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wright {

enum class EscapeDelete : std::uint8_t {
  no,   // as JSON requires
  yes,  // U+007F too, for what may be shown on a terminal
};

// Appends `text` with escapes and without quotation marks. The text may be anything: what is not
// UTF-8 is repaired.
void append_escaped(std::string& out, std::string_view text, EscapeDelete escape_delete);

// For those who have their own memory. Whether a text is ASCII without anything to escape:
bool is_plain_in_json(std::string_view text);
// Writes valid UTF-8 with escapes, and returns where it ends. There is room for kLongestEscape
// bytes of each byte.
inline constexpr std::size_t kLongestEscape = 6;  // \u001f
char* write_escaped(char* to, std::string_view text, EscapeDelete escape_delete);

}  // namespace wright
