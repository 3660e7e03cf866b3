// Writes the events of a runtime to its store, for processes that read them afterwards. It is an
// observer with a thread of its own: a session never waits for it. What is told while the store
// does not keep up is kept up to a limit; beyond that, events are left out and counted.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "wright/events.h"
#include "wright/store.h"

namespace wright::runtime {

class EventWriter {
 public:
  // `on_written` is called in the writer's thread after each write; may be empty.
  explicit EventWriter(Store& store, std::function<void()> on_written = {},
                       std::size_t most_waiting_bytes = std::size_t{32} << 20);
  // Writes what is left.
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // For RuntimeOptions::observer. The writer must outlive the runtime.
  Observer observer();

  // Until all that was told so far is written, or left out.
  void flush();
  std::uint64_t left_out() const;

 private:
  struct Waiting {
    SessionId session_id = 0;
    NewEvent event = {};
  };
  void add(const Event& event, const EventOrigin& origin);
  void write_all();
  void write(std::vector<Waiting> waiting);

  Store& store_;
  const std::function<void()> on_written_;
  const std::size_t most_waiting_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  Text::Phase last_phase_ = Text::Phase::unmarked;  // of the last text
  std::uint64_t left_out_ = 0;
  bool is_writing_ = false;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace wright::runtime
