#include "server/held_answer.h"

#include <boost/json/object.hpp>

#include <utility>

#include "core/try.h"
#include "server/compatible_routes.h"
#include "server/problem.h"
#include "server/resources.h"

namespace wright::server {

Result<bool> wants_held_answer(const JsonObject& body, const Call& call) {
  const Json* wanted = body.if_contains("cancel_on_disconnect");
  if (wanted == nullptr || wanted->is_null()) return false;
  if (!wanted->is_bool()) {
    return fail(ErrorCode::invalid_argument, "'cancel_on_disconnect' must be a boolean");
  }
  if (!wanted->get_bool()) return false;
  if (body.contains("queue") || body.contains("steer")) {
    return fail(ErrorCode::invalid_argument,
                "'cancel_on_disconnect' goes neither with 'queue' nor with 'steer'");
  }
  if (!call.request.header("Idempotency-Key").empty()) {
    return fail(ErrorCode::invalid_argument,
                "'cancel_on_disconnect' does not go with an Idempotency-Key: what is cancelled "
                "cannot be answered again");
  }
  return true;
}

HeldAnswer::HeldAnswer(const ServiceOptions& options, http::Responder responder, SessionId id,
                       http::Response answer)
    : options_(options), responder_(std::move(responder)), id_(id), answer_(std::move(answer)) {}

Result<void> HeldAnswer::begin() {
  cancel_when_closed();
  auto subscription = TRY(
      options_.runtime.subscribe(id_, 0, [self = shared_from_this()](const SessionEvent& event) {
        const bool is_rest = event.type == "run_ended" || event.type == "run_waiting";
        if (event.depth == 0 && is_rest) self->look();
      }));
  {
    const std::lock_guard lock(mutex_);
    if (!has_ended_) subscription_ = std::move(subscription);
  }
  look();  // it may have ended before anybody listened
  return {};
}

void HeldAnswer::listen() {
  auto listening = options_.listeners.listen(
      id_, [self = shared_from_this()](const Event& event) { self->take(event); });
  const std::lock_guard lock(mutex_);
  listening_ = std::move(listening);
}

void HeldAnswer::goes_on() {
  cancel_when_closed();
}

void HeldAnswer::drop() {
  Released released;
  const std::lock_guard lock(mutex_);
  released = end();
}

// The last word of what went before may come late.
void HeldAnswer::take(const Event& event) {
  if (std::holds_alternative<SessionStarted>(event)) {
    const std::lock_guard lock(mutex_);
    has_begun_ = true;
    return;
  }
  if (!std::holds_alternative<RunEnded>(event) && !std::holds_alternative<RunWaiting>(event)) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (!has_begun_) return;
  }
  look();
}

void HeldAnswer::look() {
  const auto session = options_.store.get_session(id_);
  if (!session) return answer_with(error_response("/api/v1/sessions", session.error()));
  if (session->status == SessionStatus::running || session->status == SessionStatus::queued) return;
  http::Response answer = answer_;
  answer.body = to_text(session_json(*session));
  answer_with(std::move(answer));
}

void HeldAnswer::answer_with(http::Response answer) {
  Released released;
  const std::lock_guard lock(mutex_);
  if (has_ended_) return;
  released = end();
  send_answer(responder_, std::move(answer));
}

void HeldAnswer::cancel_when_closed() {
  responder_.when_closed([&runtime = options_.runtime, id = id_] {
    (void)runtime.cancel(id, "Its client went away");
  });
}

HeldAnswer::Released HeldAnswer::end() {
  has_ended_ = true;
  return {std::move(subscription_), std::move(listening_)};
}

}  // namespace wright::server
