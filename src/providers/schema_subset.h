// JSON schemas in the parts of JSON Schema that Anthropic and Gemini read. As in schema_dialect.h,
// nothing is lost but what the vendor itself would have enforced.
#pragma once

#include <optional>

#include "wright/json.h"

namespace wright::providers {

// For Anthropic's output_config.format: objects are closed, references written out, and limits that
// cannot be enforced said in the description. Nothing where a schema has objects with free keys or
// values of any type, which cannot be said there.
std::optional<Json> anthropic_answer_schema(const Json& schema);

// For Anthropic's input_schema: an object whose alternatives, which may not stand at the top, are
// left out.
Json anthropic_input_schema(Json schema);

// For Gemini's parametersJsonSchema and responseJsonSchema.
Json gemini_schema(const Json& schema);

}  // namespace wright::providers
