// The members that requests of vendors' protocols may have. Pure.
#pragma once

#include <cstdint>

#include "wright/error.h"
#include "wright/json.h"

namespace wright::server {

enum class VendorProtocol : std::uint8_t { chat, responses, messages };

// Refuses one that is not known, by its name: it could mean anything. Those that are known are kept
// or refused by others, or change no answer.
Result<void> check_members(const JsonObject& body, VendorProtocol protocol);

}  // namespace wright::server
