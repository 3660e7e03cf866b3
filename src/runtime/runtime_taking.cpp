// Sessions that nobody drives, and those of the queue.
#include "runtime/runtime_implementation.h"

#include <algorithm>
#include <random>
#include <utility>

#include "core/try.h"
#include "store/damage.h"
#include "store/labels.h"

namespace wright {
namespace {

// How many times as many as it takes a process chooses from, of the oldest that nobody drives.
constexpr std::size_t kShuffled = 16;

constexpr std::size_t kPageOfAbandoned = 200;

bool is_unreadable(Store& store, SessionId id) {
  const auto found = store.list_sessions(
      {.after = id - 1, .before = id + 1, .limit = 1, .keeps_damaged = true});
  return found && !found->empty() && store::is_damaged(found->front());
}

}  // namespace

Result<std::vector<SessionId>> Runtime::Implementation::resume_abandoned(std::size_t most) {
  if (!options_.agents) {
    return fail(ErrorCode::invalid_argument,
                "RuntimeOptions::agents must say which agents abandoned sessions have");
  }
  TRY(end_dead_runners(store_));
  most = std::min(most, room());
  std::vector<SessionId> resumed;
  const auto refused = foreign();
  // Page by page: after a crash of many processes there may be very many.
  for (std::optional<SessionId> after; resumed.size() < most;) {
    auto sessions = TRY(store_.list_sessions({.needs_driver = true,
                                              .after = after,
                                              .limit = kPageOfAbandoned,
                                              .keep = Page::Keep::first,
                                              .keeps_damaged = true}));
    if (sessions.empty()) break;
    after = sessions.front().id;
    std::erase_if(sessions, [&](const Session& session) {
      return store::is_damaged(session) || std::ranges::binary_search(refused, session.id) ||
             !store::has_labels(options_.labels, session.labels);
    });
    std::ranges::sort(sessions, {}, &Session::id);
    // Others look at this moment, too: each begins somewhere else among the oldest.
    if (const std::size_t left = most - resumed.size(); left < sessions.size()) {
      const std::size_t some = std::min(sessions.size(), left * kShuffled);
      std::ranges::shuffle(sessions.begin(), sessions.begin() + static_cast<std::ptrdiff_t>(some),
                           std::minstd_rand(std::random_device{}()));
    }
    for (const Session& session : sessions) {
      if (resumed.size() >= most) break;
      auto agent = agent_for(session);
      if (!agent) {
        foreign_.add(session.id, runtime::ForeignSessions::Reason::not_here);
        continue;
      }
      const auto loaded = load_tree({.id = session.id}, std::move(*agent), std::nullopt);
      if (loaded) resumed.push_back(session.id);
      if (!loaded && loaded.error().code == ErrorCode::rate_limited) return resumed;
    }
  }
  return resumed;
}

Result<std::vector<SessionId>> Runtime::Implementation::claim(
    std::size_t most, const std::vector<std::string>& agent_names) {
  if (!options_.agents) {
    return fail(ErrorCode::invalid_argument,
                "RuntimeOptions::agents must say which agents queued sessions have");
  }
  most = std::min(most, room());
  std::vector<SessionId> driven;
  const auto busy = options_.busy_models ? options_.busy_models() : std::vector<std::string>();
  // What cannot be driven here must not stand in front of what can.
  for (bool is_any_foreign = true; is_any_foreign && driven.size() < most;) {
    is_any_foreign = false;
    const auto claimed = store_.apply_one(Claim{.runner_id = runner_->id(),
                                                .agent_names = agent_names,
                                                .most = most - driven.size(),
                                                .labels = options_.labels,
                                                .except = foreign(),
                                                .except_models = busy});
    if (!claimed) {
      // Some may have been claimed all the same.
      if (claimed.error().code == ErrorCode::storage) runner_->look_for_undriven();
      if (driven.empty()) return std::unexpected(claimed.error());
      break;
    }
    for (const ClaimedSession& each : claimed->claimed) {
      const auto begun = drive_claimed(each);
      if (begun) {
        driven.push_back(each.session_id);
        continue;
      }
      // What finds no room at this moment is not foreign.
      const bool is_full = begun.error().code == ErrorCode::rate_limited;
      if (!is_full) foreign_.add(each.session_id, why_not(each.session_id));
      is_any_foreign = is_any_foreign || !is_full;
      give_back(each);
    }
  }
  return driven;
}

std::vector<SessionId> Runtime::Implementation::foreign() {
  return foreign_.all([this](SessionId id) { return is_unreadable(store_, id); });
}

runtime::ForeignSessions::Reason Runtime::Implementation::why_not(SessionId id) {
  using Reason = runtime::ForeignSessions::Reason;
  return is_unreadable(store_, id) ? Reason::unreadable : Reason::not_here;
}

Result<void> Runtime::Implementation::drive_claimed(const ClaimedSession& claimed) {
  const auto session = TRY(store_.get_session(claimed.session_id));
  auto agent = TRY(options_.agents(session));
  return load_tree({.id = claimed.session_id, .held_epoch = claimed.epoch}, std::move(agent), {});
}

// It is as it was before it was claimed: nothing has happened yet.
void Runtime::Implementation::give_back(const ClaimedSession& claimed) {
  const std::vector<Write> writes{
      HoldLease{claimed.session_id, runner_->id(), claimed.epoch},
      UpdateSession{.session_id = claimed.session_id, .status = SessionStatus::queued}};
  if (!store_.apply(writes)) runner_->release(claimed.session_id, claimed.epoch);
}

}  // namespace wright
