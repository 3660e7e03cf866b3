// Percent encoding of URLs (RFC 3986).
#pragma once

#include <string>
#include <string_view>

namespace wright::providers {

// Everything but letters, digits and "-._~" as %XX.
std::string percent_encoded(std::string_view text);
// What is not a valid %XX stays as it is.
std::string percent_decoded(std::string_view text);

}  // namespace wright::providers
