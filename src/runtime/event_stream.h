// The events of one session and those below it: numbered, kept for a while, and told to listeners.
// Thread-safe. A listener may end its own subscription.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "wright/event.h"
#include "wright/runtime.h"

namespace wright::runtime {

class EventStream : public std::enable_shared_from_this<EventStream> {
 public:
  // `epoch` is how often the session has been taken by a runner: numbers of later epochs are
  // higher.
  EventStream(std::uint64_t epoch, std::size_t kept) : epoch_(epoch), kept_(kept) {}

  // Costs nothing but a look when nobody listens and nothing is kept.
  void add(const Event& event, SessionId session_id, int depth);
  Subscription listen(std::uint64_t after, Listener listener);

  // Whether everything after that number is still here.
  bool has_all_after(std::uint64_t sequence) const;

 private:
  struct Listening {
    Listener listener;
    bool is_on = true;
  };
  void forget_deltas(SessionId session_id);

  const std::uint64_t epoch_;
  const std::size_t kept_;
  std::atomic<bool> has_listeners_ = false;
  mutable std::recursive_mutex mutex_;
  std::uint64_t last_ = 0;        // within the epoch
  std::uint64_t dropped_to_ = 0;  // the last one that is not here any more
  std::deque<SessionEvent> events_;
  std::vector<std::shared_ptr<Listening>> listeners_;
};

}  // namespace wright::runtime
