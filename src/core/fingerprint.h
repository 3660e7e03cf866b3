// A number for a JSON value: equal values have equal numbers, in every process.
#pragma once

#include <cstdint>
#include <string_view>

#include "wright/json.h"

namespace wright {

std::uint64_t fingerprint_of(std::string_view text);
// Never 0. Objects with the same members in another order have another number.
std::uint64_t fingerprint_of(const Json& value);

}  // namespace wright
