#include "runtime/event_json.h"

#include <fmt/format.h>

#include "core/unknown_outcome.h"
#include "wright/feedback.h"

namespace wright::runtime {

Json waits_json(std::span<const PersonWait> waits) {
  JsonArray list;
  for (const PersonWait& wait : waits) {
    list.push_back({{"wait_id", wait.wait_id},
                    {"session_id", wait.session_id},
                    {"call_id", wait.call.id},
                    {"name", wait.call.name},
                    {"kind", to_string(wait.kind)},
                    {"shown", wait.shown}});
  }
  return list;
}

namespace {

Json call_json(const ToolCall& call) {
  return {{"call_id", call.id}, {"name", call.name}, {"arguments", call.arguments}};
}

Json error_json(const Error& error) {
  return {{"code", to_string(error.code)}, {"message", error.message}};
}

struct TypeOf {
  std::string_view operator()(const SessionStarted&) const { return "session_started"; }
  std::string_view operator()(const ModelStarted&) const { return "model_started"; }
  std::string_view operator()(const TextDelta&) const { return "text_delta"; }
  std::string_view operator()(const ModelRetried&) const { return "model_retried"; }
  std::string_view operator()(const ModelEnded&) const { return "model_ended"; }
  std::string_view operator()(const ContextShortened&) const { return "context_shortened"; }
  std::string_view operator()(const ToolStarted&) const { return "tool_started"; }
  std::string_view operator()(const ToolProgress&) const { return "tool_progress"; }
  std::string_view operator()(const ToolEnded&) const { return "tool_ended"; }
  std::string_view operator()(const ChildStarted&) const { return "child_started"; }
  std::string_view operator()(const HandedOff&) const { return "handed_off"; }
  std::string_view operator()(const RunWaiting&) const { return "run_waiting"; }
  std::string_view operator()(const RunEnded&) const { return "run_ended"; }
  std::string_view operator()(const MessageTaken&) const { return "message_taken"; }
  std::string_view operator()(const FeedbackGiven&) const { return "feedback_given"; }
};

struct DataOf {
  Json operator()(const FeedbackGiven& e) const { return to_json(e.report); }
  Json operator()(const SessionStarted& e) const { return {{"session_id", e.session_id}}; }
  Json operator()(const ModelStarted& e) const { return {{"iteration", e.iteration}}; }
  Json operator()(const TextDelta& e) const {
    JsonObject data{{"text", e.text}};
    if (e.phase != Text::Phase::unmarked) data["phase"] = to_string(e.phase);
    return data;
  }
  Json operator()(const ModelRetried& e) const {
    return {{"error", error_json(e.retry.error)},
            {"next", e.retry.next},
            {"wait_ms", e.retry.wait.count()}};
  }
  Json operator()(const ModelEnded& e) const {
    JsonObject data{{"text", e.response.text()},
                    {"usage", to_json(e.response.usage)},
                    {"duration_ms", e.duration_ms}};
    if (e.response.request_fingerprint != 0) {
      data["request"] = fmt::format("{:016x}", e.response.request_fingerprint);
    }
    return data;
  }
  Json operator()(const ContextShortened& e) const {
    return {{"shortened_messages", e.shortened_messages},
            {"summarised_messages", e.summarised_messages},
            {"usage", to_json(e.usage)}};
  }
  Json operator()(const ToolStarted& e) const { return call_json(e.call); }
  Json operator()(const ToolProgress& e) const {
    return {{"call_id", e.call.id}, {"name", e.call.name}, {"text", e.text}};
  }
  Json operator()(const ToolEnded& e) const {
    JsonObject json{{"call_id", e.call.id}, {"name", e.call.name}};
    if (e.outcome.waiting) {
      json["status"] = "waiting";
      json["kind"] = to_string(e.outcome.waiting->kind);
      json["shown"] = e.outcome.waiting->shown;
      return json;
    }
    json["status"] = e.outcome.result.is_error ? "failed" : "completed";
    if (e.is_unknown || is_unknown(e.outcome)) json["status"] = to_string(CallStatus::unknown);
    json["content"] = e.outcome.result.content;
    json["duration_ms"] = e.outcome.duration_ms;
    return json;
  }
  Json operator()(const ChildStarted& e) const {
    return {{"call_id", e.call.id}, {"agent", e.agent}, {"session_id", e.session_id}};
  }
  Json operator()(const HandedOff& e) const { return {{"agent", e.agent}}; }
  Json operator()(const MessageTaken& e) const { return {{"text", display_text(e.message)}}; }
  Json operator()(const RunWaiting& e) const { return {{"waits", waits_json(e.waits)}}; }
  Json operator()(const RunEnded& e) const {
    return {{"phase", to_string(e.phase)},
            {"text", e.text},
            {"error", e.error != nullptr ? error_json(*e.error) : Json(nullptr)}};
  }
};

}  // namespace

std::string_view type_of(const Event& event) {
  return std::visit(TypeOf{}, event);
}

Json data_of(const Event& event) {
  return std::visit(DataOf{}, event);
}

}  // namespace wright::runtime
