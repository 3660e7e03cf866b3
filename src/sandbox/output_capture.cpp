#include "sandbox/output_capture.h"

#include <algorithm>

namespace wright::sandbox {

void OutputCapture::add(std::string_view piece) {
  total_ += piece.size();
  const std::size_t into_head = std::min(piece.size(), half_ - head_.size());
  head_ += piece.substr(0, into_head);
  piece.remove_prefix(into_head);
  if (piece.size() > half_) piece.remove_prefix(piece.size() - half_);
  const std::size_t growth = std::min(piece.size(), half_ - ring_.size());
  ring_ += piece.substr(0, growth);
  piece.remove_prefix(growth);
  while (!piece.empty()) {
    const std::size_t room = std::min(piece.size(), ring_.size() - oldest_);
    ring_.replace(oldest_, room, piece.substr(0, room));
    oldest_ = (oldest_ + room) % ring_.size();
    piece.remove_prefix(room);
  }
}

CapturedOutput OutputCapture::finish() && {
  std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(oldest_), ring_.end());
  CapturedOutput output{std::move(head_), std::move(ring_), total_};
  if (output.omitted_bytes() == 0) {
    output.head += output.tail;
    output.tail.clear();
  }
  return output;
}

}  // namespace wright::sandbox
