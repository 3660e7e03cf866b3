#include "providers/responses_input.h"

#include "providers/attachment.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "providers/call_arguments.h"
#include "providers/citations.h"
#include "providers/opaque_block.h"
#include "providers/openai_request.h"
#include "providers/paired_messages.h"
#include "providers/response_json.h"
#include "providers/vendor_tools.h"
#include "providers/words_instead.h"

namespace wright::providers {
namespace {

Json text_json(std::string_view text) {
  return JsonObject{{"type", "input_text"}, {"text", text}};
}

Json image_json(const Image& image) {
  if (attachment_kind(image) == Attachment::pdf) {
    return JsonObject{
        {"type", "input_file"}, {"filename", kPdfName}, {"file_data", data_url(image)}};
  }
  return JsonObject{{"type", "input_image"}, {"image_url", data_url(image)}, {"detail", "auto"}};
}

bool is_filled(const Json* list) {
  const JsonArray* array = array_in(list);
  return array != nullptr && !array->empty();
}

// OpenAI looks up an item by its id, and refuses it when the next item does not have the id that
// followed it. Encrypted items need no lookup.
Json without_id(const JsonObject& item) {
  JsonObject written;
  for (const auto& [key, value] : item) {
    const bool is_empty_content = key == "content" && !is_filled(&value);
    if (key != "id" && !is_empty_content) written[key] = value;
  }
  return written;
}

class ItemWriter {
 public:
  ItemWriter(const Endpoint& endpoint, const ToolNames& names)
      : endpoint_(endpoint), quirks_(endpoint.model.quirks), names_(names) {}

  void write(const Message& message) {
    switch (message.role) {
      case Role::system: add("developer", Json(message.text())); break;
      case Role::assistant: write_assistant(message); break;
      case Role::user:
      case Role::tool: write_user(message); break;
    }
  }

  JsonArray take() && { return std::move(items_); }

 private:
  void add(std::string_view role, Json content) {
    items_.push_back(JsonObject{{"role", role}, {"content", std::move(content)}});
  }

  void write_user(const Message& message) {
    JsonArray chunks;
    for (const Part& part : message.parts) {
      if (const auto* result = std::get_if<ToolResult>(&part)) write_result(*result);
      if (const std::string* words = words_in(part)) chunks.push_back(text_json(*words));
      if (const auto* image = std::get_if<Image>(&part)) chunks.push_back(image_json(*image));
    }
    if (!chunks.empty()) add("user", std::move(chunks));
  }

  void write_result(const ToolResult& result) {
    const std::string content = text_of(result);
    Json output(content);
    if (!result.images.empty()) {
      JsonArray chunks{text_json(content)};
      if (quirks_.supports_images) {
        for (const Image& image : result.images) chunks.push_back(image_json(image));
      } else {
        chunks.push_back(text_json("[Images were left out: this model reads none]"));
      }
      output = std::move(chunks);
    }
    items_.push_back(JsonObject{{"type", "function_call_output"},
                                {"call_id", wire_id(result.call_id)},
                                {"output", std::move(output)}});
  }

  // In the order of the parts: reasoning must come before what it led to.
  void write_assistant(const Message& message) {
    for (const Part& part : message.parts) {
      if (const auto* text = std::get_if<Text>(&part)) {
        write_text(*text);
      } else if (const auto* reasoning = std::get_if<Reasoning>(&part)) {
        write_reasoning(*reasoning);
      } else if (const auto* call = std::get_if<ToolCall>(&part)) {
        items_.push_back(JsonObject{{"type", "function_call"},
                                    {"call_id", wire_id(call->id)},
                                    {"name", names_.on_wire(call->name)},
                                    {"arguments", arguments_text(call->arguments)}});
      }
    }
  }

  std::string wire_id(std::string_view id) const {
    return wire_call_id(id, {quirks_.call_ids, kLongestResponsesCallId});
  }

  // Plain words, unless they cite something: an item of the vendor's own kind has an id and a
  // status of its own, and there is none for us where the vendor stores nothing.
  void write_text(const Text& text) {
    JsonObject item{{"type", "message"}, {"role", "assistant"}};
    if (JsonArray citations = returned_citations(text, endpoint_); citations.empty()) {
      item["content"] = text.text;
    } else {
      item["status"] = "completed";
      item["content"] = JsonArray{JsonObject{
          {"type", "output_text"}, {"text", text.text}, {"annotations", std::move(citations)}}};
    }
    // The model tells its remarks from its answers by it, and does worse without.
    if (text.phase != Text::Phase::unmarked) item["phase"] = to_string(text.phase);
    items_.push_back(std::move(item));
  }

  // The vendor stores nothing for us, so an item without its content means nothing there.
  void write_reasoning(const Reasoning& reasoning) {
    const auto item = opaque_block(reasoning, Protocol::openai_responses, endpoint_.model.name);
    if (!item) return;
    const bool is_of_tool = is_item_of_vendors_tool(text_field(&*item, "type"));
    if (is_of_tool || !text_field(&*item, "encrypted_content").empty()) {
      items_.push_back(without_id(item->get_object()));
    } else if (is_filled(field(&*item, "content"))) {
      items_.push_back(*item);
    }
  }

  const Endpoint& endpoint_;
  const Quirks& quirks_;
  const ToolNames& names_;
  JsonArray items_;
};

}  // namespace

std::string responses_input(const Endpoint& endpoint, const Request& request,
                            const ToolNames& names, SentHistory& history) {
  ItemWriter writer(endpoint, names);
  const PairedMessages paired(history.new_messages(request));
  for (const Message* message : paired.messages()) writer.write(*message);
  history.add(std::move(writer).take());

  // The vendor looks for the word JSON here, not in the instructions. First, so that a longer
  // conversation begins with the same bytes.
  const ResponseFormat& format = request.sampling->response_format;
  const bool is_any_json = format.kind == ResponseFormat::Kind::json_object ||
                           (format.kind == ResponseFormat::Kind::json_schema &&
                            !endpoint.model.quirks.supports_response_schema);
  if (!is_any_json) return {};
  ItemWriter first(endpoint, names);
  first.write(Message::system(format_in_words(format)));
  return to_text(std::move(first).take()[0]);
}

}  // namespace wright::providers
