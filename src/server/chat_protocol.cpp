// Chat completions as OpenAI's programs send and read them.
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

Result<Message> chat_message(const JsonObject& object, Role role) {
  Message message{.role = role, .parts = {}};
  const Json* content = object.if_contains("content");
  if (role == Role::user) {
    message.parts = TRY(parts_of_content(content == nullptr ? Json() : *content));
    return message;
  }
  std::string text = TRY(text_of_content(content == nullptr ? Json() : *content));
  if (role == Role::tool) {
    std::string id = TRY(text_in(object, "tool_call_id"));
    message.parts.push_back(ToolResult{.call_id = std::move(id), .content = std::move(text)});
    return message;
  }
  if (!text.empty()) message.parts.push_back(Text{std::move(text)});
  const Json* calls = object.if_contains("tool_calls");
  if (calls == nullptr || calls->is_null()) return message;
  if (!calls->is_array()) {
    return fail(ErrorCode::invalid_argument, "'tool_calls' must be a list");
  }
  for (const Json& each : calls->get_array()) {
    const JsonObject* call = each.if_object();
    const Json* function = call == nullptr ? nullptr : call->if_contains("function");
    if (function == nullptr || !function->is_object()) {
      return fail(ErrorCode::invalid_argument, "A tool call must have an id and a function");
    }
    std::string id = TRY(text_in(*call, "id"));
    std::string name = TRY(text_in(function->get_object(), "name"));
    std::string arguments = TRY(text_in(function->get_object(), "arguments", "{}"));
    message.parts.push_back(ToolCall{std::move(id), std::move(name), std::move(arguments)});
  }
  return message;
}

Result<void> read_chat_tools(const JsonObject& body, Conversation& conversation) {
  const Json* tools = body.if_contains("tools");
  if (tools == nullptr || !tools->is_array()) return {};
  for (const Json& each : tools->get_array()) {
    const JsonObject* tool = each.if_object();
    const Json* function = tool == nullptr ? nullptr : tool->if_contains("function");
    if (function == nullptr || !function->is_object()) {
      return fail(ErrorCode::unsupported, "Only tools of the type 'function' can be handed in");
    }
    const JsonObject& spec = function->get_object();
    CallerTool named;
    named.name = TRY(text_in(spec, "name"));
    named.description = TRY(text_in(spec, "description", ""));
    if (const Json* parameters = spec.if_contains("parameters")) named.parameters = *parameters;
    conversation.tools.push_back(std::move(named));
  }
  return {};
}

class ChatRendering : public Rendering {
 public:
  explicit ChatRendering(bool wants_usage) : wants_usage_(wants_usage) {}

  Json whole(const Completion& completion) override {
    JsonObject message{{"role", "assistant"}, {"content", completion.text}, {"refusal", nullptr}};
    if (!completion.calls.empty()) {
      message["tool_calls"] = calls_json(completion, Numbered::no);
      if (completion.text.empty()) message["content"] = nullptr;
    }
    JsonArray choices;
    choices.push_back({{"index", 0},
                       {"message", std::move(message)},
                       {"logprobs", nullptr},
                       {"finish_reason", reason(completion)}});
    return {{"id", id(completion)},
            {"object", "chat.completion"},
            {"created", completion.at / 1000},
            {"model", completion.agent},
            {"choices", std::move(choices)},
            {"usage", usage_json(completion.usage)}};
  }

  Json error(const Error& error) override { return openai_error(error); }

  std::string opening(const Completion& beginning) override {
    beginning_ = beginning;
    return chunk_line({{"role", "assistant"}, {"content", ""}}, nullptr);
  }

  std::string text(std::string_view piece) override {
    return chunk_line({{"content", piece}}, nullptr);
  }

  std::string ending(const Completion& completion) override {
    if (completion.error) return data_line(error(*completion.error)) + "data: [DONE]\n\n";
    std::string text;
    if (!completion.calls.empty()) {
      text += chunk_line({{"tool_calls", calls_json(completion, Numbered::yes)}}, nullptr);
    }
    text += chunk_line(JsonObject(), reason(completion));
    if (wants_usage_) {
      Json last = chunk_json();
      last.as_object()["choices"] = JsonArray();
      last.as_object()["usage"] = usage_json(completion.usage);
      text += data_line(last);
    }
    return text + "data: [DONE]\n\n";
  }

 private:
  enum class Numbered : std::uint8_t { no, yes };

  static std::string id(const Completion& completion) {
    return fmt::format("chatcmpl-{}", completion.session_id);
  }
  static const char* reason(const Completion& completion) {
    if (!completion.calls.empty()) return "tool_calls";
    return completion.is_cut ? "length" : "stop";
  }
  static Json usage_json(const Usage& usage) {
    return {{"prompt_tokens", usage.input_tokens},
            {"completion_tokens", usage.output_tokens},
            {"total_tokens", usage.input_tokens + usage.output_tokens},
            {"prompt_tokens_details", {{"cached_tokens", usage.cached_tokens}}},
            {"completion_tokens_details", {{"reasoning_tokens", usage.reasoning_tokens}}}};
  }
  static JsonArray calls_json(const Completion& completion, Numbered numbered) {
    JsonArray calls;
    for (const HandedCall& call : completion.calls) {
      JsonObject json{{"id", call.id},
                      {"type", "function"},
                      {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
      if (numbered == Numbered::yes) json["index"] = calls.size();
      calls.push_back(std::move(json));
    }
    return calls;
  }
  Json chunk_json() const {
    return {{"id", id(beginning_)},
            {"object", "chat.completion.chunk"},
            {"created", beginning_.at / 1000},
            {"model", beginning_.agent}};
  }
  std::string chunk_line(JsonObject delta, const char* finish_reason) const {
    Json json = chunk_json();
    JsonArray choices;
    choices.push_back({{"index", 0},
                       {"delta", std::move(delta)},
                       {"logprobs", nullptr},
                       {"finish_reason", finish_reason == nullptr ? Json() : Json(finish_reason)}});
    json.as_object()["choices"] = std::move(choices);
    return data_line(json);
  }

  const bool wants_usage_;
  Completion beginning_;
};

}  // namespace

Result<Conversation> conversation_from_chat(const JsonObject& body) {
  Conversation conversation;
  TRY(read_common(body, conversation));
  conversation.wishes = TRY(wishes_from_chat(body));
  TRY(read_chat_tools(body, conversation));
  const Json* options = body.if_contains("stream_options");
  if (options != nullptr && options->is_object()) {
    const Json* usage = options->get_object().if_contains("include_usage");
    conversation.wants_usage = usage != nullptr && usage->is_bool() && usage->get_bool();
  }
  const Json* messages = body.if_contains("messages");
  if (messages == nullptr || !messages->is_array()) {
    return fail(ErrorCode::invalid_argument, "'messages' must be a list");
  }
  for (const Json& each : messages->get_array()) {
    const JsonObject* object = each.if_object();
    if (object == nullptr) return fail(ErrorCode::invalid_argument, "A message is an object");
    const std::string role = TRY(text_in(*object, "role"));
    if (role == "system" || role == "developer") {
      const Json* content = object->if_contains("content");
      const std::string text = TRY(text_of_content(content == nullptr ? Json() : *content));
      conversation.instructions += (conversation.instructions.empty() ? "" : "\n\n") + text;
      continue;
    }
    const Role known = TRY(role_from(role));
    auto message = TRY(chat_message(*object, known));
    conversation.messages.push_back(std::move(message));
  }
  return conversation;
}

std::unique_ptr<Rendering> chat_rendering(const Conversation& conversation) {
  return std::make_unique<ChatRendering>(conversation.wants_usage);
}

}  // namespace wright::server
