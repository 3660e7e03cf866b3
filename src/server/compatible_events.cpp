// What a run of a vendor's protocol hears of its session: as it happens, or from the store.
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/caller_tools.h"
#include "server/compatible_run.h"

namespace wright::server {
namespace {

// What the model said last, in the store's words.
std::string last_words_of(Store& store, SessionId id) {
  constexpr std::size_t kMostResults = 200;  // of one turn, and waits do not come before the turn
  const auto messages = store.get_messages(id, {.limit = kMostResults, .keep = Page::Keep::last});
  if (!messages) return {};
  for (const StoredMessage& each : std::views::reverse(*messages)) {
    if (each.message.role == Role::assistant) return each.message.text();
  }
  return {};
}

}  // namespace

void CompatibleRun::take(const Event& event) {
  if (const auto* delta = std::get_if<TextDelta>(&event)) return said(delta->text);
  if (std::holds_alternative<ModelStarted>(event) || std::holds_alternative<ModelRetried>(event)) {
    begins_anew();
  } else if (const auto* model = std::get_if<ModelEnded>(&event)) {
    turn_ended(model->response.text(), model->response.usage);
  } else if (const auto* waiting = std::get_if<RunWaiting>(&event)) {
    std::vector<HandedCall> calls;
    std::set<WaitId> waits;
    for (const PersonWait& wait : waiting->waits) {
      waits.insert(wait.wait_id);
      auto call = handed_call({wait.session_id, wait.wait_id, to_string(wait.kind)}, wait.shown);
      if (call) calls.push_back(std::move(*call));
    }
    waits_for(std::move(calls), waits);
  } else if (const auto* ended = std::get_if<RunEnded>(&event)) {
    run_ended(std::string(ended->text),
              ended->error == nullptr ? std::nullopt : std::optional(*ended->error));
  }
}

void CompatibleRun::take(const SessionEvent& event) {
  if (event.depth != 0) return;
  const JsonObject* data = event.data.if_object();
  if (data == nullptr) return;
  if (event.type == "text_delta") return said(data->at("text").as_string());
  if (event.type == "model_started" || event.type == "model_retried") {
    begins_anew();
  } else if (event.type == "model_ended") {
    const auto usage = usage_from_json(data->at("usage"));
    turn_ended(std::string(data->at("text").as_string()), usage ? *usage : Usage());
  } else if (event.type == "run_waiting") {
    std::vector<HandedCall> calls;
    std::set<WaitId> waits;
    for (const Json& each : data->at("waits").as_array()) {
      const JsonObject& wait = each.as_object();
      const WaitId id = wait.at("wait_id").to_number<WaitId>();
      waits.insert(id);
      auto call = handed_call(
          {wait.at("session_id").to_number<SessionId>(), id, wait.at("kind").as_string()},
          wait.at("shown"));
      if (call) calls.push_back(std::move(*call));
    }
    waits_for(std::move(calls), waits);
  } else if (event.type == "run_ended") {
    std::optional<Error> error;
    if (const JsonObject* told = data->at("error").if_object()) {
      const auto code = error_code_from(told->at("code").as_string());
      error =
          Error{code ? *code : ErrorCode::internal, std::string(told->at("message").as_string())};
    }
    run_ended(std::string(data->at("text").as_string()), std::move(error));
  }
}

// A session that ended, or began to wait, before anybody listened has told so to the store.
void CompatibleRun::look_at_stored(SessionId id) {
  const auto session = store_.get_session(id);
  if (!session || session->status == SessionStatus::running) return;
  if (session->status == SessionStatus::waiting) {
    const auto open = store_.get_waits({.session_id = id, .status = WaitStatus::open});
    if (!open) return;
    std::vector<HandedCall> calls;
    std::set<WaitId> waits;
    for (const StoredWait& wait : *open) {
      waits.insert(wait.id);
      auto call = handed_call({wait.session_id, wait.id, to_string(wait.kind)}, wait.shown);
      if (call) calls.push_back(std::move(*call));
    }
    {
      const std::string words = last_words_of(store_, id);
      const std::lock_guard lock(mutex_);
      if (turn_text_.empty()) turn_text_ = words;
      if (!has_ended_) completion_.usage = session->usage - usage_before_;
    }
    return waits_for(std::move(calls), waits);
  }
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return;
    completion_.usage = session->usage - usage_before_;
  }
  std::optional<Error> error;
  if (session->status != SessionStatus::completed) {
    error = Error{session->error_code.value_or(ErrorCode::internal),
                  session->error.value_or("The session was cancelled")};
  }
  run_ended(session->result.value_or(""), std::move(error));
}

}  // namespace wright::server
