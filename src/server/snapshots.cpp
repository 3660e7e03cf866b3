#include "server/snapshots.h"

#include <algorithm>
#include <utility>

namespace wright::server {
namespace {

constexpr std::size_t kMostKept = 64;  // of one kind: filters that somebody looks at now

}  // namespace

Result<std::string> Snapshots::get(const std::string& key,
                                   const std::function<Result<Json>()>& make) {
  const auto now = std::chrono::steady_clock::now();
  std::shared_ptr<Kept> kept;
  {
    const std::lock_guard lock(mutex_);
    if (kept_.size() >= kMostKept && !kept_.contains(key)) kept_.clear();
    std::shared_ptr<Kept>& known = kept_[key];
    if (!known) known = std::make_shared<Kept>();
    kept = known;
  }
  const std::lock_guard lock(kept->mutex);
  // One that was made while this waited for it is as new as can be.
  if (kept->made_at != std::chrono::steady_clock::time_point() && now - kept->made_at < age_) {
    return kept->text;
  }
  const auto began_at = std::chrono::steady_clock::now();
  const auto made = make();
  if (!made) return std::unexpected(made.error());
  kept->text = to_text(*made);
  kept->made_at = began_at;
  return kept->text;
}

void Snapshots::forget() {
  std::map<std::string, std::shared_ptr<Kept>> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(kept_);
}

}  // namespace wright::server
