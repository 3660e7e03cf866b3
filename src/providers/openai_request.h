// What the requests of OpenAI's two protocols have in common.
#pragma once

#include <string>
#include <string_view>

#include "providers/sent_history.h"
#include "providers/tool_names.h"
#include "wright/provider.h"

namespace wright::providers {

// How a protocol writes the tools, and which of them may or must be called.
struct ToolForms {
  const ToolNames& names;
  JsonArray (*tools)(const Request& request, const ToolNames& names, const Quirks& quirks,
                     const boost::json::storage_ptr& storage);
  Json (*choice)(const ToolChoice& choice, const ToolNames& names);
};
// Puts the tools into the body, those of the vendor last. A model that must not call tools, and
// cannot be told so, is offered none. The member `tools` is a null, for body_text().
WrittenMember add_tools(JsonObject& body, const Request& request, SentHistory& history,
                        const Quirks& quirks, const JsonArray& of_vendor, const ToolForms& forms);

// "low", "medium", "high"; for none, what the quirks say, or the least possible.
std::string_view effort_name(ReasoningEffort effort, const Quirks& quirks);

// The tier of service and how long the prompt is to be cached, where the quirks say so.
void add_service(JsonObject& body, const Quirks& quirks);

struct AnswerSchema {
  std::string name;
  Json schema;
  bool is_strict = false;
};
// The schema of a format, under a name that is allowed.
AnswerSchema answer_schema(const ResponseFormat& format, const Quirks& quirks);

// What the request's fields cannot say, in words: JSON where the vendor has no schemas or wants the
// word itself in the prompt, and a tool that must be called where it cannot be chosen. The
// request's own system text comes first. `word` says where the vendor looks for the word.
enum class JsonWord : std::uint8_t { in_system_text, elsewhere };
std::string system_text(const Request& request, const ToolNames& names, const Quirks& quirks,
                        JsonWord word = JsonWord::in_system_text);

// Which ids of calls a vendor accepts, and of which length.
struct CallIdRule {
  Quirks::CallIds allowed = Quirks::CallIds::any;
  std::size_t longest = 0;
};
inline constexpr std::size_t kLongestChatCallId = 40;
inline constexpr std::size_t kLongestResponsesCallId = 64;

// The id of a call as the vendor accepts it; the same id always maps to the same.
bool is_wire_call_id(std::string_view id, const CallIdRule& rule);
std::string wire_call_id(std::string_view id, const CallIdRule& rule);

// "data:image/png;base64,…".
std::string data_url(const Image& image);

}  // namespace wright::providers
