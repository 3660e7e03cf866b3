// JSON values. Json is Boost.JSON's value (it keeps the order of keys); these functions add the
// limits and checks that its own parser and serialiser leave out.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

#include "wright/error.h"

namespace wright {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;
using JsonString = boost::json::string;

// Nesting that a hostile text may reach before it is refused.
inline constexpr int kMaxJsonDepth = 256;

// Refuses invalid UTF-8, trailing text and nesting deeper than kMaxJsonDepth. The error says at
// which byte the text went wrong.
Result<Json> parse_json(std::string_view text);

// Compact text, one line. Doubles with an integral value print as in JavaScript ("1.5", "100"),
// never as "1E2".
std::string to_text(const Json& value);

// Indented by two spaces, for people.
std::string to_pretty_text(const Json& value);

// Replaces every byte sequence that is not UTF-8 by U+FFFD; valid text is returned unchanged.
std::string to_valid_utf8(std::string text);
bool is_valid_utf8(std::string_view text);

// The longest prefix of at most `max_bytes` bytes that does not cut a UTF-8 character.
std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);

}  // namespace wright
