// Comparing JSON values as JSON Schema does: 1 and 1.0 are the same number, the order of keys does
// not matter, and numbers are decimal.
#pragma once

#include <compare>
#include <cstddef>

#include "wright/json.h"

namespace wright::json_schema {

// Both must be numbers. Exact, also between integers and doubles.
std::partial_ordering compare_mixed_numbers(const Json& a, const Json& b);
inline std::partial_ordering compare_numbers(const Json& a, const Json& b) {
  if (a.is_int64() && b.is_int64()) return a.get_int64() <=> b.get_int64();
  return compare_mixed_numbers(a, b);
}

// Goes as deep as the shallower of the two.
bool equal(const Json& a, const Json& b);

// Equal values have equal hashes.
std::size_t hash_of(const Json& value);

// Whether `value` is a whole multiple of `divisor`, as decimal numbers: 0.0075 is one of 0.0001.
bool is_multiple_of(const Json& value, const Json& divisor);

bool is_integer(const Json& value);  // 1.0 is one

// The array must not be nested deeper than the stack allows: check is_deeper_than() first.
bool has_duplicates(const JsonArray& array);

// Whether arrays and objects are nested in each other more than `limit` times.
bool is_deeper_than(const Json& value, int limit);

}  // namespace wright::json_schema
