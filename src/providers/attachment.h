// What a message can carry beside text: images, and the other files that vendors read. A file is an
// Image with another media type.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wright/provider.h"

namespace wright::providers {

enum class Attachment : std::uint8_t { image, pdf, audio, other };

Attachment attachment_kind(const Image& image);

// "wav" or "mp3", of audio.
std::string_view audio_format(const Image& image);

inline constexpr std::string_view kPdfName = "document.pdf";

// Fails for a file that the endpoint's protocol has no form for.
Result<void> check_attachment(const Endpoint& endpoint, const Image& image);
bool is_picture(const Image& image);

}  // namespace wright::providers
