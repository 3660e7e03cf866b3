#include "store/message_codec.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/json_escape.h"
#include "core/older_forms.h"
#include "core/try.h"

namespace wright::store {
namespace {

constexpr std::string_view kContent = "content";
constexpr std::string_view kContentAt = "content_at";
constexpr std::string_view kContentBytes = "content_bytes";

struct ShownResult {
  std::string_view name;
  std::string_view content;
  bool is_error = false;
};

// Reads "Tool X result:\n…" and "Tool X failed: …", as earlier versions stored results.
std::optional<ShownResult> shown_result(std::string_view text) {
  constexpr std::string_view kTool = "Tool ";
  constexpr std::string_view kSucceeded = " result:\n";
  constexpr std::string_view kFailed = " failed: ";
  if (!text.starts_with(kTool)) return std::nullopt;
  text.remove_prefix(kTool.size());
  const std::size_t succeeded = text.find(kSucceeded);
  const std::size_t failed = text.substr(0, succeeded).find(kFailed);
  if (failed != std::string_view::npos) {
    return ShownResult{text.substr(0, failed), text.substr(failed + kFailed.size()), true};
  }
  if (succeeded == std::string_view::npos) return std::nullopt;
  return ShownResult{text.substr(0, succeeded), text.substr(succeeded + kSucceeded.size()), false};
}

// The only part of a message that is one tool's answer, or null.
const ToolResult* single_result(const Message& message) {
  if (message.role != Role::tool || message.parts.size() != 1) return nullptr;
  return std::get_if<ToolResult>(&message.parts.front());
}

bool is_plain(const Text& text) {
  return text.phase == Text::Phase::unmarked && text.citations.empty();
}

// A text that its column says all about.
bool is_single_text(const Message& message) {
  if (message.parts.size() != 1) return false;
  const auto* text = std::get_if<Text>(&message.parts.front());
  return text != nullptr && is_plain(*text);
}

// The text of a result, from where its part says that it stands.
Result<void> put_content_back(Json& parts, std::string_view content) {
  JsonArray* array = parts.if_array();
  JsonObject* part = array != nullptr && array->size() == 1 ? array->front().if_object() : nullptr;
  const Json* at = part != nullptr ? part->if_contains(kContentAt) : nullptr;
  if (at == nullptr) return {};
  const Json* bytes = part->if_contains(kContentBytes);
  const bool are_numbers = at->is_int64() && bytes != nullptr && bytes->is_int64() &&
                           at->get_int64() >= 0 && bytes->get_int64() >= 0;
  const auto begin = are_numbers ? static_cast<std::size_t>(at->get_int64()) : 0;
  const auto length = are_numbers ? static_cast<std::size_t>(bytes->get_int64()) : 0;
  if (!are_numbers || begin > content.size() || length > content.size() - begin) {
    return fail(ErrorCode::invalid_json, "A result is not where its message says");
  }
  (*part)[kContent] = content.substr(begin, length);
  return {};
}

void append_member(std::string& json, std::string_view key, std::string_view text) {
  if (json.back() != '{') json += ',';
  ((json += '"') += key) += "\":\"";
  append_escaped(json, text, EscapeDelete::no);
  json += '"';
}

void append_member(std::string& json, std::string_view key, std::uint64_t number) {
  (((json += ",\"") += key) += "\":") += std::to_string(number);
}

// Roughly, with some room for escapes.
std::size_t bytes_of_plain_parts(const Message& message) {
  constexpr std::size_t kNames = 96;
  std::size_t bytes = kNames;
  for (const Part& part : message.parts) {
    bytes += kNames;
    if (const auto* text = std::get_if<Text>(&part)) bytes += text->text.size();
    if (const auto* call = std::get_if<ToolCall>(&part)) {
      bytes += call->id.size() + call->name.size() + call->arguments.size() * 5 / 4;
    }
  }
  return bytes;
}

// What most turns consist of is written without building its JSON first. Nothing: it is other.
std::optional<std::string> plain_parts(const Message& message) {
  std::string json;
  json.reserve(bytes_of_plain_parts(message));
  json += '[';
  for (const Part& part : message.parts) {
    json += json.size() == 1 ? "{" : ",{";
    const auto* text = std::get_if<Text>(&part);
    if (const auto* call = std::get_if<ToolCall>(&part)) {
      append_member(json, "type", "tool_call");
      append_member(json, "id", call->id);
      append_member(json, "name", call->name);
      append_member(json, "arguments", call->arguments);
    } else if (text != nullptr && is_plain(*text)) {
      append_member(json, "type", "text");
      append_member(json, "text", text->text);
    } else {
      return std::nullopt;
    }
    json += '}';
  }
  json += ']';
  return json;
}

// Of a result whose text stands in the column `content`.
std::string plain_result(const ToolResult& result, std::size_t content_at) {
  constexpr std::size_t kNames = 192;
  std::string json;
  json.reserve(kNames + result.call_id.size() + result.name.size());
  json += "[{";
  append_member(json, "type", "tool_result");
  append_member(json, "call_id", result.call_id);
  append_member(json, "name", result.name);
  json += result.is_error ? ",\"is_error\":true" : ",\"is_error\":false";
  if (result.fingerprint != 0) append_member(json, "fingerprint", result.fingerprint);
  if (result.origin != older::origin_in(result)) {
    append_member(json, "origin", to_string(result.origin));
  }
  append_member(json, kContentAt, content_at);
  append_member(json, kContentBytes, result.content.size());
  json += "}]";
  return json;
}

}  // namespace

MessageColumns to_columns(const Message& message) {
  MessageColumns columns{display_text(message), {}, {}};
  if (is_single_text(message)) return columns;
  if (const ToolResult* result = single_result(message);
      result != nullptr && result->images.empty() && result->notices.empty() &&
      is_valid_utf8(columns.content)) {
    columns.tool_call_id = result->call_id;
    columns.parts = plain_result(*result, columns.content.find(result->content));
    return columns;
  }
  columns.parts = plain_parts(message);
  if (columns.parts) return columns;
  Json parts = std::move(to_json(message).at("parts"));
  if (const ToolResult* result = single_result(message)) {
    columns.tool_call_id = result->call_id;
    // What is not UTF-8 is stored changed, and may then stand elsewhere.
    if (is_valid_utf8(columns.content)) {
      JsonObject& part = parts.at(0).as_object();
      part.erase(kContent);
      part[kContentAt] = columns.content.find(result->content);
      part[kContentBytes] = result->content.size();
    }
  }
  columns.parts = to_text(parts);
  return columns;
}

Result<Message> message_from(Role role, const MessageColumns& columns) {
  if (columns.parts) {
    auto parts = TRY(parse_json(*columns.parts));
    TRY(put_content_back(parts, columns.content));
    return message_from_json({{"role", to_string(role)}, {"parts", std::move(parts)}});
  }
  if (columns.tool_call_id) {
    if (const auto shown = shown_result(columns.content)) {
      return older::with_notices(Message::tool({.call_id = *columns.tool_call_id,
                                                .name = std::string(shown->name),
                                                .content = std::string(shown->content),
                                                .is_error = shown->is_error}));
    }
  }
  return older::with_notices(Message{role, {Text{columns.content}}});
}

std::optional<std::string> result_column(const std::optional<ToolResult>& result) {
  if (!result) return std::nullopt;
  return to_text(to_json(Message::tool(*result)).at("parts").at(0));
}

Result<std::optional<ToolResult>> result_from(const std::optional<std::string>& column) {
  if (!column) return std::nullopt;
  auto part = TRY(parse_json(*column));
  auto message = TRY(
      message_from_json({{"role", to_string(Role::tool)}, {"parts", JsonArray{std::move(part)}}}));
  auto* result = std::get_if<ToolResult>(&message.parts.front());
  if (result == nullptr) return fail(ErrorCode::invalid_json, "It is not the result of a tool");
  return std::move(*result);
}

}  // namespace wright::store
