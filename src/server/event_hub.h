// Stored events for those who listen: each from where it left off, none twice, none left out. One
// thread reads what is new for all of them; whoever is behind, or reads slowly, reads the store at
// its own pace. While the store does not answer, everybody keeps their place.
//
// The mutex is held for what is in memory alone: nobody asks the store with it, and no listener is
// dropped with it, since the end of a stream takes locks of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "http_server/server.h"
#include "wright/store.h"

namespace wright::server {

class EventHub {
 public:
  // `poll_time`: how often to look for what other processes wrote. `on_events` is told of all that
  // is new, in the hub's thread; may be empty.
  using OnEvents = std::function<void(std::span<const StoredEvent>)>;
  EventHub(Store& store, std::chrono::milliseconds poll_time, OnEvents on_events = {});
  ~EventHub();
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  // Something was written here.
  void look();

  struct Wanted {
    std::optional<SessionId> session_id = {};  // with all below it; absent: of all
    std::optional<std::string> tenant = {};    // only of its sessions
  };
  // Sends the events after `after` to the stream, those that are wanted, until nobody reads any
  // more, or `is_admitted` says no: it is asked in the hub's thread, as often as the hub polls. May
  // be empty.
  void listen(http::Stream stream, EventSequence after, Wanted wanted,
              std::function<bool()> is_admitted = {});
  std::size_t listeners() const;
  // The newest event; 0 when there is none.
  EventSequence newest();

 private:
  struct Listener;
  using ListenerPointer = std::shared_ptr<Listener>;

  struct Family {
    std::vector<SessionId> ids = {};         // a session and all above it
    std::optional<std::string> tenant = {};  // absent: the session is not there any more
  };
  using Families = std::map<SessionId, Family>;

  void read_all();
  void end_those_who_are_not_admitted();
  std::list<ListenerPointer> take_those_who_left();
  void go_on_with_those_behind();
  bool read_some();
  Result<Families> families_of(const std::vector<StoredEvent>& events);
  void tell(const std::vector<StoredEvent>& events, const Families& families);
  // False when the store does not answer: then it is among those behind.
  bool catch_up(const ListenerPointer& listener);

  Store& store_;
  const std::chrono::milliseconds poll_time_;
  const OnEvents on_events_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<ListenerPointer> live_;    // those that know everything up to last_
  std::list<ListenerPointer> behind_;  // those that the store did not answer
  EventSequence last_ = 0;
  struct Standing {
    SessionId parent = 0;  // 0: none
    std::string tenant = {};
  };
  std::map<SessionId, Standing> standings_;  // of the hub's thread
  std::size_t listening_ = 0;
  bool has_news_ = false;
  bool is_over_ = false;
  std::thread thread_;
};

// The newest event of the store, which is not older than `below`; that where there is none.
EventSequence newest_event(Store& store, EventSequence below);

// As it goes over the wire.
std::string event_text(const StoredEvent& event);

}  // namespace wright::server
