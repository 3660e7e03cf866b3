#include "runtime/held_tree.h"

#include <future>
#include <memory>
#include <utility>

#include "core/try.h"

namespace wright::runtime {
namespace {

bool has_come_to_an_end(SessionStatus status) {
  return status == SessionStatus::completed || status == SessionStatus::failed ||
         status == SessionStatus::cancelled;
}

}  // namespace

Result<void> HeldTree::add_unfinished_below(SessionId id, std::vector<SessionId>& found) {
  const auto children = TRY(store_.list_sessions({.parent_session_id = id, .limit = kNoLimit}));
  for (const Session& child : children) {
    if (!has_come_to_an_end(child.status)) found.push_back(child.id);
    TRY(add_unfinished_below(child.id, found));
  }
  return {};
}

Result<void> HeldTree::take(SessionId root, std::optional<int> held_epoch) {
  if (!runner_) return {};
  if (held_epoch) epochs_[root] = *held_epoch;
  // Until the one before is shut out, it may begin further specialists.
  while (true) {
    std::vector<SessionId> sessions{root};
    TRY(add_unfinished_below(root, sessions));
    std::erase_if(sessions, [&](SessionId session) { return epochs_.contains(session); });
    if (sessions.empty()) return {};
    std::vector<Write> writes;
    for (const SessionId session : sessions) writes.emplace_back(ClaimLease{session, *runner_, {}});
    const auto taken = write(std::move(writes));
    if (!taken) {
      // It may have been applied all the same.
      if (taken.error().code == ErrorCode::storage) host_.look_for_undriven();
      return std::unexpected(taken.error());
    }
    for (std::size_t i = 0; i < sessions.size(); ++i) epochs_[sessions[i]] = taken->epochs[i];
  }
}

// Ids rise with time, and whoever calls is older than those who are called.
std::vector<SessionId> HeldTree::deepest_first() const {
  std::vector<SessionId> sessions;
  for (auto session = epochs_.rbegin(); session != epochs_.rend(); ++session) {
    sessions.push_back(session->first);
  }
  return sessions;
}

void HeldTree::release() {
  std::vector<Write> writes;
  for (const auto& [session, epoch] : epochs_) {
    writes.emplace_back(ReleaseLease{session, *runner_, epoch});
  }
  // If the store cannot take it, they are released when the runner ends.
  if (!writes.empty()) (void)write(std::move(writes));
}

// By the host, as everything that a runner writes.
Result<BatchIds> HeldTree::write(std::vector<Write> writes) {
  const auto written = std::make_shared<std::promise<Result<BatchIds>>>();
  host_.write({.writes = std::move(writes)},
              [written](Result<BatchIds> ids) { written->set_value(std::move(ids)); });
  const Host::Waiting waiting(host_);
  return written->get_future().get();
}

}  // namespace wright::runtime
