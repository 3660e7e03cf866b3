#include "tools/workspace/link_targets.h"

#include <algorithm>
#include <utility>

namespace wright::tools {
namespace {

// Only people make such links: what a command makes a link to, it can read by itself.
constexpr std::chrono::seconds kLookAgainAfter{1};

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

bool LinkTargets::hold(std::string_view absolute) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  const bool is_first = looked_at_ == std::chrono::steady_clock::time_point();
  if (is_first || now - looked_at_ > kLookAgainAfter) {
    targets_ = paths_.behind_links();
    looked_at_ = std::chrono::steady_clock::now();
  }
  return std::ranges::any_of(targets_, [&](const std::string& target) {
    return absolute.starts_with(target) &&
           (absolute.size() == target.size() || absolute[target.size()] == '/');
  });
}

}  // namespace wright::tools
