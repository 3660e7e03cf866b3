// Percent encoding of URLs (RFC 3986).
#pragma once

#include <string>
#include <string_view>

namespace wright {

// Everything but letters, digits, "-._~" and what is in `kept` as %XX.
std::string percent_encoded(std::string_view text, std::string_view kept = {});
// What is not a valid %XX stays as it is.
std::string percent_decoded(std::string_view text);

}  // namespace wright
