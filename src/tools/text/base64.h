// Bytes as base64 text (RFC 4648, with padding). Only encodes.
#pragma once

#include <string>
#include <string_view>

namespace wright::tools {

std::string base64_of(std::string_view bytes);

}  // namespace wright::tools
