// Putting unambiguous mistakes of a model right, by what the schema expects.
#pragma once

#include <string>
#include <vector>

#include "wright/json.h"

namespace wright {

struct Coerced {
  Json value;
  std::vector<std::string> notes;  // what was changed: days: "5" was taken as 5
};

// Knows `type`, `properties`, `items`, `additionalProperties`, local `$ref`, and alternatives of
// which all but one are null. What it cannot put right stays as it is; so whoever asks has to check
// the outcome.
Coerced coerce(const Json& schema, Json value);

}  // namespace wright
