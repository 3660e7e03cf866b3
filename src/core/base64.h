// Base64 (RFC 4648): with padding, and for URLs without.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wright {

std::string base64_of(std::string_view bytes);
std::string base64url_of(std::string_view bytes);  // no padding

// Whether it is base64 with padding, as base64_of() makes it.
bool is_base64(std::string_view text);

// Absent for what is not base64 with padding.
std::optional<std::string> from_base64(std::string_view text);
// Absent for what is not base64 for URLs.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace wright
