#include "store/message_codec.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <string_view>

namespace wright::store {
namespace {

struct ShownResult {
  std::string_view name;
  std::string_view content;
  bool is_error = false;
};

// Reads "Tool X result:\n…" and "Tool X failed: …".
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

bool is_single_text(const Message& message) {
  return message.parts.size() == 1 && std::holds_alternative<Text>(message.parts.front());
}

}  // namespace

MessageColumns to_columns(const Message& message) {
  MessageColumns columns{display_text(message), {}, {}};
  if (is_single_text(message)) return columns;
  if (const ToolResult* result = single_result(message)) {
    const auto shown = shown_result(columns.content);
    if (shown && shown->name == result->name && shown->is_error == result->is_error) {
      columns.tool_call_id = result->call_id;
      return columns;
    }
  }
  columns.parts = to_text(to_json(message).at("parts"));
  return columns;
}

Result<Message> message_from(Role role, const MessageColumns& columns) {
  if (columns.parts) {
    auto parts = parse_json(*columns.parts);
    if (!parts) return std::unexpected(std::move(parts).error());
    return message_from_json({{"role", to_string(role)}, {"parts", std::move(*parts)}});
  }
  if (columns.tool_call_id) {
    if (const auto shown = shown_result(columns.content)) {
      return Message::tool({*columns.tool_call_id, std::string(shown->name),
                            std::string(shown->content), shown->is_error});
    }
  }
  return Message{role, {Text{columns.content}}};
}

std::optional<std::string> result_column(const std::optional<ToolResult>& result) {
  if (!result) return std::nullopt;
  return to_text(to_json(Message::tool(*result)).at("parts").at(0));
}

Result<std::optional<ToolResult>> result_from(const std::optional<std::string>& column) {
  if (!column) return std::nullopt;
  auto part = parse_json(*column);
  if (!part) return std::unexpected(std::move(part).error());
  auto message =
      message_from_json({{"role", to_string(Role::tool)}, {"parts", JsonArray{std::move(*part)}}});
  if (!message) return std::unexpected(std::move(message).error());
  auto* result = std::get_if<ToolResult>(&message->parts.front());
  if (result == nullptr) return fail(ErrorCode::invalid_json, "It is not the result of a tool");
  return std::move(*result);
}

}  // namespace wright::store
