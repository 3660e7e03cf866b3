// Writes cassettes: records of sessions as JSON that people read and compare. Texts of several
// lines are lists of lines, and JSON inside of texts stands there as JSON, wherever that loses
// nothing.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/older_forms.h"
#include "runtime/cassette_format.h"
#include "wright/replay.h"

namespace wright {
namespace {

Json text_json(std::string_view text) {
  if (text.find('\n') == std::string_view::npos) return Json(text);
  JsonArray lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Nothing when the text is no JSON, or would not come back byte for byte.
std::optional<Json> structured(std::string_view text) {
  auto json = parse_json(text);
  if (!json || !json->is_structured() || to_text(*json) != text) return std::nullopt;
  return std::move(*json);
}

class Writer {
 public:
  explicit Writer(const Redactor& redactor) : redactor_(redactor) {}

  Json session(const RecordedSession& recorded) const {
    JsonObject json{{"agent", recorded.agent},
                    {"provider", recorded.provider},
                    {"model", recorded.model},
                    {"instructions", text_json(clean(recorded.instructions))},
                    {"settings", redactor_.redacted(recorded.config)},
                    {"status", to_string(recorded.status)}};
    if (!recorded.error.empty()) json["error"] = text_json(clean(recorded.error));
    if (recorded.limit) json["limit"] = to_string(*recorded.limit);
    JsonArray messages;
    for (const Message& each : recorded.messages) messages.push_back(message(each));
    json["messages"] = std::move(messages);
    JsonArray calls;
    for (const RecordedCall& each : recorded.calls) {
      if (auto told = call(each, recorded)) calls.push_back(std::move(*told));
    }
    if (!calls.empty()) json["calls"] = std::move(calls);
    return json;
  }

 private:
  std::string clean(std::string_view text) const { return redactor_.redacted(text); }

  Json message(const Message& message) const {
    JsonArray parts;
    for (const Part& each : message.parts) {
      parts.push_back(std::visit([this](const auto& p) { return part(p); }, each));
    }
    return {{"role", to_string(message.role)}, {"parts", std::move(parts)}};
  }

  Json part(const Text& text) const {
    JsonObject json{{"type", "text"}, {"text", text_json(clean(text.text))}};
    if (text.phase != Text::Phase::unmarked) json["phase"] = to_string(text.phase);
    JsonArray citations;
    for (const Citation& each : text.citations) {
      citations.push_back(
          {{"url", clean(each.url)}, {"title", clean(each.title)}, {"quote", clean(each.quote)}});
    }
    if (!citations.empty()) json["citations"] = std::move(citations);
    return json;
  }
  // A vendor's own block means nothing without the vendor.
  Json part(const Reasoning& thought) const {
    return {{"type", "reasoning"}, {"text", text_json(clean(thought.text))}};
  }
  Json part(const Image& image) const {
    return {{"type", "image"}, {"media_type", image.media_type}, {"base64", image.base64}};
  }
  Json part(const Notice& told) const {
    return {{"type", "notice"}, {"kind", to_string(told.kind)}, {"text", told.text}};
  }
  Json part(const ToolCall& call) const {
    const std::string arguments = clean(call.arguments);
    auto json = structured(arguments);
    return {{"type", "tool_call"},
            {"id", call.id},
            {"name", call.name},
            {"arguments", json && json->is_object() ? std::move(*json) : Json(arguments)}};
  }
  Json part(const ToolResult& result) const { return result_json(result); }

  JsonObject result_json(const ToolResult& result) const {
    JsonObject json{{"type", "tool_result"}, {"call_id", result.call_id}, {"name", result.name}};
    if (result.is_error) json["is_error"] = true;
    const std::string content = clean(result.content);
    if (auto inner = structured(content)) {
      json["json"] = std::move(*inner);
    } else {
      json["content"] = text_json(content);
    }
    JsonArray images;
    for (const Image& image : result.images) images.push_back(part(image));
    if (!images.empty()) json["images"] = std::move(images);
    JsonArray notices;
    for (const Notice& told : result.notices) notices.push_back(part(told));
    if (!notices.empty()) json["notices"] = std::move(notices);
    if (result.fingerprint != 0) json["fingerprint"] = result.fingerprint;
    if (result.origin != older::origin_in(result)) json["origin"] = to_string(result.origin);
    return json;
  }

  // What the messages do not tell of a call; nothing when they tell all.
  std::optional<Json> call(const RecordedCall& call, const RecordedSession& session) const {
    const bool is_told = std::ranges::any_of(session.messages, [&](const Message& message) {
      return std::ranges::any_of(message.parts, [&](const Part& part) {
        const auto* result = std::get_if<ToolResult>(&part);
        return result != nullptr && result->call_id == call.id;
      });
    });
    const bool has_plain_status =
        is_told && call.result &&
        call.status == (call.result->is_error ? CallStatus::failed : CallStatus::completed);
    if (has_plain_status && call.waits.empty() && call.specialist.empty()) return std::nullopt;
    JsonObject json{{"id", call.id}};
    if (!has_plain_status) json["status"] = to_string(call.status);
    if (!is_told && call.result) json["result"] = result_json(*call.result);
    JsonArray waits;
    for (const RecordedWait& wait : call.waits) {
      JsonObject told{{"kind", to_string(wait.kind)}, {"shown", redactor_.redacted(wait.shown)}};
      told["covers"] = JsonArray(wait.covers.begin(), wait.covers.end());
      if (wait.answer) told["answer"] = redactor_.redacted(*wait.answer);
      waits.push_back(std::move(told));
    }
    if (!waits.empty()) json["waits"] = std::move(waits);
    if (!call.specialist.empty()) json["specialist"] = this->session(call.specialist.front());
    return json;
  }

  const Redactor& redactor_;
};

}  // namespace

std::string cassette_text(const RecordedSession& recorded, const Redactor& redactor) {
  const JsonObject json{{"format", runtime::kCassetteFormat},
                        {"version", kCassetteVersion},
                        {"session", Writer(redactor).session(recorded)}};
  return to_pretty_text(json) + "\n";
}

}  // namespace wright
