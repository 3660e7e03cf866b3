// The contents of JSON strings.
#pragma once

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

}  // namespace wright
