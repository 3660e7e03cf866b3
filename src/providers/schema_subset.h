// JSON schemas in the subsets of JSON Schema that Anthropic and Gemini read. As in
// schema_dialect.h, nothing is lost but what the vendor itself would have enforced.
#pragma once

#include <optional>

#include "wright/json.h"

namespace wright::providers {

// For Anthropic's output_config.format: objects are closed, references expanded, and limits that
// cannot be enforced are put into the description. Nothing where a schema has objects with free
// keys or values of any type, which cannot be expressed there.
std::optional<Json> anthropic_answer_schema(const Json& schema);

// For Anthropic's input_schema: an object without alternatives, which are not allowed at the top.
Json anthropic_input_schema(Json schema);

// For Gemini's parametersJsonSchema and responseJsonSchema.
Json gemini_schema(const Json& schema);

}  // namespace wright::providers
