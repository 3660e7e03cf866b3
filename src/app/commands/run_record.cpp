#include "app/commands/run_record.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "app/terminal/figures.h"
#include "core/unknown_outcome.h"
#include "wright/session.h"

namespace wright::app {

void RunRecord::observe(const Event& event) {
  if (const auto* started = std::get_if<SessionStarted>(&event)) {
    session_id_ = started->session_id;
  } else if (const auto* ended = std::get_if<ModelEnded>(&event)) {
    ++iterations_;
    usage_ += ended->response.usage;
    last_answer_ = ended->response.content;
  } else if (const auto* shortened = std::get_if<ContextShortened>(&event)) {
    usage_ += shortened->usage;
  } else if (const auto* tool = std::get_if<ToolEnded>(&event)) {
    if (!tool->is_unknown) add(tool->call, tool->outcome);  // else it is of another run
  } else if (const auto* given = std::get_if<FeedbackGiven>(&event)) {
    feedback_ = given->report;
  }
}

void RunRecord::observe_below(const Event& event) {
  if (const auto* ended = std::get_if<ModelEnded>(&event)) usage_ += ended->response.usage;
  if (const auto* shortened = std::get_if<ContextShortened>(&event)) usage_ += shortened->usage;
}

Json RunRecord::json(std::string_view status, const std::string* answer, const Error* error) const {
  JsonObject json{{"session_id", session_id_ == 0 ? Json(nullptr) : Json(session_id_)},
                  {"status", status},
                  {"answer", answer != nullptr ? Json(*answer) : Json(nullptr)},
                  {"usage", to_json(usage_)},
                  {"iterations", iterations_},
                  {"tool_calls", tool_calls_},
                  {"error", nullptr}};
  if (error != nullptr) {
    json["error"] = {{"code", to_string(error->code)}, {"message", error->message}};
  }
  if (const std::string cited = sources(); !cited.empty()) json["sources"] = cited;
  if (feedback_) {
    JsonObject report = to_json(*feedback_).as_object();
    JsonObject& feedback = report["tool_feedback"].as_object();
    const Json* reasoning = feedback.if_contains("reasoning");
    json["reasoning"] = reasoning != nullptr ? *reasoning : Json(nullptr);
    feedback.erase("reasoning");
    json["tool_feedback"] = std::move(feedback);
    report.erase("tool_feedback");
    json["feedback_record"] = std::move(report);
  }
  return json;
}

std::string RunRecord::summary(double duration_ms) const {
  std::string text;
  if (session_id_ != 0) text += fmt::format("session {} · ", session_id_);
  text += fmt::format("{} · {} · ", show_counted(iterations_, "turn"),
                      show_counted(std::ssize(tool_calls_), "tool call"));
  if (usage_.input_tokens > 0 || usage_.output_tokens > 0) {
    text += show_tokens(usage_) + " · ";
  }
  if (usage_.cost_usd > 0) text += fmt::format("{} · ", show_cost(usage_.cost_usd));
  return text + show_duration(duration_ms);
}

// A call that waited and was executed again is one call.
void RunRecord::add(const ToolCall& call, const ToolOutcome& outcome) {
  auto arguments = parse_json(call.arguments);
  std::string_view status = outcome.result.is_error ? "failed" : "completed";
  if (is_unknown(outcome)) status = to_string(CallStatus::unknown);
  if (outcome.waiting) status = "waiting";
  JsonObject json{{"id", call.id},
                  {"name", call.name},
                  {"arguments", arguments ? std::move(*arguments) : Json(call.arguments)},
                  {"status", status},
                  {"duration_ms", outcome.duration_ms}};
  if (outcome.error) json["error"] = outcome.error->message;
  const auto [place, is_new] = places_.try_emplace(call.id, tool_calls_.size());
  if (is_new) {
    tool_calls_.push_back(std::move(json));
  } else {
    tool_calls_[place->second] = std::move(json);
  }
}

}  // namespace wright::app
