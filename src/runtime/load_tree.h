// Makes a tree of sessions from what is stored of one, so that it can be driven again.
#pragma once

#include <functional>
#include <optional>

#include "runtime/host.h"
#include "session/session_tree.h"
#include "wright/driver.h"

namespace wright::runtime {

struct ResumeRequest {
  SessionId id = 0;
  Settlements settlements = {};
  std::optional<Message> said = {};  // the user's next message to a session that has ended
  // One that has completed goes on with what was said to it and is not taken.
  bool takes_untaken = false;
  Json config = {};                    // an object: kept with the session from now on
  bool reopens = false;                // one that has failed or was cancelled may go on
  std::optional<int> held_epoch = {};  // the runner holds it already, since this epoch
  // What this process has. One that asks for something else is refused (ErrorCode::unavailable).
  // Absent: it is driven whatever it asks for.
  std::optional<std::vector<std::string>> labels = {};
};

// A tree, and what was asked of its sessions while nobody drove them.
struct LoadedTree {
  session::SessionTree tree;
  std::vector<CancelWish> cancelled = {};
};

// `plan.agent` is the session's agent, or the one that handed it over. The session and those below
// it are taken by the runner of `options` first; refused when they cannot be, or when the session
// has ended and nothing was said.
Result<LoadedTree> load_tree(Host& host, const session::TreeOptions& options,
                             session::SessionPlan plan, Store& store, const ResumeRequest& request);

// Ends a session that nobody drives, and those below it, as its wish to be cancelled says. Needs no
// agent. Refused (ErrorCode::unavailable) when somebody drives it.
Result<void> cancel_stored(Host& host, RunnerId runner, Store& store, SessionId id,
                           const std::string& reason);

}  // namespace wright::runtime
