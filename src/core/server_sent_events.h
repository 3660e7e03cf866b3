// Reads a stream of server-sent events (text/event-stream) that arrives in pieces. It does not look
// into the events.
#pragma once

#include <string>
#include <string_view>

#include "core/line_splitter.h"
#include "core/try.h"

namespace wright {

// The views are valid during the callback.
struct ServerSentEvent {
  std::string_view type;  // "message" when the stream names none
  std::string_view data;  // the data lines, joined by newlines
};

class ServerSentEvents {
 public:
  static constexpr std::size_t kLargestEvent = 64 << 20;

  explicit ServerSentEvents(std::size_t largest_event = kLargestEvent)
      : largest_event_(largest_event), lines_(largest_event) {}

  // Calls `on_event` (Result<void>(const ServerSentEvent&)) for every event that is now complete,
  // and stops at the first error. Comments, ids and retry times are skipped.
  template <class OnEvent>
  Result<void> feed(std::string_view bytes, OnEvent&& on_event) {
    return lines_.feed(bytes, [&](std::string_view line) { return take_line(line, on_event); });
  }

  // The stream has ended. Servers leave out the last blank line, so an event that was begun counts.
  template <class OnEvent>
  Result<void> finish(OnEvent&& on_event) {
    TRY(lines_.finish([&](std::string_view line) { return take_line(line, on_event); }));
    return dispatch(on_event);
  }

 private:
  template <class OnEvent>
  Result<void> take_line(std::string_view line, OnEvent&& on_event) {
    if (line.empty()) return dispatch(on_event);
    return take_field(line);
  }

  template <class OnEvent>
  Result<void> dispatch(OnEvent&& on_event) {
    Result<void> taken;
    if (has_data_) {
      taken = on_event(ServerSentEvent{
          type_.empty() ? std::string_view("message") : std::string_view(type_), data_});
    }
    type_.clear();
    data_.clear();
    has_data_ = false;
    return taken;
  }

  Result<void> take_field(std::string_view line);

  std::size_t largest_event_;
  LineSplitter lines_;
  std::string type_;
  std::string data_;
  bool has_data_ = false;
  bool is_first_line_ = true;
};

}  // namespace wright
