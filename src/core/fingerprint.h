// A number for a value: equal values have equal numbers, in every process.
#pragma once

#include <cstdint>
#include <string_view>

#include "wright/json.h"
#include "wright/message.h"

namespace wright {

std::uint64_t fingerprint_of(std::string_view text);
// Never 0. Objects with the same members in another order have another number.
std::uint64_t fingerprint_of(const Json& value);
// Never 0.
std::uint64_t fingerprint_of(const Message& message);

// Of a list, when `sum` is that of all before the last.
std::uint64_t joined(std::uint64_t sum, std::uint64_t last);

}  // namespace wright
