// What is kept of a request in a vendor's protocol, and what becomes of one that came before: it
// gets what comes of the first one's session.
#include <fmt/format.h>

#include <utility>

#include "core/sampling_json.h"
#include "core/try.h"
#include "server/compatible_run.h"
#include "server/problem.h"
#include "server/request_trace.h"

namespace wright::server {
namespace {

// A program that repeats a request does so at once, or when it has waited for ten minutes.
constexpr std::int64_t kRepeatedWithinMs = std::int64_t{15} * 60 * 1000;

// What the session's messages say of a request that was sent before.
struct Told {
  bool is_whole = false;                   // all that it brought is there
  bool moved_on = false;                   // somebody has said something since
  std::optional<std::string> answer = {};  // to it, before that
};
Result<Told> told_of(Store& store, const BegunRequest& request) {
  const auto messages = TRY(store.get_messages(request.session_id, {.after = request.after}));
  Told told{.is_whole = messages.size() >= request.inputs};
  for (std::size_t i = request.inputs; i < messages.size() && !told.moved_on; ++i) {
    const Message& message = messages[i].message;
    told.moved_on = message.is_from_user();
    const bool is_answer = message.role == Role::assistant && message.tool_calls().empty();
    if (is_answer) told.answer = message.answer();
  }
  return told;
}

bool is_over(const Session& session) {
  return session.ended_at.has_value();
}

Result<bool> is_driven_by_nobody(Store& store, SessionId id) {
  const auto abandoned =
      TRY(store.list_sessions({.is_abandoned = true, .after = id - 1, .before = id + 1}));
  return !abandoned.empty();
}

Error driven_elsewhere(SessionId id) {
  return {ErrorCode::unavailable,
          fmt::format("Session {} of this request is driven by another process: try again", id),
          {}};
}

bool is_driven_here(Runtime& runtime, SessionId id) {
  const auto ended = runtime.wait(id, std::chrono::milliseconds(0));
  return !ended && ended.error().code == ErrorCode::timeout;
}

}  // namespace

Result<void> CompatibleRun::keep(SessionId id, KeptResponse beginning) {
  const std::lock_guard lock(mutex_);
  completion_.session_id = id;
  after_ = beginning.after;
  TRY(request_.has_begun(store_, {.session_id = id,
                                  .after = beginning.after,
                                  .inputs = beginning.inputs,
                                  .mark = completion_.mark,
                                  .usage_before = usage_before_}));
  if (!completion_.mark.empty()) {
    beginning.response = rendering_->beginning(completion_);
    TRY(keep_beginning(store_, {id, completion_.mark}, beginning));
    kept_ = std::move(beginning);
  }
  may_have_begun_ = true;
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

Result<bool> CompatibleRun::join(const BegunRequest& earlier, const Conversation& conversation) {
  const SessionId id = earlier.session_id;
  const auto alone = TRY(listeners_.turns().take(id, options_.turn_patience));
  const auto session = store_.get_session(id);
  if (!session && session.error().code == ErrorCode::not_found) return false;
  if (!session) return std::unexpected(session.error());
  const bool is_another = is_over(*session) && !request_.has_own_key() &&
                          *session->ended_at + kRepeatedWithinMs < system_clock_ms();
  if (is_another) return false;
  if (const auto own = options_.agents.make(conversation.agent)) {
    Agent agent = *own->agent;
    agent.sampling = sampling_from(session->config);
    agent_ = std::make_shared<const Agent>(std::move(agent));
  }
  const Told told = TRY(told_of(store_, earlier));
  if (told.moved_on) return answer_in_the_past(earlier, conversation, told.answer);
  const bool is_running = session->status == SessionStatus::running;
  if (!told.is_whole && !(is_running && is_driven_here(options_.runtime, id))) return false;
  const Taking taking = TRY(how_to_take_up(*session));
  std::optional<KeptResponse> kept;
  if (!earlier.mark.empty()) {
    kept = TRY(kept_response(store_, {id, earlier.mark}, caller_.tenant));
  }
  {
    const std::lock_guard lock(mutex_);
    completion_.session_id = id;
    completion_.mark = earlier.mark;
    usage_before_ = earlier.usage_before;
    after_ = earlier.after;
    may_have_begun_ = true;
    kept_ = std::move(kept);
  }
  listen_to(id);
  open_stream(id);
  TRY(take_up(*session, taking));
  return true;
}

// Its own answer, as it was told or as it stands in the session. What came after is of others.
Result<bool> CompatibleRun::answer_in_the_past(const BegunRequest& earlier,
                                               const Conversation& conversation,
                                               const std::optional<std::string>& answer) {
  const ResponseName name{earlier.session_id, earlier.mark};
  KeptResponse kept;
  if (!earlier.mark.empty()) kept = TRY(kept_response(store_, name, caller_.tenant));
  const bool was_told = kept.last && kept.response.is_object();
  if (was_told && !conversation.is_streamed) {
    responder_.send(json_response(kept.response));
    return true;
  }
  if (!answer) {
    return fail(ErrorCode::unsupported,
                fmt::format("Others have gone on with session {}, which this request began when it "
                            "was sent first",
                            earlier.session_id));
  }
  {
    const std::lock_guard lock(mutex_);
    completion_.session_id = earlier.session_id;
    completion_.mark = earlier.mark;
  }
  open_stream(earlier.session_id);
  run_ended(*answer, std::nullopt);
  return true;
}

Result<CompatibleRun::Taking> CompatibleRun::how_to_take_up(const Session& session) const {
  const bool is_waiting = session.status == SessionStatus::waiting;
  if (session.status != SessionStatus::running && !is_waiting) {
    return may_go_on(session) ? Taking::resume : Taking::listen;
  }
  if (is_driven_here(options_.runtime, session.id)) return Taking::listen;
  if (is_waiting) {
    // Answered, and about to be gone on with by whoever heard the answer.
    const auto open = TRY(store_.get_waits({.session_id = session.id, .status = WaitStatus::open}));
    if (!open.empty()) return Taking::listen;
    return std::unexpected(driven_elsewhere(session.id));
  }
  const bool is_abandoned = TRY(is_driven_by_nobody(store_, session.id));
  if (is_abandoned) return Taking::resume;
  const Session now = TRY(store_.get_session(session.id));
  if (now.status != SessionStatus::running) return how_to_take_up(now);
  return std::unexpected(driven_elsewhere(session.id));
}

Result<void> CompatibleRun::hear_from_where_it_was_answered(SessionId id) {
  if (is_driven_here(options_.runtime, id)) return {};
  const Session now = TRY(store_.get_session(id));
  if (!is_over(now)) return std::unexpected(driven_elsewhere(id));
  look_at_stored(id);
  return {};
}

Result<void> CompatibleRun::take_up(const Session& session, Taking how) {
  if (how == Taking::resume) {
    // Its driver may still be about to leave it.
    (void)options_.runtime.wait(session.id, options_.turn_patience);
    auto agent = TRY(options_.agents.of_session(session));
    RunOptions options{.config = session.config};
    take_trace(options_, trace_, options);
    const auto resumed = options_.runtime.resume(std::move(agent), session.id, std::move(options));
    if (resumed) return {};
    // Somebody else was faster: the server itself, which takes up what was left, or another one.
    const Session now = TRY(store_.get_session(session.id));
    const bool is_running = now.status == SessionStatus::running;
    const bool is_heard =
        is_running ? is_driven_here(options_.runtime, session.id) : now.status != session.status;
    if (!is_heard) return resumed;
  }
  look_at_stored(session.id);
  return {};
}

bool CompatibleRun::was_left(std::string_view why_cancelled) const {
  return cancels_on_disconnect_ && why_cancelled.contains(kClientWentAway);
}

bool CompatibleRun::may_go_on(const Session& session) const {
  // Whoever went away wants it after all.
  if (session.status == SessionStatus::cancelled) return was_left(session.error.value_or(""));
  const Error error{session.error_code.value_or(ErrorCode::internal), {}};
  return session.status == SessionStatus::failed && is_passing(error);
}

}  // namespace wright::server
