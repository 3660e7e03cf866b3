#include "mcp/content.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/base64.h"
#include "core/enum_names.h"
#include "core/media_type.h"
#include "core/text.h"
#include "core/try.h"
#include "core/user_message.h"

namespace wright::mcp {
namespace {

constexpr std::size_t kLongestName = 128;
// Of an answer: what vendors take of one image, and what a model can be shown at once.
constexpr std::size_t kLargestImage = 5'000'000;  // as base64
constexpr std::size_t kLargestImages = 20'000'000;
constexpr std::size_t kMostImages = 20;
constexpr std::size_t kLargestSchema = 256 << 10;
constexpr std::size_t kLongestDescription = 64 << 10;

bool flag_in(const JsonObject* object, std::string_view key, bool otherwise) {
  const Json* value = object != nullptr ? object->if_contains(key) : nullptr;
  return value != nullptr && value->is_bool() ? value->get_bool() : otherwise;
}

std::string_view named_type(std::string_view media) {
  return is_media_type(media) ? media : "of no known type";
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
      take_image(media, string_in(*object, "data"));
    } else if (type == "audio") {
      add(fmt::format("[audio, {}, which cannot be shown]", named_type(media)));
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
      take_image(media, string_in(resource, "blob"));
    } else {
      add(fmt::format("[{}: {}, about {} bytes, which cannot be shown]", text_in(resource, "uri"),
                      named_type(media), text_in(resource, "blob").size() / 4 * 3));
    }
  }

  // Models and vendors get it as it is, so it must be what it says.
  void take_image(std::string_view media, const JsonString* data) {
    const std::string_view base64 = data != nullptr ? std::string_view(*data) : std::string_view();
    const auto leave_out = [&](std::string_view why) {
      add(fmt::format("[image, {}, which is not shown: {}]", named_type(media), why));
    };
    if (!is_media_type(media) || !media.starts_with("image/")) {
      return leave_out("its type is not one of images");
    }
    if (base64.size() > kLargestImage) {
      return leave_out(fmt::format("it is larger than {} bytes", kLargestImage / 4 * 3));
    }
    if (base64.empty() || !is_base64(base64)) return leave_out("it is not in base64");
    const std::string_view type = shown_type_of_base64(base64);
    if (!type.starts_with("image/")) return leave_out("it is no PNG, JPEG, GIF or WebP image");
    if (images_.size() >= kMostImages || image_bytes_ + base64.size() > kLargestImages) {
      return leave_out("there are too many");
    }
    image_bytes_ += base64.size();
    images_.push_back({std::string(type), std::string(base64)});
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
  std::size_t image_bytes_ = 0;
};

// Whether the text only repeats the structured content.
bool is_copy(std::string_view text, const Json& structured) {
  const auto parsed = parse_json(text);
  return parsed && *parsed == structured;
}

// Checks speak of arguments and parameters, as most of what is checked is.
std::string about_content(std::string_view message) {
  constexpr std::string_view kWhole = "The arguments ";
  constexpr std::string_view kPart = "Parameter ";
  if (message.starts_with(kWhole)) return fmt::format("it {}", message.substr(kWhole.size()));
  return std::string(message.substr(message.starts_with(kPart) ? kPart.size() : 0));
}

}  // namespace

JsonObject tool_json(const ToolSpec& spec) {
  const Effect effect = spec.options.effect;
  // An effect says whether a call may be repeated, not what it overwrites: what writes may.
  JsonObject hints{{"readOnlyHint", effect == Effect::read},
                   {"destructiveHint", effect != Effect::read}};
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
  if (const JsonObject* execution = object_in(*object, "execution")) {
    tool.task_support = enum_named<TaskSupport>(text_in(*execution, "taskSupport"))
                            .value_or(TaskSupport::forbidden);
  }
  if (to_text(tool.input_schema).size() > kLargestSchema ||
      to_text(tool.output_schema).size() > kLargestSchema) {
    return fail(ErrorCode::limit_reached, fmt::format("the tool {} has a schema of more than {} KB",
                                                      tool.name, kLargestSchema >> 10));
  }
  if (tool.description.size() > kLongestDescription) {
    return fail(ErrorCode::limit_reached,
                fmt::format("the tool {} has a description of more than {} KB", tool.name,
                            kLongestDescription >> 10));
  }
  const JsonObject* hints = object_in(*object, "annotations");
  if (flag_in(hints, "readOnlyHint", false)) {
    tool.effect = Effect::read;
  } else if (flag_in(hints, "idempotentHint", false)) {
    tool.effect = Effect::idempotent;
  }
  const Json* destroys = hints != nullptr ? hints->if_contains("destructiveHint") : nullptr;
  if (destroys != nullptr && destroys->is_bool()) tool.destroys = destroys->get_bool();
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
                              about_content(wrong.front().message)));
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
    if (content->is_array()) {
      for (const Json& block : content->get_array()) reading.take(block);
    } else {
      reading.take(*content);
    }
    wright::Message message = text_in(*object, "role") == "assistant"
                                  ? wright::Message::assistant(reading.text())
                                  : wright::Message::user(reading.text());
    for (Image& image : std::move(reading).images()) message.parts.emplace_back(std::move(image));
    messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace wright::mcp
