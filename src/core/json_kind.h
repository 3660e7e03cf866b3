// What a JSON value is called in messages to people and models.
#pragma once

#include <string_view>

#include "wright/json.h"

namespace wright {

std::string_view kind_name(const Json& value);  // "a string", "an integer", "null" …

}  // namespace wright
