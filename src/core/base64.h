// Base64 (RFC 4648): with padding, and for URLs without.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wright {

std::string base64_of(std::string_view bytes);
std::string base64url_of(std::string_view bytes);  // no padding

// Absent for what is not base64 for URLs.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace wright
