#include "tools/files/ignore_scopes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ranges>

#include "tools/text/text_file.h"

namespace wright::tools {
namespace {

constexpr std::size_t kMaxRuleBytes = 4 * 1024 * 1024;

// Empty when there is no such file. Links are not followed, as in git.
std::string read_rules(int folder, const std::string& path) {
  const auto opened = open_beneath(folder, path, O_RDONLY, Links::refuse, Resolver::by_hand);
  struct stat status {};
  if (!opened || ::fstat(opened->get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string text(std::min(kMaxRuleBytes, static_cast<std::size_t>(status.st_size)), '\0');
  const auto length = read_fully(opened->get(), text);
  text.resize(length.value_or(0));
  return text;
}

FileDescriptor open_folder_at(int folder, const std::string& path) {
  return FileDescriptor(::openat(folder, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// One line of text without the blanks around it.
std::string first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  const std::size_t end = text.find_last_not_of(" \t\r");
  text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  return std::string(text.substr(std::min(text.find_first_not_of(" \t"), text.size())));
}

// The rules of info/exclude. In worktrees and submodules .git is a file that says where the rest of
// it is, and a worktree shares that with others. Links are followed there, as in git.
std::string repository_rules(int folder) {
  constexpr std::string_view kPointer = "gitdir:";
  const std::string text = read_rules(folder, ".git");
  if (!text.starts_with(kPointer)) return read_rules(folder, ".git/info/exclude");
  const auto own =
      open_folder_at(folder, first_line(std::string_view(text).substr(kPointer.size())));
  if (!own.is_open()) return {};
  const std::string shared = first_line(read_rules(own.get(), "commondir"));
  if (shared.empty()) return read_rules(own.get(), "info/exclude");
  const auto common = open_folder_at(own.get(), shared);
  return common.is_open() ? read_rules(common.get(), "info/exclude") : std::string();
}

bool has_entry(int folder, const char* name) {
  struct stat status {};
  return ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

FileDescriptor open_path_only(const std::filesystem::path& folder) {
  return FileDescriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

IgnoreScopes::IgnoreScopes(const Workspace& workspace, const std::string& folder) {
  if (folder.starts_with('/')) return;
  add_rules_above(workspace.base());
  if (folder == ".") return;
  std::string ancestor = ".";
  std::size_t end = 0;
  while (end != std::string::npos) {
    if (const auto opened = workspace.open_folder(ancestor)) {
      if (const auto readable = opened->open_folder(".")) {
        enter(ancestor, readable->get(),
              {.has_gitignore = true, .has_git = has_entry(readable->get(), ".git")});
      }
    }
    end = folder.find('/', end == 0 ? 0 : end + 1);
    ancestor = folder.substr(0, end);
  }
}

void IgnoreScopes::add_rules_above(const std::string& base) {
  const std::filesystem::path inside = base;
  if (has_entry(open_path_only(inside).get(), ".git")) return;
  std::vector<std::filesystem::path> folders;  // from the base's parent upwards
  for (auto folder = inside; folder.has_relative_path();) {
    folder = folder.parent_path();
    folders.push_back(folder);
    if (!has_entry(open_path_only(folder).get(), ".git")) continue;
    above_ = inside.lexically_relative(folder).native() + "/";
    for (auto from_root = folders.rbegin(); from_root != folders.rend(); ++from_root) {
      const std::string relative = from_root->lexically_relative(folder).native();
      add_scopes(relative == "." ? 0 : relative.size() + 1, open_path_only(*from_root).get(),
                 {.has_gitignore = true, .has_git = from_root == folders.rbegin()});
    }
    return;
  }
}

void IgnoreScopes::enter(const std::string& folder, int descriptor, Marks marks) {
  add_scopes(above_.size() + (folder == "." ? 0 : folder.size() + 1), descriptor, marks);
}

void IgnoreScopes::add_scopes(std::size_t folder_length, int descriptor, Marks marks) {
  if (marks.has_git) {
    scopes_.push_back({IgnoreFile::parse(repository_rules(descriptor)), folder_length, true});
  }
  if (marks.has_gitignore) {
    scopes_.push_back(
        {IgnoreFile::parse(read_rules(descriptor, ".gitignore")), folder_length, false});
  }
}

void IgnoreScopes::leave_to(std::size_t depth) {
  scopes_.erase(scopes_.begin() + static_cast<std::ptrdiff_t>(depth), scopes_.end());
}

bool IgnoreScopes::ignores(std::string_view path, EntryKind kind) const {
  std::string joined;
  if (!above_.empty()) path = joined = above_ + std::string(path);
  for (const Scope& scope : std::views::reverse(scopes_)) {
    const std::string_view below = path.substr(scope.folder_length);
    const auto verdict = scope.rules.judge(below, kind);
    if (verdict != IgnoreFile::Verdict::none) return verdict == IgnoreFile::Verdict::ignored;
    if (scope.is_repository_root) return false;
  }
  return false;
}

}  // namespace wright::tools
