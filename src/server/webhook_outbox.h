// From stored events to messages that are to be delivered, as records of the store.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "wright/store.h"

namespace wright::server {

// The records of what waits for a URL. Their values are {"id", "body", "attempts"}.
std::string webhook_kind(const std::string& url);

class WebhookOutbox {
 public:
  // `on_added` is called in the outbox's thread.
  WebhookOutbox(Store& store, std::vector<std::string> urls, std::function<void()> on_added);

  void tell(std::span<const StoredEvent> events);
  // Reads the store from where it is known to have been told.
  void look_again();
  bool is_idle() const;

 private:
  // How far a URL has been told, in the store and here.
  struct Cursor {
    std::string url = {};
    EventSequence after = 0;
    std::int64_t version = 0;  // 0: it is not in the store
  };

  void work(const std::stop_token& stop);
  Result<void> read_cursor(Cursor& cursor);
  Result<void> catch_up(const std::stop_token& stop);
  Result<void> take(const StoredEvent& event);
  Result<void> add(Cursor& cursor, EventSequence sequence, const Json& message);
  Result<void> move(Cursor& cursor, EventSequence sequence);

  Store& store_;
  const std::function<void()> on_added_;
  std::vector<Cursor> cursors_;  // of its thread
  EventSequence known_ = 0;      // likewise: all up to here is taken

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<StoredEvent> waiting_;
  bool is_behind_ = true;  // the store has more than what waits
  bool is_busy_ = false;
  std::jthread thread_;  // the last: it uses all of the above
};

}  // namespace wright::server
