#include "core/older_forms.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/json_members.h"

namespace wright::older {
namespace {

std::string_view text_of(const Json* json) {
  return json != nullptr && json->is_string() ? std::string_view(json->get_string()) : "";
}

}  // namespace

Message with_notices(Message message) {
  if (message.parts.size() != 1) return message;
  Part& part = message.parts.front();
  if (auto* result = std::get_if<ToolResult>(&part)) {
    const Notice again = notice(Notice::Kind::same_result);
    if (result->content.ends_with('\n' + again.text)) {
      result->content.resize(result->content.size() - again.text.size() - 1);
      result->notices.push_back(again);
    }
    if (result->origin == ToolResult::Origin::tool) result->origin = origin_in(*result);
  } else if (const auto* text = std::get_if<Text>(&part); message.role == Role::user && text) {
    Notice cut = notice(Notice::Kind::answer_cut);
    if (text->text == cut.text) part = std::move(cut);
  }
  return message;
}

ToolResult::Origin origin_in(const ToolResult& result) {
  using enum ToolResult::Origin;
  if (!result.is_error) return tool;
  if (result.content.starts_with("Not run: ")) return not_run;
  return result.content.starts_with("A person refused") ? refused : tool;
}

Waiting waiting(WaitKind kind, Json shown) {
  Waiting made{.kind = kind};
  if (const Json* kinds = member(shown, "kinds"); kinds != nullptr && kinds->is_array()) {
    for (const Json& each : kinds->get_array()) {
      if (each.is_string()) made.covers.emplace_back(each.get_string());
    }
  }
  const Json* seconds = member(shown, "timeout_secs");
  if (seconds != nullptr && seconds->is_int64() && seconds->get_int64() > 0) {
    made.timeout = std::chrono::seconds(seconds->get_int64());
  }
  made.shown = std::move(shown);
  return made;
}

WaitsFor waits_for(const Json& shown) {
  if (shown.is_null()) return {};
  const std::string_view kind = text_of(member(shown, "kind"));
  if (kind == "specialist") return Delegate{std::string(text_of(member(shown, "message")))};
  if (kind == "approval") return waiting(WaitKind::approval, shown);
  return waiting(kind == "result" ? WaitKind::result : WaitKind::question, shown);
}

std::optional<Limit> limit_in(std::string_view error) {
  if (error == "Maximum iteration limit reached") return Limit::iterations;
  if (error.starts_with("The limit of ") && error.ends_with(" tool calls was reached")) {
    return Limit::tool_calls;
  }
  if (error.starts_with("The model made the same call with the same result")) {
    return Limit::repeats;
  }
  return std::nullopt;
}

Json detail(const Json& json) {
  if (!json.is_string()) return json;
  auto parsed = parse_json(json.get_string());
  return parsed && parsed->is_object() ? std::move(*parsed) : Json();
}

}  // namespace wright::older
