#include "mcp_client/answer_cache.h"

#include <algorithm>
#include <utility>

namespace wright::mcp_client {
namespace {

constexpr std::size_t kMostKept = 100;
constexpr std::size_t kLargestKept = 1 << 20;  // as text

}  // namespace

std::optional<Json> AnswerCache::find(std::string_view key, std::uint64_t version,
                                      Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(key);
  if (found == kept_.end()) return std::nullopt;
  const Kept& kept = found->second;
  if (kept.version != version || now >= kept.until || kept.answer.is_null()) return std::nullopt;
  return kept.answer;
}

void AnswerCache::keep(std::string key, std::uint64_t version, Clock::time_point until,
                       Json answer) {
  if (to_text(answer).size() > kLargestKept) answer = nullptr;
  const std::lock_guard lock(mutex_);
  if (kept_.size() >= kMostKept && !kept_.contains(key)) {
    kept_.erase(
        std::ranges::min_element(kept_, {}, [](const auto& each) { return each.second.until; }));
  }
  kept_.insert_or_assign(std::move(key), Kept{version, until, std::move(answer)});
}

std::optional<AnswerCache::Clock::time_point> AnswerCache::holds_until(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(key);
  if (found == kept_.end()) return std::nullopt;
  return found->second.until;
}

}  // namespace wright::mcp_client
