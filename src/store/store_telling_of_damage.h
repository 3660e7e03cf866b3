// A store that tells of each damaged session that is found in it, once.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "core/try.h"
#include "store/damage.h"
#include "store/forwarding_store.h"

namespace wright::store {

class StoreTellingOfDamage final : public ForwardingStore {
 public:
  using Tell = std::function<void(const Session&)>;
  StoreTellingOfDamage(Store& inner, Tell tell) : ForwardingStore(inner), tell_(std::move(tell)) {}

  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    auto sessions = TRY(ForwardingStore::list_sessions(filter));
    for (const Session& session : sessions) {
      if (is_damaged(session) && is_first(session.id)) tell_(session);
    }
    return sessions;
  }

 private:
  bool is_first(SessionId id) {
    const std::lock_guard lock(mutex_);
    return told_.insert(id).second;
  }

  const Tell tell_;
  std::mutex mutex_;
  std::set<SessionId> told_;
};

}  // namespace wright::store
