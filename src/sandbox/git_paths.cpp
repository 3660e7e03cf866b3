#include "sandbox/git_paths.h"

#include <algorithm>
#include <system_error>

#include "core/regular_file.h"
#include "core/text.h"

namespace wright::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOfConfig = 1U << 20;
constexpr std::size_t kMostOfLine = 8192;
constexpr std::string_view kDotGit = ".git/";

std::string first_line_of(const fs::path& file) {
  std::string text = start_of_regular_file(file, kMostOfLine);
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

bool lies_below(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

// As git itself tells a folder of its own from any other.
bool looks_like_git_folder(const fs::path& folder) {
  std::error_code problem;
  if (!fs::is_regular_file(folder / "HEAD", problem)) return false;
  const bool is_whole =
      fs::is_directory(folder / "objects", problem) && fs::is_directory(folder / "refs", problem);
  return is_whole || fs::is_regular_file(folder / "commondir", problem);
}

}  // namespace

std::vector<std::string> paths_in_git_config(std::string_view text) {
  std::vector<std::string> paths;
  bool is_include = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('[')) is_include = lower(line).starts_with("[include");
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view name = trimmed(line.substr(0, equals));
    // What follows the section's name on the same line counts too.
    if (const std::size_t bracket = name.rfind(']'); bracket != std::string_view::npos) {
      name = trimmed(name.substr(bracket + 1));
    }
    std::string_view value = trimmed(line.substr(equals + 1));
    if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) {
      value = value.substr(1, value.size() - 2);
    }
    if (value.empty() || value.starts_with('~')) continue;
    const bool is_path = is_include && lower(name) == "path";
    // Relative to the folder of the configuration, which is .git.
    if (is_path)
      paths.push_back(value.starts_with('/') ? std::string(value) : ".git/" + std::string(value));
    if (lower(name) == "hookspath") paths.emplace_back(value);
  }
  return paths;
}

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
  const fs::path top = dot_git.parent_path();
  std::vector<fs::path> paths;
  for (const fs::path& folder : folders) {
    for (const char* name : {"config", "config.worktree"}) {
      const std::string config = start_of_regular_file(folder / name, kMostOfConfig);
      for (const std::string& named : paths_in_git_config(config)) {
        const bool is_in_folder = named.starts_with(kDotGit);
        paths.push_back(is_in_folder ? folder / named.substr(kDotGit.size()) : top / named);
      }
    }
  }
  for (fs::path& path : paths) path = path.lexically_normal();
  return paths;
}

bool belongs_to_git(const fs::path& path, const fs::path& root) {
  std::error_code problem;
  fs::path real = fs::weakly_canonical(path, problem);
  if (problem) real = path.lexically_normal();
  if (!lies_below(real, root)) return false;
  const auto holds = [&](const fs::path& owned) {
    fs::path folder = fs::weakly_canonical(owned, problem);
    if (problem) folder = owned.lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    return folder != root && lies_below(real, folder) && lies_below(folder, root);
  };
  for (fs::path folder = real.parent_path(); lies_below(folder, root);
       folder = folder.parent_path()) {
    if (folder != root && looks_like_git_folder(folder)) return true;
    const fs::path dot_git = folder / ".git";
    if (fs::exists(fs::symlink_status(dot_git, problem)) &&
        (holds(dot_git) || std::ranges::any_of(folders_in_git_file(dot_git), holds) ||
         std::ranges::any_of(paths_named_by_git(dot_git), holds))) {
      return true;
    }
    if (folder == folder.root_path()) break;
  }
  return false;
}

}  // namespace wright::sandbox
