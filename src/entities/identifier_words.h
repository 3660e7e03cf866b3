// The words inside of names, so that "parse request" finds parseHTTPRequest and parse_request_2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wright::entities {

// In lower case, in order: "parseHTTPRequest2" → parse, http, request, 2. Bytes that are not ASCII
// count as letters.
std::vector<std::string> identifier_words(std::string_view text);

// The same, joined by spaces: what is put into the text index.
std::string searchable_text(std::string_view text);

}  // namespace wright::entities
