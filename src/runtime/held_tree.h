// A session and those below it that have not ended, held by a runner. All of them are taken before
// any is read: whoever drove them before, and perhaps still does, can change none of them any more.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "runtime/host.h"
#include "wright/store.h"

namespace wright::runtime {

class HeldTree {
 public:
  // Without a runner nobody is held.
  HeldTree(Store& store, Host& host, std::optional<RunnerId> runner)
      : store_(store), host_(host), runner_(runner) {}
  HeldTree(const HeldTree&) = delete;
  HeldTree& operator=(const HeldTree&) = delete;
  ~HeldTree() { release(); }

  // `held_epoch`: the runner has the root already, since then.
  Result<void> take(SessionId root, std::optional<int> held_epoch = {});

  // From below to above: specialists before those who called them.
  std::vector<SessionId> deepest_first() const;

  // From now on they are somebody else's to release.
  void keep() { epochs_.clear(); }

 private:
  Result<void> add_unfinished_below(SessionId id, std::vector<SessionId>& found);
  Result<BatchIds> write(std::vector<Write> writes);
  void release();

  Store& store_;
  Host& host_;
  const std::optional<RunnerId> runner_;
  std::map<SessionId, int> epochs_;
};

}  // namespace wright::runtime
