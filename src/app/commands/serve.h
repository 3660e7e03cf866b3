// What the commands about the server share.
#pragma once

#include <filesystem>

#include "app/settings/environment.h"

namespace wright::app {

// Where hashes of tokens are kept. Empty without a home folder.
std::filesystem::path tokens_file(const Environment& environment);

}  // namespace wright::app
