#include "server/event_hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/resources.h"

namespace wright::server {
namespace {

constexpr std::size_t kEventsAtATime = 500;
// Whoever has this much unread reads the store when it is ready for more.
constexpr std::size_t kMostAhead = 256 * 1024;
constexpr std::size_t kMostParents = 100'000;

}  // namespace

struct EventHub::Listener {
  http::Stream stream;
  EventSequence after = 0;
  std::optional<SessionId> session_id = {};
};

std::string event_text(const StoredEvent& event) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", event.sequence, event.type,
                     to_text(event_json(event)));
}

EventHub::EventHub(Store& store, std::chrono::milliseconds poll_time)
    : store_(store), poll_time_(poll_time) {
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

// The store tells what follows a number, so the last one is searched for.
EventSequence EventHub::newest() {
  const auto has_after = [this](EventSequence sequence) {
    const auto events = store_.get_events({.after = sequence, .limit = 1});
    return events && !events->empty();
  };
  EventSequence below = 0;
  {
    const std::lock_guard lock(mutex_);
    below = last_;
  }
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
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, poll_time_, [&] { return is_over_ || has_news_; });
      if (is_over_) return;
      if (!std::exchange(has_news_, false)) forget_those_who_left();
    }
    while (read_some()) {
    }
  }
}

// With the mutex held. Whoever hears nothing is not noticed otherwise.
void EventHub::forget_those_who_left() {
  listening_ -= std::erase_if(
      live_, [](const ListenerPointer& listener) { return !listener->stream.is_open(); });
}

bool EventHub::read_some() {
  const auto events = store_.get_events({.after = last_, .limit = kEventsAtATime});
  if (!events || events->empty()) return false;
  tell(*events);
  return events->size() == kEventsAtATime;
}

// Only the hub's thread changes last_, always with the mutex held.
void EventHub::tell(const std::vector<StoredEvent>& events) {
  std::vector<std::string> texts;
  texts.reserve(events.size());
  for (const StoredEvent& event : events) texts.push_back(event_text(event));
  const std::lock_guard lock(mutex_);
  for (auto each = live_.begin(); each != live_.end();) {
    const ListenerPointer listener = *each;
    std::string text;
    for (std::size_t i = 0; i < events.size(); ++i) {
      // It may have read them from the store while it caught up.
      if (events[i].sequence <= listener->after) continue;
      if (listener->session_id && !concerns(*listener->session_id, events[i].session_id)) continue;
      text += texts[i];
    }
    if (!text.empty() && listener->stream.unsent() + text.size() > kMostAhead) {
      each = live_.erase(each);
      listener->stream.when_sent([this, listener] { catch_up(listener); });
      continue;
    }
    if (!text.empty() && !listener->stream.write(std::move(text))) {
      each = live_.erase(each);
      --listening_;
      continue;
    }
    listener->after = std::max(listener->after, events.back().sequence);
    ++each;
  }
  last_ = events.back().sequence;
}

// With the mutex held. A session's parent never changes.
bool EventHub::concerns(SessionId listened_to, SessionId session_id) {
  while (session_id != 0 && session_id != listened_to) {
    auto found = parents_.find(session_id);
    if (found == parents_.end()) {
      const auto session = store_.get_session(session_id);
      if (!session) return false;
      if (parents_.size() >= kMostParents) parents_.clear();
      found = parents_.emplace(session_id, session->parent_session_id.value_or(0)).first;
    }
    session_id = found->second;
  }
  return session_id == listened_to;
}

void EventHub::listen(http::Stream stream, EventSequence after,
                      std::optional<SessionId> session_id) {
  {
    const std::lock_guard lock(mutex_);
    ++listening_;
  }
  catch_up(std::make_shared<Listener>(Listener{std::move(stream), after, session_id}));
}

void EventHub::catch_up(const ListenerPointer& listener) {
  for (;;) {
    EventSequence known = 0;
    {
      const std::lock_guard lock(mutex_);
      known = last_;
      if (is_over_ || !listener->stream.is_open()) {
        --listening_;
        return;
      }
      if (listener->after >= known) {  // the hub tells it all that follows
        live_.push_back(listener);
        return;
      }
    }
    const auto events = store_.get_events(
        {.after = listener->after, .session_id = listener->session_id, .limit = kEventsAtATime});
    if (!events) {
      listener->stream.end();
      continue;  // ends above
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
      return listener->stream.when_sent([this, listener] { catch_up(listener); });
    }
  }
}

}  // namespace wright::server
