// How webhooks are signed: as Standard Webhooks describes it, for which every language has a
// library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright::server {

// The key of a secret: what "whsec_" and base64 stand for, or else the text itself. Refuses what is
// too short to keep a secret.
Result<std::string> webhook_key(std::string_view secret);
// The value of the header webhook-signature.
std::string webhook_signature(std::string_view key, std::string_view id, std::int64_t seconds,
                              std::string_view body);

}  // namespace wright::server
