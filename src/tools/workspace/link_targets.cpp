#include "tools/workspace/link_targets.h"

#include <algorithm>
#include <utility>

namespace wright::tools {
namespace {

// Only people make such links: what a command makes a link to, it can read by itself.
constexpr std::chrono::seconds kLookAgainAfter{1};
// Looking takes a twentieth of the time at most, however large the tree is.
constexpr int kLooksApart = 20;

SandboxPolicy only_reading(std::vector<std::filesystem::path> folders,
                           std::vector<std::string> unreadable) {
  SandboxPolicy policy;
  policy.read_paths = std::move(folders);
  policy.write_paths.clear();
  policy.protected_paths.clear();
  policy.unreadable = std::move(unreadable);
  return policy;
}

}  // namespace

LinkTargets::LinkTargets(std::vector<std::filesystem::path> folders,
                         std::vector<std::string> unreadable)
    : paths_(only_reading(std::move(folders), std::move(unreadable))) {}

// What was known and is not found any more in a tree that is too large counts on: whoever fills the tree
// makes nothing readable.
void LinkTargets::look() {
  auto [found, is_complete] = paths_.behind_links();
  if (!is_complete) {
    found.insert(found.end(), targets_.begin(), targets_.end());
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
  }
  targets_ = std::move(found);
}

bool LinkTargets::hold(std::string_view absolute) {
  const std::lock_guard lock(mutex_);
  const auto began = std::chrono::steady_clock::now();
  if (began >= look_at_) {
    look();
    const auto over = std::chrono::steady_clock::now();
    look_at_ = over + std::max<std::chrono::steady_clock::duration>(kLookAgainAfter,
                                                                    kLooksApart * (over - began));
  }
  return std::ranges::any_of(targets_, [&](const std::string& target) {
    return absolute.starts_with(target) &&
           (absolute.size() == target.size() || absolute[target.size()] == '/');
  });
}

}  // namespace wright::tools
