// An image from the person's clipboard, by the program that their desktop has for it.
#pragma once

#include <filesystem>
#include <string>

#include "app/settings/environment.h"
#include "wright/error.h"

namespace wright::app {

// The path of a new PNG file in `folder` that only the person can read. The error says what is
// missing: the program, or an image.
Result<std::string> image_from_clipboard(const Environment& environment,
                                         const std::filesystem::path& folder);

}  // namespace wright::app
