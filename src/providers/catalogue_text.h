// The text of catalogue.toml, which the build embeds in the program.
#pragma once

#include <string_view>

namespace wright::providers {

extern const std::string_view kCatalogueText;

}  // namespace wright::providers
