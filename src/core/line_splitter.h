// Splits a stream of bytes that arrives in pieces into lines. A line ends with LF, CR LF or CR,
// wherever the pieces are cut. Lines that arrive in one piece are not copied.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/try.h"
#include "wright/error.h"

namespace wright {

class LineSplitter {
 public:
  explicit LineSplitter(std::size_t longest_line) : longest_line_(longest_line) {}

  // Calls `on_line` (Result<void>(std::string_view), the view valid during the call) for every line
  // that is now complete, and stops at the first error.
  template <class OnLine>
  Result<void> feed(std::string_view bytes, OnLine&& on_line) {
    // Looked for once, however many lines end with CR alone.
    std::size_t line_feed = bytes.find('\n');
    while (!bytes.empty()) {
      if (line_feed == std::string_view::npos) line_feed = bytes.size();
      const std::size_t end = std::min(bytes.substr(0, line_feed).find('\r'), line_feed);
      const bool is_second_half = std::exchange(ended_with_cr_, false) && bytes.front() == '\n';
      if (!is_second_half) {
        if (begun_.size() + end > longest_line_) return too_long();
        if (end == bytes.size()) {
          begun_ += bytes;
          return {};
        }
        ended_with_cr_ = bytes[end] == '\r';
        TRY(take(bytes.substr(0, end), on_line));
      }
      bytes.remove_prefix(end + 1);
      line_feed = end < line_feed ? line_feed - end - 1 : bytes.find('\n');
    }
    return {};
  }

  // The stream has ended: a last line without a line end counts as well.
  template <class OnLine>
  Result<void> finish(OnLine&& on_line) {
    if (begun_.empty()) return {};
    return take({}, on_line);
  }

 private:
  template <class OnLine>
  Result<void> take(std::string_view piece, OnLine&& on_line) {
    if (begun_.empty()) return on_line(piece);
    begun_ += piece;
    Result<void> taken = on_line(std::string_view(begun_));
    begun_.clear();
    return taken;
  }

  std::unexpected<Error> too_long() const;

  std::size_t longest_line_;
  std::string begun_;
  bool ended_with_cr_ = false;
};

}  // namespace wright
