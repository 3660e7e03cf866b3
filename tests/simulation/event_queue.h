// What is to happen, by simulated time; what happens at the same time, in an order that a seed
// chooses. Every event may belong to a process, and goes with it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/callback.h"

namespace wright::simulation {

using OwnerId = int;  // of a process; never used again
inline constexpr OwnerId kWorld = 0;

class EventQueue {
 public:
  using Task = Callback<void()>;
  using EventId = std::uint64_t;
  struct Event {
    std::int64_t at = 0;
    OwnerId owner = kWorld;
    EventId id = 0;
    Task task = {};
  };

  // `tie` decides among events of the same time.
  EventId push(std::int64_t at, std::uint64_t tie, OwnerId owner, Task task) {
    const EventId id = ++last_;
    insert(at, tie, {at, owner, id, std::move(task)});
    return id;
  }
  // The same event at another time.
  void push_again(std::int64_t at, std::uint64_t tie, Event event) {
    event.at = at;
    insert(at, tie, std::move(event));
  }
  void cancel(EventId id) {
    const auto found = keys_.find(id);
    if (found == keys_.end()) return;
    events_.erase(found->second);
    keys_.erase(found);
  }
  void move(EventId id, std::int64_t at, std::uint64_t tie) {
    const auto found = keys_.find(id);
    if (found == keys_.end()) return;
    Event event = std::move(events_.extract(found->second).mapped());
    keys_.erase(found);
    push_again(at, tie, std::move(event));
  }
  void remove_all_of(OwnerId owner) {
    std::erase_if(events_, [&](const auto& each) {
      if (each.second.owner != owner) return false;
      keys_.erase(each.second.id);
      return true;
    });
  }
  std::optional<Event> pop() {
    if (events_.empty()) return std::nullopt;
    Event event = std::move(events_.extract(events_.begin()).mapped());
    keys_.erase(event.id);
    return event;
  }

 private:
  using Key = std::tuple<std::int64_t, std::uint64_t, EventId>;

  void insert(std::int64_t at, std::uint64_t tie, Event event) {
    const Key key{at, tie, event.id};
    keys_[event.id] = key;
    events_.emplace(key, std::move(event));
  }

  std::map<Key, Event> events_;
  std::unordered_map<EventId, Key> keys_;
  EventId last_ = 0;
};

}  // namespace wright::simulation
