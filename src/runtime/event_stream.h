// The events of one session and those below it: numbered, kept for a while, and told to listeners.
// Thread-safe. Each listener is told by a task of its own, so that one that is slow or throws harms
// neither the session nor other listeners; one that stays behind too far loses the oldest.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/host.h"
#include "wright/events.h"
#include "wright/runtime.h"

namespace wright::runtime {

// What a stream keeps for those who come late.
struct KeptEvents {
  std::size_t count = 0;
  std::size_t bytes = 0;
};

class EventStream : public std::enable_shared_from_this<EventStream> {
 public:
  // Listeners are told by tasks of the host; `observer`, which may be empty and outlives the
  // stream, at once, after the session's own.
  EventStream(Host& host, KeptEvents kept, const Observer& observer);

  // How often the session has been taken by a runner: numbers of later epochs are higher. Before
  // the first event, and again when the session is driven again.
  void begin_epoch(std::uint64_t epoch);
  bool has_begun() const;

  // Who looks on at this session alone, at once; may be empty. Not while it is driven.
  void observe_with(Observer observer);

  // Costs nothing but a look when nobody listens and nothing is kept.
  void add(const Event& event, const EventOrigin& origin);
  Subscription listen(std::uint64_t after, Listener listener);

  // Whether the calling thread is telling an observer something, of whatever session.
  static bool is_observing();

  // Whether everything after that number is still here.
  bool has_all_after(std::uint64_t sequence) const;
  // Whether anybody would hear an event.
  const std::atomic<bool>& is_heard() const { return is_heard_; }

  // What is kept is let go, since it can be read from the store by now; listeners stay.
  void forget();
  // Until every listener has been told what there is, or the time is over.
  void wait_until_told(std::chrono::milliseconds time);

 private:
  class Listening;
  using EventPointer = std::shared_ptr<const SessionEvent>;

  void keep(EventPointer event);
  void forget_deltas(SessionId session_id);
  void remove(const Listening& listening);
  void update_is_heard();

  Host& host_;
  const Observer& observer_;
  std::shared_ptr<const Observer> own_observer_;  // null: none
  const KeptEvents most_;
  std::atomic<bool> is_heard_;
  mutable std::mutex mutex_;
  std::optional<std::uint64_t> first_;  // all from here on were told
  std::uint64_t last_ = 0;
  std::uint64_t dropped_to_ = 0;  // the last one that is not kept any more
  std::deque<EventPointer> events_;
  std::size_t bytes_ = 0;  // of them
  std::vector<std::shared_ptr<Listening>> listeners_;
};

}  // namespace wright::runtime
