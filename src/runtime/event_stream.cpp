#include "runtime/event_stream.h"

#include <algorithm>
#include <condition_variable>
#include <utility>

#include "runtime/event_json.h"
#include "runtime/json_bytes.h"

namespace wright::runtime {
namespace {

constexpr int kBitsWithinEpoch = 32;
// How far a listener may stay behind.
constexpr KeptEvents kMostBehind{.count = 10'000, .bytes = 16 * 1024 * 1024};

std::size_t bytes_of(const SessionEvent& event) {
  return sizeof(SessionEvent) + event.type.size() + event.agent.size() + json_bytes(event.data);
}

thread_local bool is_telling = false;

// Whoever looks on keeps nobody else from being told.
void tell_at_once(const Observer& observer, const Event& event, const EventOrigin& origin) {
  const bool before = std::exchange(is_telling, true);
  try {
    observer(event, origin);
  } catch (...) {  // dropped, as events.h says
  }
  is_telling = before;
}

}  // namespace

// One listener, and what it has not been told yet.
class EventStream::Listening : public std::enable_shared_from_this<Listening> {
 public:
  explicit Listening(Listener listener) : listener_(std::move(listener)) {}

  void push(Host& host, EventPointer event) {
    {
      const std::lock_guard lock(mutex_);
      if (!is_on_) return;
      bytes_ += bytes_of(*event);
      waiting_.push_back(std::move(event));
      drop_what_is_too_much();
      if (std::exchange(is_busy_, true)) return;
    }
    host.run_blocking([self = shared_from_this()] { self->tell(); }, {});
  }

  // Waits for a call that is under way, unless it is made from there.
  void end() {
    const std::lock_guard telling(telling_);
    const std::lock_guard lock(mutex_);
    is_on_ = false;
    waiting_.clear();
    told_.notify_all();
  }

  void wait_until_told(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    told_.wait_until(lock, until, [&] { return waiting_.empty() && !is_busy_; });
  }

 private:
  void drop_what_is_too_much() {
    while (waiting_.size() > kMostBehind.count ||
           (bytes_ > kMostBehind.bytes && waiting_.size() > 1)) {
      bytes_ -= bytes_of(*waiting_.front());
      lost_to_ = waiting_.front()->sequence;
      waiting_.pop_front();
    }
  }

  EventPointer next() {
    const std::lock_guard lock(mutex_);
    if (lost_to_ > 0) {
      return std::make_shared<const SessionEvent>(
          SessionEvent{.sequence = std::exchange(lost_to_, 0), .type = "events_lost"});
    }
    if (waiting_.empty()) {
      is_busy_ = false;
      told_.notify_all();
      return nullptr;
    }
    EventPointer event = std::move(waiting_.front());
    waiting_.pop_front();
    bytes_ -= bytes_of(*event);
    return event;
  }

  void tell() {
    while (const EventPointer event = next()) {
      const std::lock_guard telling(telling_);
      try {
        if (is_on_) listener_(*event);
      } catch (...) {  // it has had its chance
        end();
      }
    }
  }

  const Listener listener_;
  std::recursive_mutex telling_;  // held while it is told
  std::mutex mutex_;
  std::condition_variable told_;
  std::deque<EventPointer> waiting_;
  std::size_t bytes_ = 0;
  std::uint64_t lost_to_ = 0;  // the last one that it will not be told; 0: none
  bool is_busy_ = false;
  std::atomic<bool> is_on_ = true;
};

EventStream::EventStream(Host& host, KeptEvents kept, const Observer& observer)
    : host_(host), observer_(observer), most_(kept) {
  update_is_heard();
}

void EventStream::begin_epoch(std::uint64_t epoch) {
  const std::lock_guard lock(mutex_);
  last_ = std::max(last_, epoch << kBitsWithinEpoch);
  if (!first_) first_ = last_;
}

void EventStream::observe_with(Observer observer) {
  const std::lock_guard lock(mutex_);
  own_observer_ = observer ? std::make_shared<const Observer>(std::move(observer)) : nullptr;
  update_is_heard();
}

bool EventStream::is_observing() {
  return is_telling;
}

bool EventStream::has_begun() const {
  const std::lock_guard lock(mutex_);
  return first_.has_value();
}

void EventStream::update_is_heard() {
  is_heard_ = most_.count > 0 || !listeners_.empty() || observer_ || own_observer_;
}

void EventStream::add(const Event& event, const EventOrigin& origin) {
  if (!is_heard_) return;
  std::unique_lock lock(mutex_);
  if (const auto own = own_observer_) {
    lock.unlock();
    tell_at_once(*own, event, origin);
    lock.lock();
  }
  if (observer_) {
    lock.unlock();
    tell_at_once(observer_, event, origin);
    lock.lock();
  }
  if (most_.count == 0 && listeners_.empty()) return;
  const auto told = std::make_shared<const SessionEvent>(
      SessionEvent{.session_id = origin.session_id,
                   .parent_session_id = origin.parent_session_id,
                   .depth = origin.depth,
                   .sequence = ++last_,
                   .agent = std::string(origin.agent),
                   .time_ms = origin.time_ms,
                   .type = std::string(type_of(event)),
                   .data = data_of(event)});
  for (const auto& listening : listeners_) listening->push(host_, told);
  if (most_.count == 0) return;
  // The whole answer says all that its pieces said.
  if (std::holds_alternative<ModelEnded>(event)) forget_deltas(origin.session_id);
  keep(told);
}

void EventStream::keep(EventPointer event) {
  bytes_ += bytes_of(*event);
  events_.push_back(std::move(event));
  while (events_.size() > most_.count || bytes_ > most_.bytes) {
    dropped_to_ = events_.front()->sequence;
    bytes_ -= bytes_of(*events_.front());
    events_.pop_front();
  }
}

void EventStream::forget_deltas(SessionId session_id) {
  std::erase_if(events_, [&](const EventPointer& event) {
    const bool is_delta = event->session_id == session_id && event->type == "text_delta";
    if (is_delta) bytes_ -= bytes_of(*event);
    return is_delta;
  });
}

void EventStream::forget() {
  const std::lock_guard lock(mutex_);
  events_ = {};
  bytes_ = 0;
  if (first_) first_ = last_;
}

bool EventStream::has_all_after(std::uint64_t sequence) const {
  const std::lock_guard lock(mutex_);
  return first_ && sequence >= *first_ && sequence >= dropped_to_;
}

Subscription EventStream::listen(std::uint64_t after, Listener listener) {
  const auto listening = std::make_shared<Listening>(std::move(listener));
  {
    const std::lock_guard lock(mutex_);
    if (after < dropped_to_ && first_ < dropped_to_) {
      listening->push(host_, std::make_shared<const SessionEvent>(
                                 SessionEvent{.sequence = dropped_to_, .type = "events_lost"}));
    }
    for (const EventPointer& event : events_) {
      if (event->sequence > after) listening->push(host_, event);
    }
    listeners_.push_back(listening);
    update_is_heard();
  }
  return Subscription(std::shared_ptr<void>(static_cast<void*>(listening.get()),
                                            [stream = shared_from_this(), listening](void*) {
                                              stream->remove(*listening);
                                              listening->end();
                                            }));
}

void EventStream::remove(const Listening& listening) {
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [&](const auto& each) { return each.get() == &listening; });
  update_is_heard();
}

void EventStream::wait_until_told(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  std::vector<std::shared_ptr<Listening>> listeners;
  {
    const std::lock_guard lock(mutex_);
    listeners = listeners_;
  }
  for (const auto& listening : listeners) listening->wait_until_told(until);
}

}  // namespace wright::runtime
