#include "providers/words_instead.h"

#include <fmt/format.h>

namespace wright::providers {

std::string format_in_words(const ResponseFormat& format) {
  switch (format.kind) {
    case ResponseFormat::Kind::text: return {};
    case ResponseFormat::Kind::json_object:
      return "Answer with one JSON object and nothing else: no text around it, no code fence.";
    case ResponseFormat::Kind::json_schema: break;
  }
  return fmt::format(
      "Answer with one JSON value that fits this JSON schema, and nothing else: no text around it, "
      "no code fence.\n{}",
      to_text(format.schema));
}

std::string result_in_words(const ToolResult& result, const Quirks& quirks) {
  std::string text = to_valid_utf8(text_of(result));
  if (result.images.empty() || quirks.supports_images) return text;
  return text + fmt::format("\n[{} left out: this model reads no images]",
                            result.images.size() == 1 ? "An image was" : "Images were");
}

std::string tool_choice_in_words(const ToolChoice& choice, const ToolNames& names) {
  switch (choice.kind) {
    case ToolChoice::Kind::automatic:
    case ToolChoice::Kind::none: return {};
    case ToolChoice::Kind::required: return "Answer by calling at least one of the tools.";
    case ToolChoice::Kind::one: break;
  }
  return fmt::format("Answer by calling the tool {}.", names.on_wire(choice.tool));
}

}  // namespace wright::providers
