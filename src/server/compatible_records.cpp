// What is kept of a request in a vendor's protocol, and what becomes of one that came before: it
// gets what comes of the first one's session.
#include <fmt/format.h>

#include <utility>

#include "core/try.h"
#include "server/compatible_run.h"

namespace wright::server {
namespace {

// Whether somebody has said something in the session since what the request brought.
Result<bool> has_moved_on(Store& store, const BegunRequest& request) {
  const auto messages = TRY(store.get_messages(request.session_id, {.after = request.after}));
  for (std::size_t i = request.inputs; i < messages.size(); ++i) {
    if (messages[i].message.is_from_user()) return true;
  }
  return false;
}

Result<bool> is_driven_by_nobody(Store& store, SessionId id) {
  const auto abandoned =
      TRY(store.list_sessions({.is_abandoned = true, .after = id - 1, .before = id + 1}));
  return !abandoned.empty();
}

}  // namespace

Result<void> CompatibleRun::keep(SessionId id, KeptResponse beginning) {
  const std::lock_guard lock(mutex_);
  completion_.session_id = id;
  after_ = beginning.after;
  may_have_begun_ = true;
  TRY(request_.has_begun(store_, {.session_id = id,
                                  .after = beginning.after,
                                  .inputs = beginning.inputs,
                                  .mark = completion_.mark,
                                  .usage_before = usage_before_}));
  if (completion_.mark.empty()) return {};
  beginning.response = rendering_->beginning(completion_);
  TRY(keep_beginning(store_, {id, completion_.mark}, beginning));
  kept_ = std::move(beginning);
  return {};
}

// Nothing was said: who asks again must find all as it was.
void CompatibleRun::forget(SessionId id, Leftover session) {
  {
    const std::lock_guard lock(mutex_);
    may_have_begun_ = false;
    kept_.reset();
    if (!completion_.mark.empty()) forget_beginning(store_, {id, completion_.mark});
  }
  if (session == Leftover::goes) {
    (void)store_.apply_one(DeleteSession{.session_id = id, .unless_running = true});
  }
}

// A run that waits ends somewhere else.
void CompatibleRun::keep_response() const {
  if (!kept_) return;
  KeptResponse whole = *kept_;
  whole.response = rendering_->whole(completion_);
  if (is_over_) {
    if (const auto newest = newest_message(store_, completion_.session_id)) {
      whole.last = *newest;
    }
  }
  keep_end(store_, {completion_.session_id, completion_.mark}, whole);
}

Result<bool> CompatibleRun::join(const BegunRequest& earlier) {
  const SessionId id = earlier.session_id;
  const auto alone = TRY(listeners_.turns().take(id, options_.turn_patience));
  const auto session = store_.get_session(id);
  if (!session && session.error().code == ErrorCode::not_found) return false;
  if (!session) return std::unexpected(session.error());
  const ResponseName name{id, earlier.mark};
  KeptResponse kept{.after = earlier.after, .inputs = earlier.inputs};
  if (!earlier.mark.empty()) kept = TRY(kept_response(store_, name, caller_.tenant));
  const OwnTurn turn = TRY(own_turn(store_, name, kept));
  const bool moved_on = TRY(has_moved_on(store_, earlier));
  {
    const std::lock_guard lock(mutex_);
    completion_.session_id = id;
    completion_.mark = earlier.mark;
    usage_before_ = earlier.usage_before;
    after_ = earlier.after;
    may_have_begun_ = true;
    if (!earlier.mark.empty()) kept_ = std::move(kept);
  }
  if (moved_on && turn.answer) {
    open_stream(id);
    run_ended(*turn.answer, std::nullopt);
    return true;
  }
  const bool is_abandoned = TRY(is_driven_by_nobody(store_, id));
  if (is_abandoned) {
    return fail(ErrorCode::unsupported,
                fmt::format("Session {}, which this request began when it was sent first, was "
                            "interrupted: `wright resume {}` goes on with it",
                            id, id));
  }
  listen_to(id);
  open_stream(id);
  TRY(take_up(id));
  return true;
}

Result<void> CompatibleRun::take_up(SessionId id) {
  const auto session = store_.get_session(id);
  if (!session || !may_go_on(*session)) {
    look_at_stored(id);
    return {};
  }
  // Its driver may still be about to leave it.
  (void)options_.runtime.wait(id, options_.turn_patience);
  auto agent = TRY(options_.agents.of_session(*session));
  RunOptions how{.config = session->config};
  take_trace(options_, trace_, how);
  return options_.runtime.resume(std::move(agent), id, std::move(how));
}

bool CompatibleRun::may_go_on(const Session& session) const {
  // Whoever went away wants it after all.
  if (session.status == SessionStatus::cancelled) return cancels_on_disconnect_;
  const Error error{session.error_code.value_or(ErrorCode::internal), {}};
  return session.status == SessionStatus::failed && is_passing(error);
}

}  // namespace wright::server
