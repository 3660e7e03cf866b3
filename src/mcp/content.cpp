#include "mcp/content.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/try.h"

namespace wright::mcp {
namespace {

constexpr std::size_t kLongestName = 128;

bool flag_in(const JsonObject* object, std::string_view key, bool otherwise) {
  const Json* value = object != nullptr ? object->if_contains(key) : nullptr;
  return value != nullptr && value->is_bool() ? value->get_bool() : otherwise;
}

JsonObject text_block(std::string_view text) {
  return {{"type", "text"}, {"text", to_valid_utf8(std::string(text))}};
}

// Text and images of content blocks, in their order; what cannot be shown to a model is named.
class Reading {
 public:
  void take(const Json& block) {
    const JsonObject* object = block.if_object();
    if (object == nullptr) return;
    const std::string type = text_in(*object, "type");
    const std::string media = text_in(*object, "mimeType");
    if (type == "text") {
      add(text_in(*object, "text"));
    } else if (type == "image") {
      images_.push_back({media, text_in(*object, "data")});
    } else if (type == "audio") {
      add(fmt::format("[audio, {}, which cannot be shown]", media));
    } else if (type == "resource_link") {
      const std::string description = text_in(*object, "description");
      add(fmt::format("[resource {}: {}{}{}]", text_in(*object, "name"), text_in(*object, "uri"),
                      description.empty() ? "" : ", ", description));
    } else if (type == "resource") {
      if (const JsonObject* resource = object_in(*object, "resource")) take_resource(*resource);
    } else {
      add(fmt::format("[content of the unknown type '{}']", type));
    }
  }

  void take_resource(const JsonObject& resource) {
    const std::string media = text_in(resource, "mimeType");
    if (const JsonString* text = string_in(resource, "text")) {
      add(std::string_view(*text));
    } else if (media.starts_with("image/")) {
      images_.push_back({media, text_in(resource, "blob")});
    } else {
      add(fmt::format("[{}: {}, about {} bytes, which cannot be shown]", text_in(resource, "uri"),
                      media.empty() ? "bytes" : media, text_in(resource, "blob").size() / 4 * 3));
    }
  }

  const std::string& text() const { return text_; }
  std::vector<Image> images() && { return std::move(images_); }

 private:
  void add(std::string_view text) {
    if (!text_.empty()) text_ += '\n';
    text_ += text;
  }

  std::string text_;
  std::vector<Image> images_;
};

// Whether the text only repeats the structured content.
bool is_copy(std::string_view text, const Json& structured) {
  const auto parsed = parse_json(text);
  return parsed && *parsed == structured;
}

}  // namespace

JsonObject tool_json(const ToolSpec& spec) {
  const Effect effect = spec.options.effect;
  JsonObject hints{{"readOnlyHint", effect == Effect::read}};
  if (effect != Effect::read) hints["idempotentHint"] = effect == Effect::idempotent;
  return {{"name", spec.name},
          {"description", spec.description},
          {"inputSchema", spec.parameters},
          {"annotations", std::move(hints)}};
}

JsonObject text_result(std::string_view text) {
  return {{"content", JsonArray{text_block(text)}}};
}

JsonObject error_result(std::string_view text) {
  return {{"content", JsonArray{text_block(text)}}, {"isError", true}};
}

JsonObject call_result(const ToolOutcome& outcome) {
  if (outcome.result.is_error) {
    return error_result(outcome.result.content.empty() ? outcome.error_message()
                                                       : std::string_view(outcome.result.content));
  }
  JsonArray content{text_block(outcome.result.content)};
  for (const Image& image : outcome.result.images) {
    content.emplace_back(
        JsonObject{{"type", "image"}, {"data", image.base64}, {"mimeType", image.media_type}});
  }
  return {{"content", std::move(content)}};
}

Result<RemoteTool> remote_tool(const Json& listed) {
  const JsonObject* object = listed.if_object();
  if (object == nullptr) return fail(ErrorCode::protocol, "a tool of the server is no object");
  RemoteTool tool{.name = text_in(*object, "name"), .description = text_in(*object, "description")};
  if (tool.name.empty() || tool.name.size() > kLongestName || !is_valid_utf8(tool.name)) {
    return fail(ErrorCode::protocol, "a tool of the server has no usable name");
  }
  if (tool.description.empty()) tool.description = text_in(*object, "title");
  const JsonObject* schema = object_in(*object, "inputSchema");
  if (schema == nullptr) {
    return fail(ErrorCode::protocol, fmt::format("the tool {} has no inputSchema", tool.name));
  }
  tool.input_schema = *schema;
  if (const JsonObject* output = object_in(*object, "outputSchema")) tool.output_schema = *output;
  const JsonObject* hints = object_in(*object, "annotations");
  if (flag_in(hints, "readOnlyHint", false)) {
    tool.effect = Effect::read;
  } else if (flag_in(hints, "idempotentHint", false)) {
    tool.effect = Effect::idempotent;
  }
  return tool;
}

Result<Output> output_of(const JsonObject& result, const std::optional<JsonSchema>& output_schema) {
  Reading reading;
  if (const Json* content = result.if_contains("content"); content && content->is_array()) {
    for (const Json& block : content->get_array()) reading.take(block);
  }
  if (flag_in(&result, "isError", false)) {
    return fail(ErrorCode::tool_failed,
                reading.text().empty() ? "The tool failed and does not say why" : reading.text());
  }
  Output output;
  const Json* structured = result.if_contains("structuredContent");
  if (structured != nullptr && structured->is_null()) structured = nullptr;
  if (output_schema && structured == nullptr) {
    return fail(ErrorCode::protocol,
                "The server promised structured content for this tool and sent none");
  }
  if (output_schema) {
    const auto wrong = output_schema->violations(*structured, 3);
    if (!wrong.empty()) {
      return fail(ErrorCode::protocol,
                  fmt::format("The server's structured content does not fit its own schema: {}",
                              wrong.front().message));
    }
  }
  if (structured == nullptr) {
    output.value = reading.text();
  } else if (reading.text().empty() || is_copy(reading.text(), *structured)) {
    output.value = *structured;
  } else {
    output.value = JsonObject{{"text", reading.text()}, {"structured", *structured}};
  }
  output.images = std::move(reading).images();
  return output;
}

Result<Output> resource_output(const JsonObject& result) {
  const Json* contents = result.if_contains("contents");
  if (contents == nullptr || !contents->is_array()) {
    return fail(ErrorCode::protocol, "The server answered without contents");
  }
  Reading reading;
  for (const Json& each : contents->get_array()) {
    if (const JsonObject* resource = each.if_object()) reading.take_resource(*resource);
  }
  Output output;
  output.value = reading.text();
  output.images = std::move(reading).images();
  return output;
}

Result<std::vector<wright::Message>> prompt_messages(const JsonObject& result) {
  const Json* listed = result.if_contains("messages");
  if (listed == nullptr || !listed->is_array()) {
    return fail(ErrorCode::protocol, "The server answered without messages");
  }
  std::vector<wright::Message> messages;
  for (const Json& each : listed->get_array()) {
    const JsonObject* object = each.if_object();
    const Json* content = object != nullptr ? object->if_contains("content") : nullptr;
    if (content == nullptr) continue;
    Reading reading;
    reading.take(*content);
    wright::Message message = text_in(*object, "role") == "assistant"
                                  ? wright::Message::assistant(reading.text())
                                  : wright::Message::user(reading.text());
    for (Image& image : std::move(reading).images()) message.parts.emplace_back(std::move(image));
    messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace wright::mcp
