// SHA-256 (FIPS 180-4), HMAC with it (RFC 2104), and base64 for URLs (RFC 4648, without padding).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wright::mcp {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view bytes);
Digest hmac_sha256(std::string_view key, std::string_view bytes);

std::string base64url(std::string_view bytes);
std::string base64url(const Digest& digest);
// Absent for what is not base64 for URLs.
std::optional<std::string> from_base64url(std::string_view text);

// Takes the same time whether they differ early or late.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace wright::mcp
