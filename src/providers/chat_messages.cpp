#include "providers/chat_messages.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "providers/call_arguments.h"
#include "providers/opaque_block.h"
#include "providers/openai_request.h"

namespace wright::providers {
namespace {

Json image_json(const Image& image) {
  return JsonObject{{"type", "image_url"}, {"image_url", JsonObject{{"url", data_url(image)}}}};
}

Json text_json(std::string_view text) {
  return JsonObject{{"type", "text"}, {"text", text}};
}

class MessageWriter {
 public:
  MessageWriter(const Endpoint& endpoint, const Request& request, const ToolNames& names)
      : endpoint_(endpoint),
        quirks_(endpoint.model.quirks),
        names_(names),
        turn_begin_(begin_of_turn(request)) {
    messages_.reserve(request.messages.size() + 1);
    const std::string system = system_text(request, names, quirks_);
    if (!system.empty()) add(system_role(), Json(system));
    for (std::size_t i = 0; i < request.messages.size(); ++i) {
      is_in_turn_ = i >= turn_begin_;
      write(request.messages[i]);
    }
    write_result_images();
  }

  JsonArray take() && { return std::move(messages_); }

 private:
  // Where the last message of the user stands: what comes behind it is the turn that goes on.
  static std::size_t begin_of_turn(const Request& request) {
    for (std::size_t i = request.messages.size(); i > 0; --i) {
      if (request.messages[i - 1].role == Role::user) return i - 1;
    }
    return 0;
  }

  std::string_view system_role() const {
    return quirks_.system_as_developer ? "developer" : "system";
  }

  void add(std::string_view role, Json content) {
    messages_.push_back(JsonObject{{"role", role}, {"content", std::move(content)}});
  }

  void write(const Message& message) {
    const bool has_results = std::ranges::any_of(
        message.parts, [](const Part& part) { return std::holds_alternative<ToolResult>(part); });
    if (!has_results) write_result_images();
    switch (message.role) {
      case Role::system: add(system_role(), Json(message.text())); break;
      case Role::assistant: write_assistant(message); break;
      case Role::user:
      case Role::tool:
        for (const Part& part : message.parts) {
          if (const auto* result = std::get_if<ToolResult>(&part)) write_result(*result);
        }
        write_user(message);
        break;
    }
  }

  void write_user(const Message& message) {
    JsonArray chunks;
    std::string text;
    bool has_images = false;
    for (const Part& part : message.parts) {
      if (const auto* said = std::get_if<Text>(&part)) {
        chunks.push_back(text_json(said->text));
        if (!text.empty()) text += '\n';
        text += said->text;
      } else if (const auto* image = std::get_if<Image>(&part)) {
        chunks.push_back(image_json(*image));
        has_images = true;
      }
    }
    const bool holds_only_results = chunks.empty() && !message.parts.empty();
    if (holds_only_results) return;
    write_result_images();
    add("user", has_images ? Json(std::move(chunks)) : Json(text));
  }

  std::string wire_id(std::string_view id) const { return wire_call_id(id, quirks_.call_ids); }

  void write_result(const ToolResult& result) {
    std::string content = result.content;
    if (!result.images.empty() && !quirks_.supports_images) {
      content += fmt::format("\n[{} left out: this model reads no images]",
                             result.images.size() == 1 ? "An image was" : "Images were");
    } else if (!result.images.empty()) {
      images_.push_back(
          text_json(fmt::format("From the result of {}:", names_.on_wire(result.name))));
      for (const Image& image : result.images) images_.push_back(image_json(image));
    }
    messages_.push_back(JsonObject{{"role", "tool"},
                                   {"tool_call_id", wire_id(result.call_id)},
                                   {"content", std::move(content)}});
  }

  void write_result_images() {
    if (!images_.empty()) add("user", std::exchange(images_, {}));
  }

  void write_assistant(const Message& message) {
    JsonArray calls;
    for (const Part& part : message.parts) {
      const auto* call = std::get_if<ToolCall>(&part);
      if (call == nullptr) continue;
      calls.push_back(
          JsonObject{{"id", wire_id(call->id)},
                     {"type", "function"},
                     {"function", JsonObject{{"name", names_.on_wire(call->name)},
                                             {"arguments", arguments_text(call->arguments)}}}});
    }
    JsonObject written{{"role", "assistant"}};
    const std::string text = message.text();
    written["content"] = text.empty() && !calls.empty() ? Json() : Json(text);
    write_reasoning(written, message);
    if (!calls.empty()) written["tool_calls"] = std::move(calls);
    // A message that says nothing is refused by some, and missed by none.
    const bool says_nothing = text.empty() && written.size() == 2;
    if (!says_nothing) messages_.push_back(std::move(written));
  }

  bool returns_reasoning() const {
    switch (quirks_.return_reasoning) {
      case Quirks::ReturnReasoning::never: return false;
      case Quirks::ReturnReasoning::within_turn: return is_in_turn_;
      case Quirks::ReturnReasoning::always: return true;
    }
    return false;
  }

  // A vendor's own blocks go back whole; thoughts of another vendor's model stay away.
  void write_reasoning(JsonObject& written, const Message& message) const {
    if (!returns_reasoning()) return;
    std::string thought;
    JsonArray details;
    for (const Part& part : message.parts) {
      const auto* reasoning = std::get_if<Reasoning>(&part);
      if (reasoning == nullptr) continue;
      const auto block = opaque_block(*reasoning, Protocol::openai_chat, endpoint_.model.name);
      if (!block && !reasoning->opaque.empty()) continue;
      thought += reasoning->text;
      if (block && block->get_object().contains("reasoning_details")) {
        const Json& blocks = block->at("reasoning_details");
        if (blocks.is_array()) {
          details.insert(details.end(), blocks.get_array().begin(), blocks.get_array().end());
        }
      }
    }
    if (!thought.empty()) {
      const std::string_view name = quirks_.reasoning_field;
      written[name.empty() ? "reasoning_content" : name] = thought;
    }
    if (!details.empty()) written["reasoning_details"] = std::move(details);
  }

  const Endpoint& endpoint_;
  const Quirks& quirks_;
  const ToolNames& names_;
  const std::size_t turn_begin_;
  bool is_in_turn_ = false;
  JsonArray messages_;
  JsonArray images_;  // of results that no message holds yet
};

}  // namespace

JsonArray chat_messages(const Endpoint& endpoint, const Request& request, const ToolNames& names) {
  return MessageWriter(endpoint, request, names).take();
}

}  // namespace wright::providers
