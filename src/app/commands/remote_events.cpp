#include "app/commands/remote_events.h"

#include <boost/json/object.hpp>

#include <utility>

#include "app/wiring/remote_rows.h"
#include "wright/feedback.h"

namespace wright::app {
namespace {

std::string text_at(const JsonObject& data, std::string_view key) {
  const Json* value = data.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t number_at(const JsonObject& data, std::string_view key) {
  const Json* value = data.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

double real_at(const JsonObject& data, std::string_view key) {
  const Json* value = data.if_contains(key);
  return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
}

Usage usage_at(const JsonObject& data, std::string_view key) {
  const Json* value = data.if_contains(key);
  if (value == nullptr) return {};
  return usage_from(*value).value_or(Usage{});
}

Error error_at(const JsonObject& data, std::string_view key) {
  const Json* value = data.if_contains(key);
  if (value == nullptr || !value->is_object()) return {};
  const JsonObject& error = value->get_object();
  return {error_code_from(text_at(error, "code")).value_or(ErrorCode::internal),
          text_at(error, "message"),
          {}};
}

ToolOutcome outcome_of(const ToolCall& call, const JsonObject& data) {
  ToolOutcome outcome{.result = {.call_id = call.id, .name = call.name}};
  const std::string status = text_at(data, "status");
  if (status == "waiting") {
    Waiting waiting;
    if (const auto kind = wait_kind_from(text_at(data, "kind"))) waiting.kind = *kind;
    if (const Json* shown = data.if_contains("shown")) waiting.shown = *shown;
    outcome.waiting = std::move(waiting);
    return outcome;
  }
  outcome.result.content = text_at(data, "content");
  outcome.duration_ms = real_at(data, "duration_ms");
  if (status == "failed") {
    outcome.result.is_error = true;
    outcome.error = Error{ErrorCode::tool_failed, outcome.result.content, {}};
  }
  return outcome;
}

}  // namespace

ToolCall RemoteEvents::call_in(const JsonObject& data) {
  const std::string id = text_at(data, "call_id");
  const auto known = calls_.find(id);
  if (known != calls_.end()) return known->second;
  return {id, text_at(data, "name"), text_at(data, "arguments")};
}

void RemoteEvents::tell(const StoredEvent& event, const Tell& tell) {
  const JsonObject* found = event.data.if_object();
  if (found == nullptr) return;
  const JsonObject& data = *found;
  const std::string& type = event.type;
  if (type == "session_started") {
    tell(SessionStarted{event.session_id});
  } else if (type == "model_started") {
    tell(ModelStarted{static_cast<int>(number_at(data, "iteration"))});
  } else if (type == "text_delta") {
    const std::string text = text_at(data, "text");
    tell(TextDelta{text, phase_named(text_at(data, "phase")).value_or(Text::Phase::unmarked)});
  } else if (type == "model_retried") {
    const Error error = error_at(data, "error");
    const std::string next = text_at(data, "next");
    const ModelRetry retry{error, next, std::chrono::milliseconds(number_at(data, "wait_ms"))};
    tell(ModelRetried{retry});
  } else if (type == "model_ended") {
    Response response{.usage = usage_at(data, "usage")};
    if (std::string text = text_at(data, "text"); !text.empty()) {
      response.content.emplace_back(Text{.text = std::move(text)});
    }
    tell(ModelEnded{response, real_at(data, "duration_ms")});
  } else if (type == "context_shortened") {
    const Usage usage = usage_at(data, "usage");
    tell(ContextShortened{static_cast<std::size_t>(number_at(data, "shortened_messages")),
                          static_cast<std::size_t>(number_at(data, "summarised_messages")), usage});
  } else if (type == "tool_started") {
    const ToolCall call{text_at(data, "call_id"), text_at(data, "name"),
                        text_at(data, "arguments")};
    calls_.insert_or_assign(call.id, call);
    tell(ToolStarted{call});
  } else if (type == "tool_progress") {
    const std::string text = text_at(data, "text");
    const ToolCall call = call_in(data);
    tell(ToolProgress{call, text});
  } else if (type == "tool_ended") {
    const ToolCall call = call_in(data);
    const ToolOutcome outcome = outcome_of(call, data);
    tell(ToolEnded{call, outcome});
  } else if (type == "child_started") {
    const ToolCall call = call_in(data);
    const std::string agent = text_at(data, "agent");
    tell(ChildStarted{call, agent, number_at(data, "session_id")});
  } else if (type == "handed_off") {
    const std::string agent = text_at(data, "agent");
    tell(HandedOff{agent});
  } else if (type == "feedback_given") {
    if (const auto report = feedback_report_from_json(event.data)) tell(FeedbackGiven{*report});
  }
}

}  // namespace wright::app
