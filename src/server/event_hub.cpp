#include "server/event_hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "server/resources.h"

namespace wright::server {
namespace {

constexpr std::size_t kEventsAtATime = 100;  // each may be large
// Whoever has this much unread reads the store when it is ready for more.
constexpr std::size_t kMostAhead = 256 * 1024;
constexpr std::size_t kMostStandings = 100'000;

}  // namespace

struct EventHub::Listener {
  http::Stream stream;
  EventSequence after = 0;
  Wanted wanted = {};
  std::function<bool()> is_admitted = {};
};

std::string event_text(const StoredEvent& event) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", event.sequence, event.type,
                     to_text(event_json(event)));
}

EventHub::EventHub(Store& store, std::chrono::milliseconds poll_time, OnEvents on_events)
    : store_(store), poll_time_(poll_time), on_events_(std::move(on_events)) {
  last_ = newest();
  thread_ = std::thread([this] { read_all(); });
}

EventHub::~EventHub() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

EventSequence EventHub::newest() {
  EventSequence below = 0;
  {
    const std::lock_guard lock(mutex_);
    below = last_;
  }
  return newest_event(store_, below);
}

// The store tells what follows a number, so the last one is searched for.
EventSequence newest_event(Store& store, EventSequence below) {
  const auto has_after = [&store](EventSequence sequence) {
    const auto events = store.get_events({.after = sequence, .limit = 1});
    return events && !events->empty();
  };
  if (!has_after(below)) return below;
  EventSequence step = 1;
  while (has_after(below + step)) {
    below += step;
    step *= 2;
  }
  EventSequence newest = below + step;
  while (newest - below > 1) {
    const EventSequence middle = below + (newest - below) / 2;
    (has_after(middle) ? below : newest) = middle;
  }
  return newest;
}

void EventHub::look() {
  {
    const std::lock_guard lock(mutex_);
    has_news_ = true;
  }
  changed_.notify_all();
}

std::size_t EventHub::listeners() const {
  const std::lock_guard lock(mutex_);
  return listening_;
}

void EventHub::read_all() {
  auto looked_at = std::chrono::steady_clock::now();
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, poll_time_, [&] { return is_over_ || has_news_; });
      if (is_over_) return;
      has_news_ = false;
    }
    if (const auto now = std::chrono::steady_clock::now(); now - looked_at >= poll_time_) {
      looked_at = now;
      end_those_who_are_not_admitted();
      std::list<ListenerPointer> gone;  // outlives the lock
      const std::lock_guard lock(mutex_);
      gone = take_those_who_left();
    }
    go_on_with_those_behind();
    while (read_some()) {
    }
  }
}

// Asks outside of the lock: it may read a file.
void EventHub::end_those_who_are_not_admitted() {
  std::vector<ListenerPointer> asked;
  {
    const std::lock_guard lock(mutex_);
    for (const auto* list : {&live_, &behind_}) {
      std::ranges::copy_if(*list, std::back_inserter(asked), [](const ListenerPointer& listener) {
        return static_cast<bool>(listener->is_admitted);
      });
    }
  }
  for (const ListenerPointer& listener : asked) {
    if (!listener->is_admitted()) listener->stream.end();
  }
}

// With the mutex held. Whoever hears nothing is not noticed otherwise.
std::list<EventHub::ListenerPointer> EventHub::take_those_who_left() {
  std::list<ListenerPointer> gone;
  for (std::list<ListenerPointer>* list : {&live_, &behind_}) {
    for (auto each = list->begin(); each != list->end();) {
      const auto next = std::next(each);
      if (!(*each)->stream.is_open()) gone.splice(gone.end(), *list, each);
      each = next;
    }
  }
  listening_ -= gone.size();
  return gone;
}

void EventHub::go_on_with_those_behind() {
  std::list<ListenerPointer> behind;
  {
    const std::lock_guard lock(mutex_);
    behind.swap(behind_);
  }
  while (!behind.empty() && catch_up(behind.front())) behind.pop_front();
  if (behind.empty()) return;
  behind.pop_front();  // it is among them again
  const std::lock_guard lock(mutex_);
  behind_.splice(behind_.end(), behind);
}

bool EventHub::read_some() {
  const auto events = store_.get_events({.after = last_, .limit = kEventsAtATime});
  if (!events || events->empty()) return false;
  const auto families = families_of(*events);
  if (!families) return false;
  if (on_events_) on_events_(*events);
  tell(*events, *families);
  return events->size() == kEventsAtATime;
}

// A session's parent and tenant never change. One that is not there any more has no events either.
Result<EventHub::Families> EventHub::families_of(const std::vector<StoredEvent>& events) {
  Families families;
  for (const StoredEvent& event : events) {
    Family& family = families[event.session_id];
    if (!family.ids.empty()) continue;
    for (SessionId id = event.session_id; id != 0;) {
      family.ids.push_back(id);
      auto found = standings_.find(id);
      if (found == standings_.end()) {
        const auto session = store_.get_session(id);
        if (!session && session.error().code == ErrorCode::not_found) break;
        if (!session) return std::unexpected(session.error());
        if (standings_.size() >= kMostStandings) standings_.clear();
        const Standing standing{session->parent_session_id.value_or(0), session->tenant};
        found = standings_.emplace(id, standing).first;
      }
      if (id == event.session_id) family.tenant = found->second.tenant;
      id = found->second.parent;
    }
  }
  return families;
}

// Only the hub's thread changes last_, always with the mutex held.
void EventHub::tell(const std::vector<StoredEvent>& events, const Families& families) {
  std::vector<std::string> texts;
  texts.reserve(events.size());
  for (const StoredEvent& event : events) texts.push_back(event_text(event));
  const auto concerns = [&](const Listener& listener, const StoredEvent& event) {
    // It may have read them from the store while it caught up.
    if (event.sequence <= listener.after) return false;
    const Family& family = families.at(event.session_id);
    if (listener.wanted.tenant && family.tenant != listener.wanted.tenant) return false;
    return !listener.wanted.session_id ||
           std::ranges::find(family.ids, *listener.wanted.session_id) != family.ids.end();
  };
  std::list<ListenerPointer> gone;  // these two outlive the lock
  std::list<ListenerPointer> slow;
  {
    const std::lock_guard lock(mutex_);
    for (auto each = live_.begin(); each != live_.end();) {
      const auto next = std::next(each);
      Listener& listener = **each;
      std::string text;
      for (std::size_t i = 0; i < events.size(); ++i) {
        if (concerns(listener, events[i])) text += texts[i];
      }
      if (!text.empty() && listener.stream.unsent() + text.size() > kMostAhead) {
        slow.splice(slow.end(), live_, each);
      } else if (!text.empty() && !listener.stream.write(std::move(text))) {
        gone.splice(gone.end(), live_, each);
        --listening_;
      } else {
        listener.after = std::max(listener.after, events.back().sequence);
      }
      each = next;
    }
    last_ = events.back().sequence;
  }
  for (const ListenerPointer& listener : slow) {
    listener->stream.when_sent([this, listener] { catch_up(listener); });
  }
}

void EventHub::listen(http::Stream stream, EventSequence after, Wanted wanted,
                      std::function<bool()> is_admitted) {
  {
    const std::lock_guard lock(mutex_);
    ++listening_;
  }
  catch_up(std::make_shared<Listener>(
      Listener{std::move(stream), after, std::move(wanted), std::move(is_admitted)}));
}

bool EventHub::catch_up(const ListenerPointer& listener) {
  for (;;) {
    EventSequence known = 0;
    {
      const std::lock_guard lock(mutex_);
      known = last_;
      if (is_over_ || !listener->stream.is_open()) {
        --listening_;
        return true;
      }
      if (listener->after >= known) {  // the hub tells it all that follows
        live_.push_back(listener);
        return true;
      }
    }
    const auto events = store_.get_events({.after = listener->after,
                                           .session_id = listener->wanted.session_id,
                                           .tenant = listener->wanted.tenant,
                                           .limit = kEventsAtATime});
    if (!events && events.error().code == ErrorCode::not_found) {  // the session was deleted
      listener->stream.end();
      continue;  // ends above
    }
    if (!events) {
      const std::lock_guard lock(mutex_);
      behind_.push_back(listener);
      return false;
    }
    std::string text;
    std::size_t taken = 0;
    while (taken < events->size() && text.size() <= kMostAhead) {
      const StoredEvent& event = (*events)[taken++];
      text += event_text(event);
      listener->after = std::max(listener->after, event.sequence);
    }
    if (taken == events->size() && taken < kEventsAtATime) {
      // Nothing else of its session is there up to what was known before the question.
      listener->after = std::max(listener->after, known);
    }
    if (text.empty()) continue;
    if (!listener->stream.write(std::move(text))) continue;  // ends above
    if (listener->stream.unsent() > kMostAhead) {
      listener->stream.when_sent([this, listener] { catch_up(listener); });
      return true;
    }
  }
}

}  // namespace wright::server
