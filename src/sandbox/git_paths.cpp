#include "sandbox/git_paths.h"

#include <pwd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "core/paths.h"
#include "core/regular_file.h"
#include "core/text.h"
#include "sandbox/git_config.h"

namespace wright::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOfConfig = 1U << 20;
constexpr std::size_t kMostOfLine = 8192;
constexpr std::size_t kMostFiles = 100;  // of settings, with all that they include

std::string first_line_of(const fs::path& file) {
  std::string text = start_of_regular_file(file, kMostOfLine);
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

// As git itself tells a folder of its own from any other.
bool looks_like_git_folder(const fs::path& folder) {
  std::error_code problem;
  if (!fs::is_regular_file(folder / "HEAD", problem)) return false;
  const bool is_whole =
      fs::is_directory(folder / "objects", problem) && fs::is_directory(folder / "refs", problem);
  return is_whole || fs::is_regular_file(folder / "commondir", problem);
}

fs::path home() {
  const char* folder = std::getenv("HOME");
  return folder == nullptr ? fs::path() : fs::path(folder);
}

fs::path home_of(const std::string& person) {
  std::array<char, 4096> memory{};
  passwd entry{};
  passwd* found = nullptr;
  const int problem = ::getpwnam_r(person.c_str(), &entry, memory.data(), memory.size(), &found);
  return problem == 0 && found != nullptr ? fs::path(found->pw_dir) : fs::path();
}

std::vector<fs::path> settings_of_the_person() {
  std::vector<fs::path> files{"/etc/gitconfig"};
  const char* own = std::getenv("XDG_CONFIG_HOME");
  const fs::path person = home();
  if (own != nullptr && *own != '\0') {
    files.push_back(fs::path(own) / "git" / "config");
  } else if (!person.empty()) {
    files.push_back(person / ".config" / "git" / "config");
  }
  if (!person.empty()) files.push_back(person / ".gitconfig");
  for (const char* name : {"GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"}) {
    if (const char* file = std::getenv(name); file != nullptr && *file != '\0')
      files.emplace_back(file);
  }
  return files;
}

// Under which conditions a file is included does not matter: they may hold at any time.
class NamedPaths {
 public:
  // Below which relative folders of hooks are.
  explicit NamedPaths(fs::path top) : top_(std::move(top)) {}

  void read(const fs::path& file) {
    if (read_.size() == kMostFiles || !read_.insert(file.lexically_normal()).second) return;
    for (const GitSetting& each :
         settings_in_git_config(start_of_regular_file(file, kMostOfConfig))) {
      if (each.value.empty()) continue;
      if (each.section == "core" && each.name == "hookspath") add(path_meant(each.value, top_));
      const bool is_include = each.section == "include" || each.section == "includeif";
      if (!is_include || each.name != "path") continue;
      const fs::path included = path_meant(each.value, file.parent_path());
      add(included);
      read(included);
    }
  }

  // Who could rewrite it could name anything.
  void read_outer(const fs::path& file) {
    std::error_code problem;
    if (!fs::exists(file, problem)) return;
    add(file);
    read(file);
  }

  std::vector<fs::path> paths() && { return std::move(paths_); }

 private:
  static fs::path path_meant(const std::string& value, const fs::path& folder) {
    if (!value.starts_with('~')) return folder / value;
    const std::size_t slash = std::min(value.find('/'), value.size());
    const fs::path person = slash == 1 ? home() : home_of(value.substr(1, slash - 1));
    return person / value.substr(std::min(slash + 1, value.size()));
  }

  void add(const fs::path& path) { paths_.push_back(path.lexically_normal()); }

  fs::path top_;
  std::set<fs::path> read_;
  std::vector<fs::path> paths_;
};

}  // namespace

std::vector<fs::path> folders_in_git_file(const fs::path& file) {
  constexpr std::string_view kPrefix = "gitdir: ";
  const std::string line = first_line_of(file);
  if (!line.starts_with(kPrefix)) return {};
  const fs::path own = file.parent_path() / trimmed(line.substr(kPrefix.size()));
  std::vector<fs::path> folders{own};
  const std::string shared = first_line_of(own / "commondir");
  if (!shared.empty()) folders.push_back(own / shared);
  return folders;
}

std::vector<fs::path> paths_named_by_git(const fs::path& dot_git) {
  std::vector<fs::path> folders = folders_in_git_file(dot_git);
  if (folders.empty()) folders.push_back(dot_git);
  NamedPaths named(dot_git.parent_path());
  for (const fs::path& file : settings_of_the_person()) named.read_outer(file);
  for (const fs::path& folder : folders) {
    for (const char* name : {"config", "config.worktree"}) named.read(folder / name);
  }
  return std::move(named).paths();
}

std::vector<fs::path> repositories_around(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code problem;
  for (fs::path above = folder; above != above.root_path();) {
    above = above.parent_path();
    if (fs::exists(fs::symlink_status(above / ".git", problem))) found.push_back(above / ".git");
  }
  return found;
}

bool belongs_to_git(const fs::path& path, const fs::path& root) {
  std::error_code problem;
  fs::path real = fs::weakly_canonical(path, problem);
  if (problem) real = path.lexically_normal();
  if (!lies_in(real, root)) return false;
  const auto holds = [&](const fs::path& owned) {
    fs::path folder = fs::weakly_canonical(owned, problem);
    if (problem) folder = owned.lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    return folder != root && lies_in(real, folder) && lies_in(folder, root);
  };
  for (fs::path folder = real.parent_path(); folder != root && lies_in(folder, root);
       folder = folder.parent_path()) {
    if (looks_like_git_folder(folder)) return true;
  }
  return std::ranges::any_of(repositories_around(real), [&](const fs::path& dot_git) {
    return holds(dot_git) || std::ranges::any_of(folders_in_git_file(dot_git), holds) ||
           std::ranges::any_of(paths_named_by_git(dot_git), holds);
  });
}

}  // namespace wright::sandbox
