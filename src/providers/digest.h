// Digests and signatures, from libcrypto. Nothing here knows any vendor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::providers {

std::string sha256(std::string_view bytes);                             // 32 bytes
std::string hmac_sha256(std::string_view key, std::string_view bytes);  // 32 bytes
// The signature of RS256 (RSASSA-PKCS1-v1_5 with SHA-256) with a private key in PEM.
Result<std::string> rs256(std::string_view private_key_pem, std::string_view bytes);


// CRC-32 as in gzip, continued from the value for what comes before.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

}  // namespace wright::providers
