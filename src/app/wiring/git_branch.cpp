#include "app/wiring/git_branch.h"

#include <algorithm>
#include <string_view>

#include "app/terminal/screen_text.h"
#include "core/text.h"
#include "project/text_file.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostOfFile = 4096;
constexpr std::size_t kShortHash = 7;
constexpr std::size_t kLeastOfHash = 40;

bool is_hash(std::string_view text) {
  return text.size() >= kLeastOfHash && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// Work trees and submodules have a file that says where their git folder is.
std::filesystem::path git_folder(const std::filesystem::path& root) {
  constexpr std::string_view kElsewhere = "gitdir:";
  const auto pointer = project::read_text(root / ".git", kMostOfFile);
  if (!pointer || !pointer->starts_with(kElsewhere)) return root / ".git";
  return root /
         std::filesystem::path(trimmed(std::string_view(*pointer).substr(kElsewhere.size())));
}

}  // namespace

std::string git_branch(const std::filesystem::path& root) {
  constexpr std::string_view kBranch = "ref: refs/heads/";
  const auto text = project::read_text(git_folder(root) / "HEAD", kMostOfFile);
  if (!text) return {};
  const std::string_view head = trimmed(*text);
  if (head.starts_with(kBranch)) return on_one_line(head.substr(kBranch.size()));
  return is_hash(head) ? std::string(head.substr(0, kShortHash)) : std::string();
}

}  // namespace wright::app
