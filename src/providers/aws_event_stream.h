// The binary frames in which AWS streams events (application/vnd.amazon.eventstream):
//
//   frame   = total length (4) headers length (4) CRC of these eight bytes (4)
//             header* payload CRC of everything before (4)
//   header  = length of name (1) name type (1) value; a string (type 7) is length (2) and bytes
//
// All numbers are big-endian; CRCs are those of gzip. Both CRCs are checked, and a length is
// believed only when its own CRC is right. It does not know what is in the events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/try.h"
#include "wright/error.h"

namespace wright::providers {

// The headers that say what a frame is; empty where it has none.
struct AwsEvent {
  std::string_view message_type;    // "event", "exception" or "error"
  std::string_view event_type;      // of an event: "contentBlockDelta"
  std::string_view exception_type;  // of an exception: "throttlingException"
  std::string_view error_code;      // of an error
  std::string_view error_message;
  std::string_view payload;
};

class AwsEventStream {
 public:
  // Calls `on_event` (Result<void>(const AwsEvent&)) for every frame that is now complete. An error
  // says what is wrong with a frame; nothing can be fed after it.
  template <class OnEvent>
  Result<void> feed(std::string_view bytes, OnEvent&& on_event) {
    kept_ += bytes;
    std::string_view rest = kept_;
    while (true) {
      const std::size_t size = TRY(size_of_first(rest));
      if (size == 0) break;
      const AwsEvent event = TRY(read(rest.substr(0, size)));
      rest.remove_prefix(size);
      TRY(on_event(event));
    }
    kept_.erase(0, kept_.size() - rest.size());
    return {};
  }

 private:
  // Of the frame at the beginning; 0 while it is not complete.
  static Result<std::size_t> size_of_first(std::string_view bytes);
  static Result<AwsEvent> read(std::string_view frame);

  std::string kept_;
};

}  // namespace wright::providers
