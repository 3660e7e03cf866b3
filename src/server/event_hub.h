// Stored events for those who listen: each from where it left off, none twice, none left out. One
// thread reads what is new for all of them; whoever is behind, or reads slowly, reads the store at
// its own pace.
#pragma once

#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "http_server/server.h"
#include "wright/store.h"

namespace wright::server {

class EventHub {
 public:
  // `poll_time`: how often to look for what other processes wrote.
  EventHub(Store& store, std::chrono::milliseconds poll_time);
  ~EventHub();
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  // Something was written here.
  void look();

  // Sends the events after `after` to the stream, of that session with all below it or of all,
  // until nobody reads any more.
  void listen(http::Stream stream, EventSequence after, std::optional<SessionId> session_id);
  std::size_t listeners() const;
  // The newest event; 0 when there is none.
  EventSequence newest();

 private:
  struct Listener;
  using ListenerPointer = std::shared_ptr<Listener>;

  void read_all();
  void forget_those_who_left();
  bool read_some();
  void tell(const std::vector<StoredEvent>& events);
  void catch_up(const ListenerPointer& listener);
  bool concerns(SessionId listened_to, SessionId session_id);

  Store& store_;
  const std::chrono::milliseconds poll_time_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<ListenerPointer> live_;  // those that know everything up to last_
  EventSequence last_ = 0;
  std::map<SessionId, SessionId> parents_;  // 0: none
  std::size_t listening_ = 0;
  bool has_news_ = false;
  bool is_over_ = false;
  std::thread thread_;
};

// As it goes over the wire.
std::string event_text(const StoredEvent& event);

}  // namespace wright::server
