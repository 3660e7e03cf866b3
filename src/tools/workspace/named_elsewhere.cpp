#include "tools/workspace/named_elsewhere.h"

#include <algorithm>
#include <utility>

namespace wright::tools {
namespace {

// Only people make such links, and such settings: what a command makes a link to, it can read by
// itself, and settings it cannot change.
constexpr std::chrono::seconds kLookAgainAfter{1};
// Looking takes a twentieth of the time at most, however large the tree is.
constexpr int kLooksApart = 20;

SandboxPolicy only_reading(std::vector<std::filesystem::path> folders,
                           std::vector<std::string> unreadable) {
  SandboxPolicy policy;
  policy.read_paths = std::move(folders);
  policy.write_paths.clear();
  policy.protected_paths = {".git"};
  policy.unreadable = std::move(unreadable);
  return policy;
}

// In a tree that is too large, what was known and is not found any more counts on: whoever fills
// the tree opens nothing.
void keep_what_was_known(const std::vector<std::string>& known, std::vector<std::string>& found) {
  found.insert(found.end(), known.begin(), known.end());
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
}

bool has_place_of(const std::vector<std::string>& places, std::string_view absolute) {
  return std::ranges::any_of(places, [&](const std::string& place) {
    return absolute.starts_with(place) &&
           (absolute.size() == place.size() || absolute[place.size()] == '/');
  });
}

}  // namespace

NamedElsewhere::NamedElsewhere(std::vector<std::filesystem::path> folders,
                               std::vector<std::string> unreadable)
    : paths_(only_reading(std::move(folders), std::move(unreadable))) {}

void NamedElsewhere::look_when_due() {
  const auto began = std::chrono::steady_clock::now();
  if (began < look_at_) return;
  auto found = paths_.elsewhere();
  if (!found.is_complete) {
    keep_what_was_known(known_.unreadable, found.unreadable);
    keep_what_was_known(known_.of_git, found.of_git);
  }
  known_ = std::move(found);
  const auto over = std::chrono::steady_clock::now();
  look_at_ = over + std::max<std::chrono::steady_clock::duration>(kLookAgainAfter,
                                                                  kLooksApart * (over - began));
}

bool NamedElsewhere::hides(std::string_view absolute) {
  const std::lock_guard lock(mutex_);
  look_when_due();
  return has_place_of(known_.unreadable, absolute);
}

bool NamedElsewhere::is_of_git(std::string_view absolute) {
  const std::lock_guard lock(mutex_);
  look_when_due();
  return has_place_of(known_.of_git, absolute);
}

}  // namespace wright::tools
