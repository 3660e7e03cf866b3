#include "runtime/past_endings.h"

#include <algorithm>
#include <utility>

namespace wright::runtime {
namespace {

constexpr std::size_t kMostEndings = 1024;
constexpr std::size_t kMostBytes = 4 * 1024 * 1024;

std::size_t bytes_of(const session::Ending& ending) {
  return sizeof(ending) + ending.text.size() + ending.error.message.size();
}

}  // namespace

void PastEndings::add(session::Ending ending) {
  if (ending.session_id == 0) return;
  bytes_ += bytes_of(ending);
  endings_.push_back(std::move(ending));
  while (endings_.size() > kMostEndings || (bytes_ > kMostBytes && endings_.size() > 1)) {
    bytes_ -= bytes_of(endings_.front());
    endings_.pop_front();
  }
}

const session::Ending* PastEndings::find(SessionId id) const {
  const auto found =
      std::ranges::find(endings_.rbegin(), endings_.rend(), id, &session::Ending::session_id);
  return found == endings_.rend() ? nullptr : &*found;
}

}  // namespace wright::runtime
