// Corrects unambiguous mistakes of a model, by what the schema expects.
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
// which all but one are null. What it cannot correct stays as it is, so the caller must check the
// outcome.
Coerced coerce(const Json& schema, Json value);

}  // namespace wright
