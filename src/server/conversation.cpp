#include "server/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/try.h"
#include "server/service.h"

namespace wright::server {

Conversation::Results Conversation::results() const {
  Results found;
  std::string words;
  auto message = messages.rbegin();
  for (; message != messages.rend() && message->role == Role::user; ++message) {
    words = "\n\n" + message->text() + words;
    found.has_words = true;
    found.has_images =
        found.has_images || std::ranges::any_of(message->parts, [](const Part& part) {
          return std::holds_alternative<Image>(part);
        });
  }
  for (; message != messages.rend() && message->role == Role::tool; ++message) {
    for (const Part& part : message->parts) {
      if (const auto* result = std::get_if<ToolResult>(&part)) found.results.push_back(*result);
    }
  }
  std::ranges::reverse(found.results);
  if (found.has_words && !found.results.empty()) {
    found.results.back().content += "\n\n[The user says with it:]" + words;
  }
  return found;
}

std::string handed_call_id(SessionId session_id, WaitId wait_id) {
  return fmt::format("call_{}_{}", session_id, wait_id);
}

std::optional<HandedTo> handed_from(std::string_view call_id) {
  constexpr std::string_view kPrefix = "call_";
  if (!call_id.starts_with(kPrefix)) return std::nullopt;
  const char* at = call_id.data() + kPrefix.size();
  const char* end = call_id.data() + call_id.size();
  HandedTo to;
  const auto session = std::from_chars(at, end, to.session_id);
  if (session.ec != std::errc() || session.ptr == end || *session.ptr != '_') return std::nullopt;
  const auto wait = std::from_chars(session.ptr + 1, end, to.wait_id);
  if (wait.ec != std::errc() || wait.ptr != end) return std::nullopt;
  return to;
}

// A text, or a list of parts that are texts.
Result<std::string> text_of_content(const Json& content) {
  if (content.is_null()) return std::string();
  if (content.is_string()) return std::string(content.get_string());
  const JsonArray* parts = content.if_array();
  if (parts == nullptr) return fail(ErrorCode::invalid_argument, "'content' must be a text");
  std::string text;
  for (const Json& part : *parts) {
    const JsonObject* object = part.if_object();
    const Json* words = object == nullptr ? nullptr : object->if_contains("text");
    if (words == nullptr || !words->is_string()) {
      return fail(ErrorCode::unsupported,
                  "Images, files and audio are read in messages of the user alone");
    }
    text += std::string_view(words->get_string());
  }
  return text;
}

std::string data_line(const Json& json) {
  return "data: " + to_text(json) + "\n\n";
}

std::string named_event(std::string_view name, const Json& json) {
  return fmt::format("event: {}\ndata: {}\n\n", name, to_text(json));
}

Result<void> read_common(const JsonObject& body, Conversation& conversation) {
  conversation.agent = TRY(text_in(body, "model"));
  if (const Json* stream = body.if_contains("stream"); stream != nullptr && !stream->is_null()) {
    if (!stream->is_bool()) {
      return fail(ErrorCode::invalid_argument, "'stream' must be true or false");
    }
    conversation.is_streamed = stream->get_bool();
  }
  if (const Json* tools = body.if_contains("tools"); tools != nullptr) {
    if (!tools->is_null() && !tools->is_array()) {
      return fail(ErrorCode::invalid_argument, "'tools' must be a list");
    }
  }
  return {};
}

Json arguments_object(const std::string& arguments) {
  auto json = parse_json(arguments);
  return json && json->is_object() ? std::move(*json) : Json(JsonObject());
}

}  // namespace wright::server
