// The arguments of calls in the history, for vendors that read them: a model may have written
// broken JSON, and an answer that repeats it is refused by many.
#pragma once

#include <string>
#include <string_view>

#include "wright/json.h"

namespace wright::providers {

// The arguments as an object. What is no object is kept as text inside one, so that the model
// still sees what it wrote.
JsonObject arguments_object(std::string_view arguments);

// The same as text: unchanged where it is an object already.
std::string arguments_text(std::string_view arguments);

}  // namespace wright::providers
