// SHA-256 (FIPS 180-4), and HMAC with it (RFC 2104).
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace wright {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view bytes);
// The digest in small hexadecimal letters.
std::string sha256_hex(std::string_view bytes);
Digest hmac_sha256(std::string_view key, std::string_view bytes);

// Valid as long as the digest.
std::string_view bytes_of(const Digest& digest);

// Takes the same time whether they differ early or late.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace wright
