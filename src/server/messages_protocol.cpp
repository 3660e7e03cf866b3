// Messages as Anthropic's programs send and read them.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/try.h"
#include "server/content_parts.h"
#include "server/conversation.h"
#include "server/problem.h"
#include "server/service.h"

namespace wright::server {
namespace {

// One message of theirs may be several of ours: results of tools stand in the user's.
Result<void> add_blocks(const JsonArray& blocks, Role role, std::vector<Message>& messages) {
  Message message{.role = role, .parts = {}};
  for (const Json& each : blocks) {
    const JsonObject* block = each.if_object();
    if (block == nullptr) return fail(ErrorCode::invalid_argument, "A content block is an object");
    const std::string type = TRY(text_in(*block, "type"));
    if (type == "text") {
      std::string text = TRY(text_in(*block, "text"));
      message.parts.push_back(Text{std::move(text)});
    } else if (type == "tool_use") {
      std::string id = TRY(text_in(*block, "id"));
      std::string name = TRY(text_in(*block, "name"));
      const Json* input = block->if_contains("input");
      message.parts.push_back(
          ToolCall{std::move(id), std::move(name), input == nullptr ? "{}" : to_text(*input)});
    } else if (type == "tool_result") {
      const Json* content = block->if_contains("content");
      ToolResult result;
      result.call_id = TRY(text_in(*block, "tool_use_id"));
      result.content = TRY(text_of_content(content == nullptr ? Json() : *content));
      const Json* is_error = block->if_contains("is_error");
      result.is_error = is_error != nullptr && is_error->is_bool() && is_error->get_bool();
      messages.push_back(Message::tool(std::move(result)));
    } else if (role == Role::user && (type == "image" || type == "document")) {
      TRY(add_block(*block, message.parts));
    } else if (type != "thinking" && type != "redacted_thinking") {
      return fail(ErrorCode::unsupported,
                  fmt::format("Content of the type '{}' cannot be read here", type));
    }
  }
  if (!message.parts.empty()) messages.push_back(std::move(message));
  return {};
}

class MessagesRendering : public Rendering {
 public:
  Json whole(const Completion& completion) override {
    JsonArray content;
    if (!completion.text.empty() || completion.calls.empty()) {
      content.push_back({{"type", "text"}, {"text", completion.text}});
    }
    for (const HandedCall& call : completion.calls) {
      content.push_back({{"type", "tool_use"},
                         {"id", call.id},
                         {"name", call.name},
                         {"input", arguments_object(call.arguments)}});
    }
    Json json = head(completion);
    json.as_object()["content"] = std::move(content);
    json.as_object()["stop_reason"] = reason(completion);
    return json;
  }

  Json error(const Error& error) override { return anthropic_error(error); }

  std::string opening(const Completion& beginning) override {
    return named_event("message_start", {{"type", "message_start"}, {"message", head(beginning)}});
  }

  std::string text(std::string_view piece) override {
    std::string text;
    if (!is_in_text_) {
      is_in_text_ = true;
      text +=
          named_event("content_block_start", {{"type", "content_block_start"},
                                              {"index", index_},
                                              {"content_block", {{"type", "text"}, {"text", ""}}}});
    }
    return text + named_event("content_block_delta",
                              {{"type", "content_block_delta"},
                               {"index", index_},
                               {"delta", {{"type", "text_delta"}, {"text", piece}}}});
  }

  std::string ending(const Completion& completion) override {
    if (completion.error) return named_event("error", error(*completion.error));
    std::string text;
    if (is_in_text_) text += end_block();
    for (const HandedCall& call : completion.calls) {
      text += named_event("content_block_start", {{"type", "content_block_start"},
                                                  {"index", index_},
                                                  {"content_block",
                                                   {{"type", "tool_use"},
                                                    {"id", call.id},
                                                    {"name", call.name},
                                                    {"input", JsonObject()}}}});
      text += named_event(
          "content_block_delta",
          {{"type", "content_block_delta"},
           {"index", index_},
           {"delta", {{"type", "input_json_delta"}, {"partial_json", call.arguments}}}});
      text += end_block();
    }
    text +=
        named_event("message_delta",
                    {{"type", "message_delta"},
                     {"delta", {{"stop_reason", reason(completion)}, {"stop_sequence", nullptr}}},
                     {"usage", usage_json(completion.usage)}});
    return text + named_event("message_stop", {{"type", "message_stop"}});
  }

 private:
  std::string end_block() {
    is_in_text_ = false;
    return named_event("content_block_stop", {{"type", "content_block_stop"}, {"index", index_++}});
  }
  static const char* reason(const Completion& completion) {
    if (!completion.calls.empty()) return "tool_use";
    return completion.is_cut ? "max_tokens" : "end_turn";
  }
  static Json usage_json(const Usage& usage) {
    return {{"input_tokens", usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens},
            {"output_tokens", usage.output_tokens},
            {"cache_read_input_tokens", usage.cached_tokens},
            {"cache_creation_input_tokens", usage.cache_write_tokens}};
  }
  static Json head(const Completion& completion) {
    return {{"id", fmt::format("msg_{}", completion.session_id)},
            {"type", "message"},
            {"role", "assistant"},
            {"model", completion.agent},
            {"content", JsonArray()},
            {"stop_reason", nullptr},
            {"stop_sequence", nullptr},
            {"usage", usage_json(completion.usage)}};
  }

  int index_ = 0;
  bool is_in_text_ = false;
};

}  // namespace

Result<Conversation> conversation_from_messages(const JsonObject& body) {
  Conversation conversation;
  TRY(read_common(body, conversation));
  conversation.wishes = TRY(wishes_from_messages(body));
  if (const Json* system = body.if_contains("system")) {
    conversation.instructions = TRY(text_of_content(*system));
  }
  if (const Json* tools = body.if_contains("tools"); tools != nullptr && tools->is_array()) {
    for (const Json& each : tools->get_array()) {
      const JsonObject* spec = each.if_object();
      const Json* schema = spec == nullptr ? nullptr : spec->if_contains("input_schema");
      if (schema == nullptr) {
        return fail(ErrorCode::unsupported, "Only tools with an input_schema can be handed in");
      }
      CallerTool named{.parameters = *schema};
      named.name = TRY(text_in(*spec, "name"));
      named.description = TRY(text_in(*spec, "description", ""));
      conversation.tools.push_back(std::move(named));
    }
  }
  const Json* messages = body.if_contains("messages");
  if (messages == nullptr || !messages->is_array()) {
    return fail(ErrorCode::invalid_argument, "'messages' must be a list");
  }
  for (const Json& each : messages->get_array()) {
    const JsonObject* object = each.if_object();
    if (object == nullptr) return fail(ErrorCode::invalid_argument, "A message is an object");
    const std::string name = TRY(text_in(*object, "role"));
    const Role role = TRY(role_from(name));
    const Json* content = object->if_contains("content");
    if (content != nullptr && content->is_array()) {
      TRY(add_blocks(content->get_array(), role, conversation.messages));
      continue;
    }
    std::string text = TRY(text_of_content(content == nullptr ? Json() : *content));
    conversation.messages.push_back({role, {Text{std::move(text)}}});
  }
  return conversation;
}

std::unique_ptr<Rendering> messages_rendering(const Conversation&) {
  return std::make_unique<MessagesRendering>();
}

}  // namespace wright::server
