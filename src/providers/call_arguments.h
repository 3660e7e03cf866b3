// The arguments of calls in the conversation, for vendors that parse them: a model may have written
// broken JSON, and many vendors refuse a request that repeats it.
#pragma once

#include <string>
#include <string_view>

#include "wright/json.h"

namespace wright::providers {

// The arguments as an object. Anything else is kept as text inside one, so that the model still
// sees what it wrote.
JsonObject arguments_object(std::string_view arguments);

// The same as text; unchanged if it is an object already.
std::string arguments_text(std::string_view arguments);

}  // namespace wright::providers
