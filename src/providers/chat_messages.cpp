#include "providers/chat_messages.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/json_escape.h"
#include "core/json_storage.h"
#include "providers/attachment.h"
#include "providers/call_arguments.h"
#include "providers/opaque_block.h"
#include "providers/openai_request.h"
#include "providers/paired_messages.h"

namespace wright::providers {
namespace {

void append_string(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text, EscapeDelete::no);
  out += '"';
}

std::string_view system_role(const Quirks& quirks) {
  return quirks.system_as_developer ? "developer" : "system";
}

// Writes messages behind those that the history has. What every turn has is written as text at
// once, the rest by way of values.
class MessageWriter {
 public:
  MessageWriter(const Endpoint& endpoint, const ToolNames& names, SentHistory& history,
                const boost::json::storage_ptr& storage)
      : endpoint_(endpoint),
        quirks_(endpoint.model.quirks),
        names_(names),
        history_(history),
        storage_(storage),
        images_(storage) {}

  void write(std::span<const Message* const> messages) {
    const std::size_t turn_begin = begin_of_turn(messages);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      is_in_turn_ = i >= turn_begin;
      write(*messages[i]);
    }
    write_result_images();
  }

 private:
  // The place of the user's last message: what follows it is the current exchange.
  static std::size_t begin_of_turn(std::span<const Message* const> messages) {
    for (std::size_t i = messages.size(); i > 0; --i) {
      if (messages[i - 1]->is_from_user()) return i - 1;
    }
    return 0;
  }

  // A value is moved only within one storage, and copied otherwise: everything is created in this
  // one.
  Json text(std::string_view said) const { return Json(said, storage_); }

  void add(std::string_view role, Json content) {
    if (role == "user" && !quirks_.supports_user_after_tool) answer_results();
    push(JsonObject({{"role", role}, {"content", std::move(content)}}, storage_));
  }

  void push(const Json& message) {
    history_.add(message);
    history_.ends_with_result = false;
  }

  // For vendors that take nobody's words but the model's after results.
  void answer_results() {
    if (!history_.ends_with_result) return;
    add("assistant", text("I have the results."));
  }

  Json image_json(const Image& image) const {
    const Attachment kind = attachment_kind(image);
    if (kind == Attachment::pdf) {
      return Json(
          {{"type", "file"}, {"file", {{"filename", kPdfName}, {"file_data", data_url(image)}}}},
          storage_);
    }
    if (kind == Attachment::audio) {
      return Json({{"type", "input_audio"},
                   {"input_audio", {{"data", image.base64}, {"format", audio_format(image)}}}},
                  storage_);
    }
    return Json({{"type", "image_url"}, {"image_url", {{"url", data_url(image)}}}}, storage_);
  }

  Json text_json(std::string_view said) const {
    return Json({{"type", "text"}, {"text", said}}, storage_);
  }

  void write(const Message& message) {
    const bool has_results = std::ranges::any_of(
        message.parts, [](const Part& part) { return std::holds_alternative<ToolResult>(part); });
    if (!has_results) write_result_images();
    switch (message.role) {
      case Role::system: add(system_role(quirks_), text(message.text())); break;
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
    JsonArray chunks(storage_);
    std::string joined;
    bool has_images = false;
    for (const Part& part : message.parts) {
      if (const std::string* words = words_in(part)) {
        chunks.push_back(text_json(*words));
        if (!joined.empty()) joined += '\n';
        joined += *words;
      } else if (const auto* image = std::get_if<Image>(&part)) {
        chunks.push_back(image_json(*image));
        has_images = true;
      }
    }
    const bool holds_only_results = chunks.empty() && !message.parts.empty();
    if (holds_only_results) return;
    write_result_images();
    add("user", has_images ? Json(std::move(chunks)) : text(joined));
  }

  void append_wire_id(std::string& out, std::string_view id) const {
    const CallIdRule rule{quirks_.call_ids, kLongestChatCallId};
    if (is_wire_call_id(id, rule)) return append_string(out, id);
    append_string(out, wire_call_id(id, rule));
  }

  void write_result(const ToolResult& result) {
    std::string_view content = result.content;
    std::string with_note;
    if (!result.notices.empty()) content = with_note = text_of(result);
    if (!result.images.empty() && !quirks_.supports_images) {
      with_note = content;
      with_note += fmt::format("\n[{} left out: this model reads no images]",
                               result.images.size() == 1 ? "An image was" : "Images were");
      content = with_note;
    } else if (!result.images.empty()) {
      images_.push_back(
          text_json(fmt::format("From the result of {}:", names_.on_wire(result.name))));
      for (const Image& image : result.images) images_.push_back(image_json(image));
    }
    std::string& out = history_.next_message();
    out += R"({"role":"tool","tool_call_id":)";
    append_wire_id(out, result.call_id);
    out += R"(,"content":)";
    append_string(out, content);
    out += '}';
    history_.ends_with_result = true;
  }

  void write_result_images() {
    if (!images_.empty()) add("user", std::exchange(images_, JsonArray(storage_)));
  }

  void write_assistant(const Message& message) {
    const std::string said = message.text();
    const bool has_calls = std::ranges::any_of(
        message.parts, [](const Part& part) { return std::holds_alternative<ToolCall>(part); });
    JsonObject reasoning(storage_);
    std::string content = said;
    if (returns_reasoning()) add_reasoning(reasoning, content, message, has_calls);
    // Some vendors refuse an empty message, and none needs it.
    if (said.empty() && !has_calls && reasoning.empty()) return;
    std::string& out = history_.next_message();
    out += R"({"role":"assistant","content":)";
    if (content.empty() && has_calls) {
      out += "null";
    } else {
      append_string(out, content);
    }
    for (const auto& [name, value] : reasoning) {
      out += ',';
      append_string(out, name);
      out += ':';
      append_text(out, value);
    }
    if (has_calls) append_calls(out, message);
    out += '}';
    history_.ends_with_result = false;
  }

  void append_calls(std::string& out, const Message& message) const {
    out += R"(,"tool_calls":)";
    char before = '[';
    for (const Part& part : message.parts) {
      const auto* call = std::get_if<ToolCall>(&part);
      if (call == nullptr) continue;
      out += std::exchange(before, ',');
      out += R"({"id":)";
      append_wire_id(out, call->id);
      out += R"(,"type":"function","function":{"name":)";
      append_string(out, names_.on_wire(call->name));
      out += R"(,"arguments":)";
      if (is_json_object(call->arguments)) {
        append_string(out, call->arguments);
      } else {
        append_string(out, arguments_text(call->arguments));
      }
      out += "}}";
    }
    out += ']';
  }

  bool returns_reasoning() const {
    if (!quirks_.preserve_thinking.empty()) return true;
    switch (quirks_.return_reasoning) {
      case Quirks::ReturnReasoning::never: return false;
      case Quirks::ReturnReasoning::within_turn: return is_in_turn_;
      case Quirks::ReturnReasoning::always:
      case Quirks::ReturnReasoning::required: return true;
    }
    return false;
  }

  // A vendor's own blocks go back whole; reasoning of another vendor's model is left out. What
  // came in tags goes back in them, in the content.
  void add_reasoning(JsonObject& written, std::string& content, const Message& message,
                     bool has_calls) const {
    std::string thought;
    JsonArray details(storage_);
    for (const Part& part : message.parts) {
      const auto* reasoning = std::get_if<Reasoning>(&part);
      if (reasoning == nullptr) continue;
      const auto block = opaque_block(*reasoning, Protocol::openai_chat, endpoint_.model.name);
      if (!block && !reasoning->opaque.empty()) continue;
      thought += reasoning->text;
      if (block && block->get_object().contains("reasoning_details")) {
        const Json& blocks = block->at("reasoning_details");
        if (blocks.is_array()) {
          for (const Json& each : blocks.get_array()) details.push_back(Json(each, storage_));
        }
      }
    }
    std::string_view name = quirks_.reasoning_field;
    if (name.empty()) name = "reasoning_content";
    if (quirks_.split_reasoning) {
      if (details.empty() && !thought.empty()) {
        content = fmt::format("<think>{}</think>\n\n{}", thought, content);
      }
    } else if (!thought.empty()) {
      written[name] = thought;
    } else if (has_calls && quirks_.return_reasoning == Quirks::ReturnReasoning::required) {
      written[name] = "";
    }
    if (!details.empty()) written["reasoning_details"] = std::move(details);
  }

  const Endpoint& endpoint_;
  const Quirks& quirks_;
  const ToolNames& names_;
  SentHistory& history_;
  const boost::json::storage_ptr storage_;
  bool is_in_turn_ = false;
  JsonArray images_;  // of results that no message holds yet
};

// The user's last message decides which thoughts go back: another one changes what stands before
// it.
bool begins_exchange(const PairedMessages& added, const Quirks& quirks) {
  return quirks.return_reasoning == Quirks::ReturnReasoning::within_turn &&
         quirks.preserve_thinking.empty() &&
         std::ranges::any_of(added.messages(),
                             [](const Message* message) { return message->is_from_user(); });
}

}  // namespace

std::string chat_messages(const Endpoint& endpoint, const Request& request, SentHistory& history,
                          const boost::json::storage_ptr& storage) {
  const Quirks& quirks = endpoint.model.quirks;
  std::optional<PairedMessages> paired(std::in_place, history.new_messages(request));
  if (!history.is_empty() && begins_exchange(*paired, quirks)) {
    history.start_over();
    paired.emplace(request.messages);
  }
  const ToolNames& names = history.names(request, {});
  MessageWriter(endpoint, names, history, storage).write(paired->messages());

  const std::string system = system_text(request, names, quirks);
  if (system.empty()) return {};
  std::string first;
  first.reserve(system.size() + 64);
  first += R"({"role":)";
  append_string(first, system_role(quirks));
  first += R"(,"content":)";
  append_string(first, system);
  first += '}';
  return first;
}

}  // namespace wright::providers
