// What bytes are, by the first of them. Pure.
#pragma once

#include <string_view>

namespace wright {

// A guess by the first bytes: "image/png", or "application/octet-stream" when nothing is known.
std::string_view media_type(std::string_view start);

// The types that models are shown, for a person.
inline constexpr std::string_view kShownTypes =
    "PNG, JPEG, GIF and WebP images, PDF, WAV and MP3 files";

// What a model may be shown, by the first bytes: "image/png", "application/pdf", "audio/wav" and
// their kin. Empty for everything else, and for text that only begins like one of them.
std::string_view shown_type(std::string_view bytes);
// The same of what is in base64 and is said to be no text: only the start is looked at.
std::string_view shown_type_of_base64(std::string_view base64);

}  // namespace wright
