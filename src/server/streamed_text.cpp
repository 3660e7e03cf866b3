#include "server/streamed_text.h"

#include <algorithm>
#include <utility>

namespace wright::server {

std::string StreamedText::begin_attempt() {
  const bool was_remark = has_turn_ended_ && pace_ == Pace::after_remark && !sent_.empty();
  if (was_remark) sent_.clear();
  held_.clear();
  has_turn_ended_ = false;
  said_ = 0;
  is_another_ = false;
  return was_remark ? "\n\n" : "";
}

std::string StreamedText::add(std::string_view piece) {
  if (pace_ == Pace::at_end) return {};
  if (pace_ == Pace::after_remark && sent_.empty()) {
    held_ += piece;
    if (held_.size() <= kLongestRemark) return {};
    said_ = held_.size();
    sent_ = std::exchange(held_, {});
    return sent_;
  }
  const std::size_t known = std::min(piece.size(), sent_.size() - std::min(said_, sent_.size()));
  const bool is_known =
      known == 0 || std::string_view(sent_).substr(said_, known) == piece.substr(0, known);
  is_another_ = is_another_ || !is_known;
  said_ += piece.size();
  if (is_another_) return {};
  piece.remove_prefix(known);
  sent_ += piece;
  return std::string(piece);
}

Result<std::string> StreamedText::rest_of(std::string_view answer) const {
  if (answer.starts_with(sent_)) return std::string(answer.substr(sent_.size()));
  // A model may speak of its work beside the answer: all of what it said last was sent then.
  if (!is_another_ && said_ == sent_.size()) return std::string();
  return fail(ErrorCode::unavailable,
              "The model was interrupted and answered anew, after a part of its first answer had "
              "been sent. Ask again, or without a stream");
}

}  // namespace wright::server
