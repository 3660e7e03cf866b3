// Responses as OpenAI's programs send and read them.
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

// What a response says of its request, and how it says that nothing was asked for.
JsonObject echo_of(const JsonObject& body) {
  JsonObject echoed{{"background", false},
                    {"instructions", nullptr},
                    {"max_output_tokens", nullptr},
                    {"max_tool_calls", nullptr},
                    {"metadata", JsonObject()},
                    {"parallel_tool_calls", true},
                    {"previous_response_id", nullptr},
                    {"reasoning", JsonObject{{"effort", nullptr}, {"summary", nullptr}}},
                    {"safety_identifier", nullptr},
                    {"service_tier", "default"},
                    {"store", true},
                    {"temperature", nullptr},
                    {"text", JsonObject{{"format", JsonObject{{"type", "text"}}}}},
                    {"tool_choice", "auto"},
                    {"tools", JsonArray()},
                    {"top_logprobs", 0},
                    {"top_p", nullptr},
                    {"truncation", "disabled"},
                    {"user", nullptr}};
  for (auto& [key, value] : echoed) {
    const Json* given = body.if_contains(key);
    if (given != nullptr && !given->is_null() && key != "service_tier") value = *given;
  }
  return echoed;
}

// As the vendor bounds it.
Result<void> check_metadata(const JsonObject& body) {
  constexpr std::size_t kMostPairs = 16;
  constexpr std::size_t kLongestKey = 64;
  constexpr std::size_t kLongestValue = 512;
  const Json* metadata = body.if_contains("metadata");
  if (metadata == nullptr || metadata->is_null()) return {};
  const JsonObject* pairs = metadata->if_object();
  bool is_right = pairs != nullptr && pairs->size() <= kMostPairs;
  for (const auto& pair : pairs == nullptr ? JsonObject() : *pairs) {
    is_right = is_right && pair.key().size() <= kLongestKey && pair.value().is_string() &&
               pair.value().get_string().size() <= kLongestValue;
  }
  if (is_right) return {};
  return refused_member(ErrorCode::invalid_argument, "metadata",
                        "must be an object of up to 16 texts, with keys of up to 64 bytes and "
                        "values of up to 512");
}

Result<void> add_item(const JsonObject& item, Conversation& conversation) {
  const std::string type = TRY(text_in(item, "type", "message"));
  if (type == "function_call") {
    std::string id = TRY(text_in(item, "call_id"));
    std::string name = TRY(text_in(item, "name"));
    std::string arguments = TRY(text_in(item, "arguments", "{}"));
    conversation.messages.push_back(
        {Role::assistant, {ToolCall{std::move(id), std::move(name), std::move(arguments)}}});
    return {};
  }
  if (type == "function_call_output") {
    const Json* output = item.if_contains("output");
    ToolResult result;
    result.call_id = TRY(text_in(item, "call_id"));
    result.content = TRY(text_of_content(output == nullptr ? Json() : *output));
    conversation.messages.push_back(Message::tool(std::move(result)));
    return {};
  }
  if (type == "reasoning") return {};
  if (type == "item_reference") {
    // What we have said before stands in its session, with all that came before it.
    const std::string id = TRY(text_in(item, "id"));
    if (auto response = message_item_named(id)) {
      conversation.previous = std::move(*response);
      conversation.messages.clear();
    }
    return {};
  }
  if (type != "message") {
    return fail(ErrorCode::unsupported,
                fmt::format("Input of the type '{}' cannot be read here", type));
  }
  const std::string role = TRY(text_in(item, "role"));
  const Json* content = item.if_contains("content");
  if (role == "user") {
    Message message{.role = Role::user, .parts = {}};
    message.parts = TRY(parts_of_content(content == nullptr ? Json() : *content));
    if (message.parts.empty()) message.parts.emplace_back(Text{});
    conversation.messages.push_back(std::move(message));
    return {};
  }
  std::string text = TRY(text_of_content(content == nullptr ? Json() : *content));
  if (role == "system" || role == "developer") {
    conversation.instructions += (conversation.instructions.empty() ? "" : "\n\n") + text;
    return {};
  }
  const Role known = TRY(role_from(role));
  conversation.messages.push_back({known, {Text{std::move(text)}}});
  return {};
}

class ResponsesRendering : public Rendering {
 public:
  explicit ResponsesRendering(JsonObject echoed) : echoed_(std::move(echoed)) {}

  Json beginning(const Completion& completion) override { return head(completion, "in_progress"); }

  Json whole(const Completion& completion) override {
    Json json = head(completion, status_word(completion));
    JsonArray output;
    if (!completion.text.empty() || completion.calls.empty()) {
      output.push_back(text_item(completion, completion.text, item_status(completion)));
    }
    for (const HandedCall& call : completion.calls) {
      output.push_back(call_item(call, call.arguments, "completed"));
    }
    json.as_object()["output"] = std::move(output);
    json.as_object()["usage"] = usage_json(completion.usage);
    if (completion.error) {
      json.as_object()["error"] = {{"code", "server_error"},
                                   {"message", completion.error->message}};
    } else if (completion.is_cut) {
      json.as_object()["incomplete_details"] = {{"reason", "max_output_tokens"}};
    }
    return json;
  }

  Json error(const Error& error) override { return openai_error(error); }

  std::string opening(const Completion& beginning) override {
    beginning_ = beginning;
    const Json response = head(beginning, "in_progress");
    return event("response.created", {{"response", response}}) +
           event("response.in_progress", {{"response", response}});
  }

  std::string text(std::string_view piece) override {
    std::string text;
    if (!is_in_text_) {
      is_in_text_ = true;
      text += event("response.output_item.added",
                    {{"output_index", 0}, {"item", text_item(beginning_, {}, "in_progress")}});
      text += event("response.content_part.added", {{"item_id", item_id(beginning_)},
                                                    {"output_index", 0},
                                                    {"content_index", 0},
                                                    {"part", part_json({})}});
    }
    said_ += piece;
    return text + event("response.output_text.delta", {{"item_id", item_id(beginning_)},
                                                       {"output_index", 0},
                                                       {"content_index", 0},
                                                       {"delta", piece},
                                                       {"logprobs", JsonArray()}});
  }

  std::string ending(const Completion& completion) override {
    std::string text;
    int index = 0;
    if (is_in_text_) {
      text += event("response.output_text.done", {{"item_id", item_id(beginning_)},
                                                  {"output_index", 0},
                                                  {"content_index", 0},
                                                  {"text", said_},
                                                  {"logprobs", JsonArray()}});
      text += event("response.content_part.done", {{"item_id", item_id(beginning_)},
                                                   {"output_index", 0},
                                                   {"content_index", 0},
                                                   {"part", part_json(said_)}});
      text += event(
          "response.output_item.done",
          {{"output_index", 0}, {"item", text_item(beginning_, said_, item_status(completion))}});
      ++index;
    }
    for (const HandedCall& call : completion.calls) {
      text += event("response.output_item.added",
                    {{"output_index", index}, {"item", call_item(call, {}, "in_progress")}});
      text +=
          event("response.function_call_arguments.delta",
                {{"item_id", "fc_" + call.id}, {"output_index", index}, {"delta", call.arguments}});
      text += event("response.function_call_arguments.done", {{"item_id", "fc_" + call.id},
                                                              {"output_index", index},
                                                              {"name", call.name},
                                                              {"arguments", call.arguments}});
      text +=
          event("response.output_item.done",
                {{"output_index", index}, {"item", call_item(call, call.arguments, "completed")}});
      ++index;
    }
    Completion all = completion;
    if (is_in_text_) all.text = said_;
    return text +
           event(fmt::format("response.{}", status_word(completion)), {{"response", whole(all)}});
  }

 private:
  std::string event(std::string_view name, JsonObject data) {
    data["type"] = name;
    data["sequence_number"] = sequence_++;
    return named_event(name, data);
  }
  static const char* status_word(const Completion& completion) {
    if (completion.error) return "failed";
    return completion.is_cut ? "incomplete" : "completed";
  }
  static const char* item_status(const Completion& completion) {
    return completion.is_cut ? "incomplete" : "completed";
  }
  static std::string item_id(const Completion& completion) {
    return message_item_id({completion.session_id, completion.mark});
  }
  static Json part_json(std::string_view text) {
    return {{"type", "output_text"},
            {"text", text},
            {"annotations", JsonArray()},
            {"logprobs", JsonArray()}};
  }
  static Json text_item(const Completion& completion, std::string_view text,
                        std::string_view status) {
    JsonArray content;
    if (status != "in_progress") content.push_back(part_json(text));
    return {{"type", "message"},
            {"id", item_id(completion)},
            {"status", status},
            {"role", "assistant"},
            {"content", std::move(content)}};
  }
  static Json call_item(const HandedCall& call, std::string_view arguments,
                        std::string_view status) {
    return {{"type", "function_call"}, {"id", "fc_" + call.id},  {"call_id", call.id},
            {"name", call.name},       {"arguments", arguments}, {"status", status}};
  }
  static Json usage_json(const Usage& usage) {
    return {{"input_tokens", usage.input_tokens},
            {"input_tokens_details", {{"cached_tokens", usage.cached_tokens}}},
            {"output_tokens", usage.output_tokens},
            {"output_tokens_details", {{"reasoning_tokens", usage.reasoning_tokens}}},
            {"total_tokens", usage.input_tokens + usage.output_tokens}};
  }
  Json head(const Completion& completion, std::string_view status) const {
    JsonObject json{{"id", response_id({completion.session_id, completion.mark})},
                    {"object", "response"},
                    {"created_at", completion.at / 1000},
                    {"status", status},
                    {"error", nullptr},
                    {"incomplete_details", nullptr},
                    {"model", completion.agent},
                    {"output", JsonArray()},
                    {"usage", nullptr}};
    for (const auto& [key, value] : echoed_) json[key] = value;
    return json;
  }

  const JsonObject echoed_;
  Completion beginning_;
  std::string said_;
  std::int64_t sequence_ = 0;
  bool is_in_text_ = false;
};

}  // namespace

Result<Conversation> conversation_from_responses(const JsonObject& body) {
  Conversation conversation;
  TRY(read_common(body, conversation));
  conversation.wishes = TRY(wishes_from_responses(body));
  TRY(check_metadata(body));
  conversation.is_response = true;
  conversation.echoed = echo_of(body);
  conversation.instructions = TRY(text_in(body, "instructions", ""));
  if (const Json* tools = body.if_contains("tools"); tools != nullptr && tools->is_array()) {
    for (const Json& each : tools->get_array()) {
      const JsonObject* spec = each.if_object();
      if (spec == nullptr) return fail(ErrorCode::invalid_argument, "A tool is an object");
      if (const std::string type = TRY(text_in(*spec, "type")); type != "function") {
        return fail(ErrorCode::unsupported, "Only tools of the type 'function' can be handed in");
      }
      CallerTool named;
      named.name = TRY(text_in(*spec, "name"));
      named.description = TRY(text_in(*spec, "description", ""));
      if (const Json* parameters = spec->if_contains("parameters")) named.parameters = *parameters;
      conversation.tools.push_back(std::move(named));
    }
  }
  const Json* previous = body.if_contains("previous_response_id");
  if (previous != nullptr && !previous->is_null()) {
    const std::string name = TRY(text_in(body, "previous_response_id"));
    conversation.previous = response_named(name);
    if (!conversation.previous) {
      return fail(ErrorCode::not_found, fmt::format("There is no response '{}'", name));
    }
  }
  const Json* input = body.if_contains("input");
  if (input != nullptr && input->is_string()) {
    conversation.messages.push_back(Message::user(std::string(input->get_string())));
    return conversation;
  }
  if (input == nullptr || !input->is_array()) {
    return fail(ErrorCode::invalid_argument, "'input' must be a text or a list");
  }
  for (const Json& each : input->get_array()) {
    const JsonObject* item = each.if_object();
    if (item == nullptr)
      return fail(ErrorCode::invalid_argument, "An item of 'input' is an object");
    TRY(add_item(*item, conversation));
  }
  return conversation;
}

std::unique_ptr<Rendering> responses_rendering(const Conversation& conversation) {
  return std::make_unique<ResponsesRendering>(conversation.echoed);
}

}  // namespace wright::server
