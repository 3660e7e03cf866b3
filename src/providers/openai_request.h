// What the requests of OpenAI's two protocols have in common, and in part those of the others.
#pragma once

#include <string>
#include <string_view>

#include "providers/tool_names.h"
#include "wright/provider.h"

namespace wright::providers {

// "authorization: Bearer …"; without a value where there is no key.
HttpHeader bearer(const Endpoint& endpoint);

// Fails where the model cannot take what is asked: a user's image, or tools.
Result<void> check_possible(const Endpoint& endpoint, const Request& request);

// Whether the tools go with the request. A model that must call none, and cannot be told so, is
// offered none.
bool offers_tools(const Request& request, const Quirks& quirks);

// "low", "medium", "high"; for none what the quirks say, or the least there is.
std::string_view effort_name(ReasoningEffort effort, const Quirks& quirks);

struct AnswerSchema {
  std::string name;
  Json schema;
  bool is_strict = false;
};
// The schema of a format, under a name that is allowed.
AnswerSchema answer_schema(const ResponseFormat& format, const Quirks& quirks);

// What the request's fields cannot say, in words: JSON where the vendor has no schemas or wants the
// word itself in the prompt, and a tool that must be called where it cannot be chosen. In front of
// them the request's own system text.
std::string system_text(const Request& request, const ToolNames& names, const Quirks& quirks);

// The id of a call as the vendor takes it; the same id always becomes the same.
std::string wire_call_id(std::string_view id, Quirks::CallIds allowed);

// "data:image/png;base64,…".
std::string data_url(const Image& image);

}  // namespace wright::providers
