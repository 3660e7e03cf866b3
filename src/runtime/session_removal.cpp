#include "runtime/session_removal.h"

#include <algorithm>
#include <vector>

#include "core/try.h"
#include "store/damage.h"
#include "wright/driver.h"

namespace wright::runtime {
namespace {

bool is_left_alone(Store& store, const Session& session) {
  if (!end_dead_runners(store)) return false;
  const auto abandoned = store.list_sessions({.is_abandoned = true,
                                              .after = session.id - 1,
                                              .before = session.id + 1,
                                              .limit = 1,
                                              .keeps_damaged = true});
  if (abandoned && !abandoned->empty()) return true;
  const auto runners = store.get_runners();
  return runners && (!session.runner_id || std::ranges::find(*runners, *session.runner_id,
                                                             &Runner::id) == runners->end());
}

}  // namespace

Result<void> remove_session(Store& store, SessionId id) {
  const auto found = TRY(store.list_sessions(
      {.after = id - 1, .before = id + 1, .limit = 1, .keeps_damaged = true}));
  const bool is_spared = found.empty() || !store::is_damaged(found.front()) ||
                         !is_left_alone(store, found.front());
  TRY(store.apply_one(DeleteSession{.session_id = id, .unless_running = is_spared}));
  return {};
}

}  // namespace wright::runtime
