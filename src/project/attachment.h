// An image or a file that a person hands an agent with a message.
#pragma once

#include <filesystem>
#include <string>

#include "wright/message.h"

namespace wright::project {

// A regular file of a kind that models are shown (core/media_type.h) below `inside`, wherever links
// lead; empty: anywhere. Refused where it is none or too large for a message.
Result<Image> read_attachment(const std::filesystem::path& file,
                              const std::filesystem::path& inside = {});

// "image/png, 34 kB"
std::string described(const Image& image);

}  // namespace wright::project
