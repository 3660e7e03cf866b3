// Server-sent events as MCP over HTTP uses them: what core/server_sent_events.h reads, and beside
// it the ids and pauses by which a broken stream is taken up again.
#pragma once

#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/line_splitter.h"
#include "core/server_sent_events.h"
#include "core/text.h"
#include "core/try.h"

namespace wright::mcp {

class EventStream {
 public:
  // Calls `on_data` (Result<void>(std::string_view)) for every event that has some.
  template <class OnData>
  Result<void> feed(std::string_view bytes, OnData&& on_data) {
    return lines_.feed(bytes, [&](std::string_view line) -> Result<void> {
      note(line);
      TRY(events_.feed(std::string(line) + "\n", [&](const ServerSentEvent& event) {
        return event.data.empty() ? Result<void>() : on_data(event.data);
      }));
      return {};
    });
  }

  const std::string& last_id() const { return last_id_; }  // empty: none
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  void note(std::string_view line) {
    if (line.starts_with("id:")) last_id_ = trimmed(line.substr(3), " ");
    if (!line.starts_with("retry:")) return;
    const std::string_view number = trimmed(line.substr(6), " ");
    int milliseconds = 0;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), milliseconds);
    if (error == std::errc() && end == number.data() + number.size() && milliseconds >= 0) {
      retry_ = std::chrono::milliseconds(milliseconds);
    }
  }

  LineSplitter lines_{ServerSentEvents::kLargestEvent};
  ServerSentEvents events_;
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace wright::mcp
