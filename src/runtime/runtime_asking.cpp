// What others ask of sessions that are driven.
#include "runtime/runtime_implementation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/try.h"
#include "core/user_message.h"
#include "runtime/run_options.h"
#include "runtime/run_result.h"
#include "runtime/said_messages.h"

namespace wright {
namespace {

using runtime::TreeDriver;
using session::Ending;
using std::chrono::milliseconds;

// How long those who wait for a session wait for its listeners, too.
constexpr milliseconds kPatienceWithListeners{1'000};
// How long those who stop when they are asked to may take for it.
constexpr milliseconds kLeastToStop{3'000};

// What was said before, for those who subscribe later.
SessionEvent event_of(const StoredMessage& stored, std::uint64_t number) {
  return {.session_id = stored.session_id,
          .sequence = number,
          .time_ms = stored.created_at,
          .type = "message",
          .data = to_json(stored.message)};
}

}  // namespace

void Runtime::Implementation::take(const RunnerNews& news) {
  for (const CancelWish& wish : news.cancelled) {
    if (const auto driver = driver_of(wish.session_id)) {
      driver->cancel(wish.session_id, wish.reason);
    }
  }
  for (const StoredWait& wait : news.answered) {
    if (const auto driver = driver_of(wait.session_id)) driver->answered(wait);
  }
  for (const SessionId id : news.spoken_to) hear_said(id);
}

// Stored first, it cannot be lost: whoever drives the session, now or later, finds it.
Result<void> Runtime::Implementation::steer(AgentPointer agent, SessionId id, Message message,
                                            RunOptions options) {
  if (!has_store()) {
    return fail(ErrorCode::unavailable, "A session that is not stored cannot be steered");
  }
  TRY(check(*agent));
  Message checked = TRY(checked_user_message(std::move(message)));
  const auto session = TRY(store_.get_session(id));
  if (session.parent_session_id) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("Session {} is a specialist's: speak to session {}", id,
                            *session.parent_session_id));
  }
  // Looked up first: one that begins after it is stored finds it there, or somebody has taken it.
  const auto driver = driver_of(id);
  auto said = TRY(runtime::store_said(store_, id, std::move(checked)));
  {
    const std::lock_guard lock(mutex_);
    steered_.insert_or_assign(id, Steered{std::move(agent), std::move(options), ++generations_});
  }
  if (driver && driver->said(std::move(said))) return {};
  go_on_with_said(id, AfterFailure::proceed);
  return {};
}

// What was said here to a session that has ended since, or had ended before. One that another
// process drives, that waits or is queued finds it by itself; one that failed or was cancelled
// after it was said takes it with the next message.
void Runtime::Implementation::go_on_with_said(SessionId id, AfterFailure after) {
  const auto session = store_.get_session(id);
  const bool is_gone = !session && session.error().code == ErrorCode::not_found;
  if (!is_gone && (!session || !session->ended_at)) return;
  Steered steered;
  {
    const std::lock_guard lock(mutex_);
    const auto found = steered_.find(id);
    if (found == steered_.end()) return;
    steered = found->second;
    const bool is_to_go_on =
        session && (session->status == SessionStatus::completed || after == AfterFailure::proceed);
    if (!is_to_go_on) {
      steered_.erase(found);
      return;
    }
  }
  if (!may_drive(*session)) return leave_said_to_workers(id);
  (void)load_tree({.id = id, .takes_untaken = true}, steered.agent, steered.options);
}

// What was said to a session that has ended, and that is not driven here, is the next message of the
// queue. All of it at once, or nothing: then somebody has taken it.
void Runtime::Implementation::leave_said_to_workers(SessionId id) {
  const auto said = runtime::said_to(store_, id);
  if (!said || said->empty()) return;
  const std::string kind(kSaidRecords);
  std::vector<Write> writes;
  for (const session::Said& each : *said) {
    writes.emplace_back(PutRecord{.kind = kind,
                                  .key = each.key,
                                  .value = to_json(each.message),
                                  .version = 1});
    writes.emplace_back(RemoveRecords{.kind = kind, .key = each.key});
  }
  writes.emplace_back(Enqueue{.session_id = id, .message = session::joined(*said)});
  (void)store_.apply(writes);
}

// The driver is there before the store is read: what that says, nobody has taken before it.
void Runtime::Implementation::hear_said(SessionId id) {
  const auto driver = driver_of(id);
  if (!driver) return;
  auto said = runtime::said_to(store_, id);
  if (!said) return;
  for (session::Said& each : *said) driver->said(std::move(each));
}

// Sessions that were steered here and are driven elsewhere, or by nobody.
void Runtime::Implementation::look_after_steered() {
  std::map<SessionId, std::uint64_t> steered;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, how] : steered_) steered.emplace(id, how.generation);
  }
  for (const auto& [id, generation] : steered) {
    const bool is_driven_here = driver_of(id) != nullptr;
    const auto is_untaken = runtime::is_spoken_to(store_, id);
    if (!is_untaken) continue;
    if (*is_untaken && !is_driven_here) {
      host_.run_blocking([this, id = id] { go_on_with_said(id, AfterFailure::stop); }, {});
    } else if (!*is_untaken) {
      const std::lock_guard lock(mutex_);
      // Something else may have been said since the store was read.
      const auto found = steered_.find(id);
      if (found != steered_.end() && found->second.generation == generation) steered_.erase(found);
    }
  }
}

// In a thread that may block. What another process said to a session while it ended here: nobody
// else may be there any more to go on with it.
void Runtime::Implementation::look_for_said_after(const RootPointer& root, SessionId id) {
  const auto is_untaken = runtime::is_spoken_to(store_, id);
  // When somebody else goes on with it, nothing is left to do here.
  if (is_untaken && *is_untaken) {
    (void)load_tree({.id = id, .takes_untaken = true}, root->agent, root->options);
  }
  const std::lock_guard lock(mutex_);
  if (--tasks_ == 0 && driven_ == 0) idle_.notify_all();
}

Result<void> Runtime::Implementation::cancel(SessionId id, std::string reason) {
  // Stored first, it cannot be lost: whoever drives the session, now or later, finds it.
  const auto wanted = has_store() ? store_.request_cancel(id, reason) : Result<void>();
  if (const auto driver = driver_of(id); driver && driver->cancel(id, reason)) return {};
  if (!wanted) return wanted;
  if (!has_store()) {
    return fail(ErrorCode::not_found, fmt::format("Session {} is not driven here", id));
  }
  const auto top = TRY(root_session(store_, id));
  if (top.status == SessionStatus::queued || !may_drive(top)) {
    return cancel_without_agent(top, id, reason);
  }
  auto agent = agent_for(top);
  if (!agent) return cancel_without_agent(top, id, reason);
  // When it is driven, here or elsewhere, its driver hears of it.
  auto loaded = load_tree({.id = top.id}, std::move(*agent), std::nullopt);
  if (!loaded && loaded.error().code == ErrorCode::rate_limited) {
    return cancel_without_agent(top, id, reason);
  }
  if (!loaded && (loaded.error().code == ErrorCode::unavailable || has_ended(top.id))) return {};
  return loaded;
}

// A specialist's call above it has to be told of the end: that is left to whoever goes on with it.
Result<void> Runtime::Implementation::cancel_without_agent(const Session& top, SessionId id,
                                                           const std::string& reason) {
  if (top.id != id) return {};
  auto cancelled = runtime::cancel_stored(host_, runner_->id(), store_, id, reason);
  const bool is_driven_elsewhere = !cancelled && cancelled.error().code == ErrorCode::unavailable;
  return is_driven_elsewhere ? Result<void>() : cancelled;
}

Result<StoredWait> Runtime::Implementation::answer(WaitId id, const Json& answer,
                                                   std::string answered_by) {
  auto wait = TRY(answer_wait(store_, id, answer, std::move(answered_by)));
  if (const auto driver = driver_of(wait.session_id); driver && driver->answered(wait)) {
    return wait;
  }
  const auto top = TRY(root_session(store_, wait.session_id));
  auto agent = agent_for(top);
  if (!agent) return wait;  // whoever has the agent goes on with it
  if (auto woken = load_tree({.id = top.id}, std::move(*agent), std::nullopt); !woken) {
    // Another process goes on with it, or it has ended, or nothing more is driven here now: the
    // answer stands all the same, and whoever drives the session finds it.
    const bool is_left_to_others = woken.error().code == ErrorCode::unavailable ||
                                   woken.error().code == ErrorCode::rate_limited;
    if (!is_left_to_others && !has_ended(top.id)) return std::unexpected(woken.error());
  }
  return wait;
}

Result<RunResult> Runtime::Implementation::wait(SessionId id,
                                                std::optional<std::chrono::milliseconds> most) {
  if (runtime::EventStream::is_observing()) {
    return fail(ErrorCode::invalid_argument,
                "An observer cannot wait for a session, which may have to tell it something first: "
                "wait in another thread");
  }
  const runtime::Host::Waiting waiting(host_);
  std::unique_lock lock(mutex_);
  const auto found = roots_.find(id);
  if (found != roots_.end()) {
    const RootPointer root = found->second;
    const auto has_left = [&] {
      return root->state != Root::State::driven && root->wakings == 0;
    };
    if (!most) {
      root->changed.wait(lock, has_left);
    } else if (!root->changed.wait_for(lock, *most, has_left)) {
      return fail(ErrorCode::timeout, fmt::format("Session {} is still being driven", id));
    }
    Ending ending = *root->ending;
    lock.unlock();
    root->stream->wait_until_told(kPatienceWithListeners);
    return runtime::answer_of(std::move(ending));
  }
  if (const Ending* ending = past_.find(id)) return runtime::answer_of(*ending);
  lock.unlock();
  const auto session = TRY(store_.get_session(id));
  if (session.status == SessionStatus::completed) {
    return RunResult{.text = session.result.value_or(""),
                     .session_id = id,
                     .iterations = session.iterations,
                     .usage = session.usage};
  }
  return fail(
      session.status == SessionStatus::cancelled ? ErrorCode::cancelled : ErrorCode::unavailable,
      session.error.value_or(
          fmt::format("Session {} is {}, and not driven here", id, to_string(session.status))));
}

Result<Subscription> Runtime::Implementation::subscribe(SessionId id, std::uint64_t after,
                                                        Listener listener) {
  RootPointer root;
  std::size_t messages_before = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = roots_.find(id); found != roots_.end()) {
      root = found->second;
      messages_before = root->messages_before;
    }
  }
  if (root && root->stream->has_all_after(after)) {
    return root->stream->listen(after, std::move(listener));
  }
  if (root && !has_store()) return root->stream->listen(after, std::move(listener));
  const auto messages = TRY(store_.get_messages(id));
  const bool tells_the_rest = root && root->stream->has_begun();
  const std::size_t count = tells_the_rest ? messages_before : messages.size();
  for (std::size_t i = 0; i < std::min(count, messages.size()); ++i) {
    if (i + 1 > after) listener(event_of(messages[i], i + 1));
  }
  if (root) return root->stream->listen(after, std::move(listener));
  return Subscription();
}

void Runtime::Implementation::drain(milliseconds time) {
  std::unique_lock lock(mutex_);
  is_draining_ = true;
  for (const auto& [id, root] : roots_) host_.cancel(root->expiry);
  const auto is_idle = [&] { return driven_ == 0 && tasks_ == 0; };
  // The last part of the time is for calls to stop, which had the rest to end.
  std::optional<milliseconds> to_stop;
  if (time > milliseconds(0)) to_stop = std::min(options_.grace, time / 4);
  if (idle_.wait_for(lock, time - to_stop.value_or(milliseconds(0)), is_idle)) return;
  // One that stops when it is asked to must not be given up for one that does not.
  if (to_stop) to_stop = std::max(*to_stop, std::min(options_.grace, kLeastToStop));
  is_suspending_ = true;
  std::vector<std::shared_ptr<TreeDriver>> drivers;
  for (const auto& [id, root] : roots_) {
    if (root->driver) drivers.push_back(root->driver);
  }
  lock.unlock();
  for (const auto& driver : drivers) driver->suspend(to_stop);
  lock.lock();
  idle_.wait(lock, is_idle);
}

}  // namespace wright
