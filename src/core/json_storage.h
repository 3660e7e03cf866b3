// Parsing JSON into memory that the caller provides: for values that are looked at and dropped.
#pragma once

#include <boost/json/storage_ptr.hpp>

#include <string>

#include "wright/json.h"

namespace wright {

// As parse_json(text). `storage` must outlive the value.
Result<Json> parse_json(std::string_view text, boost::json::storage_ptr storage);

// As to_text(), behind what is there.
void append_text(std::string& out, const Json& value);

// Whether parse_json() would give an object.
bool is_json_object(std::string_view text);

}  // namespace wright
