#include "runtime/past_endings.h"

#include <algorithm>
#include <utility>

#include "runtime/json_bytes.h"

namespace wright::runtime {
namespace {

constexpr std::size_t kMostEndings = 1024;
constexpr std::size_t kMostBytes = 4 * 1024 * 1024;

std::size_t kept_bytes(const session::Ending& ending) {
  std::size_t bytes = sizeof(ending) + ending.text.size() + ending.error.message.size() +
                      json_bytes(ending.error.detail);
  for (const PersonWait& wait : ending.waits) bytes += sizeof(wait) + json_bytes(wait.shown);
  if (ending.feedback) bytes += json_bytes(to_json(*ending.feedback));
  return bytes;
}

}  // namespace

void PastEndings::add(session::Ending ending) {
  if (ending.session_id == 0) return;
  bytes_ += kept_bytes(ending);
  endings_.push_back(std::move(ending));
  while (endings_.size() > kMostEndings || (bytes_ > kMostBytes && endings_.size() > 1)) {
    bytes_ -= kept_bytes(endings_.front());
    endings_.pop_front();
  }
}

const session::Ending* PastEndings::find(SessionId id) const {
  const auto found =
      std::ranges::find(endings_.rbegin(), endings_.rend(), id, &session::Ending::session_id);
  return found == endings_.rend() ? nullptr : &*found;
}

}  // namespace wright::runtime
