#include "sandbox/git_paths.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/paths.h"
#include "core/regular_file.h"
#include "core/text.h"
#include "sandbox/git_config.h"
#include "sandbox/git_programs.h"
#include "sandbox/placeholder.h"

namespace wright::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfig = "config";
constexpr std::size_t kMostOfConfig = 4U << 20;
constexpr std::size_t kMostWorktrees = 16;
constexpr std::size_t kMostOfLine = 8192;
constexpr std::size_t kMostHooks = 10'000;
constexpr std::size_t kMostFiles = 1'000;  // of settings, with all that they include

std::string first_line_of(const fs::path& file) {
  std::string text = start_of_regular_file(file, kMostOfLine);
  text.resize(std::min(text.find_first_of(std::string_view("\n\0", 2)), text.size()));
  return text;
}

// Git passes over a folder of its own where this is broken, and looks further.
bool has_head(const fs::path& folder) {
  std::error_code problem;
  const fs::path link = fs::read_symlink(folder / "HEAD", problem);
  if (!problem) return link.native().starts_with("refs/");
  const std::string line = first_line_of(folder / "HEAD");
  if (line.starts_with("ref:")) return trimmed(line.substr(4)).starts_with("refs/");
  const auto is_hex = [](const char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0;
  };
  return line.size() >= 40 && std::all_of(line.begin(), line.begin() + 40, is_hex);
}

std::vector<fs::path> settings_of_the_person() {
  std::vector<fs::path> files{"/etc/gitconfig"};
  const char* own = std::getenv("XDG_CONFIG_HOME");
  const fs::path person = folder_of_person();
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
class SettingsReader {
 public:
  explicit SettingsReader(GitAllowance& allowance) : allowance_(allowance) {}

  // Returns what the file itself says of the hashes of its repository.
  HashLength read(const fs::path& file) {
    HashLength hash = HashLength::sha1;
    if (!known_.insert(file.lexically_normal()).second) return hash;
    if (known_.size() > kMostFiles) {
      is_complete_ = false;
      return hash;
    }
    const std::string text = start_of_regular_file(file, kMostOfConfig + 1);
    is_complete_ =
        is_complete_ && text.size() <= kMostOfConfig && allowance_.covers_bytes(text.size());
    if (!is_complete_) return hash;
    for (GitSetting& each : settings_in_git_config(text)) {
      if (each.value.empty()) continue;
      const bool is_include = each.section == "include" || each.section == "includeif";
      if (is_include && each.name == "path") {
        waiting_.push_back(path_of_git(each.value, file.parent_path()));
      }
      const bool is_of_format = each.section == "extensions" && !each.has_subsection;
      if (is_of_format && each.name == "objectformat") {
        hash = each.value == "sha256" ? HashLength::sha256 : HashLength::sha1;
      }
      if (each.section == "core" || each.section == "init" || names_program(each)) {
        settings_.push_back(std::move(each));
      }
    }
    return hash;
  }

  // Returns the paths, of files that are not there, too.
  std::vector<fs::path> read_what_is_included() {
    std::vector<fs::path> included;
    while (!waiting_.empty()) {
      included.push_back(std::move(waiting_.back()));
      waiting_.pop_back();
      read(included.back());
    }
    return included;
  }

  // Those that name what matters here, and the rest of `core` and `init`.
  const std::vector<GitSetting>& settings() const { return settings_; }
  bool is_complete() const { return is_complete_; }

 private:
  GitAllowance& allowance_;
  std::set<fs::path> known_;
  std::vector<fs::path> waiting_;
  std::vector<GitSetting> settings_;
  bool is_complete_ = true;
};

// What git takes for its folder: `dot_git`, or where it points to as the file of a worktree, a
// submodule or a repository with its folder elsewhere; and what that shares with others.
std::vector<fs::path> own_folders(const fs::path& dot_git) {
  constexpr std::string_view kPrefix = "gitdir: ";
  const std::string line = first_line_of(dot_git);
  const fs::path own = line.starts_with(kPrefix)
                           ? dot_git.parent_path() / trimmed(line.substr(kPrefix.size()))
                           : dot_git;
  std::vector<fs::path> folders{own};
  const std::string shared = first_line_of(own / "commondir");
  if (!shared.empty()) folders.push_back(own / shared);
  return folders;
}

void add(std::vector<fs::path> more, std::vector<fs::path>& paths) {
  std::ranges::move(more, std::back_inserter(paths));
}

fs::path without_end_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

// What the settings name below each of the folders. Returns those in which hooks are.
std::vector<fs::path> add_named(const std::vector<GitSetting>& settings,
                                const std::vector<fs::path>& tops, GitAllowance& allowance,
                                GitPlaces& places) {
  std::vector<fs::path> of_hooks;
  for (const GitSetting& each : settings) {
    const bool names_hooks = each.name == "hookspath";
    const bool names_template = each.section == "init" && each.name == "templatedir";
    const bool is_program = names_program(each);
    if (!is_program && !names_hooks && !names_template) continue;
    for (const fs::path& top : tops) {
      const bool is_looked_through =
          allowance.covers_name(each.value.size()) &&
          (!is_program || add_programs(each.value, top, allowance, places.files));
      if (!is_looked_through) {
        places.is_complete = false;
        return of_hooks;
      }
      if (!names_hooks && !names_template) continue;
      fs::path folder = path_of_git(each.value, top);
      of_hooks.push_back(names_hooks ? folder : folder / "hooks");
      // Husky's hooks in `_` run those beside that folder.
      if (names_hooks && without_end_slash(folder).filename() == "_") {
        places.folders.push_back(without_end_slash(folder).parent_path());
      }
      places.folders.push_back(std::move(folder));
    }
  }
  return of_hooks;
}

// A hook may be a link to a script anywhere. False where there is too much to look through.
bool add_links_in(const fs::path& hooks, std::vector<fs::path>& links) {
  std::error_code problem;
  std::size_t count = 0;
  for (fs::directory_iterator entries(hooks, problem);
       !problem && entries != fs::directory_iterator(); entries.increment(problem)) {
    if (++count > kMostHooks) return false;
    std::error_code unknown;
    if (entries->is_symlink(unknown)) links.push_back(entries->path());
  }
  return true;
}

}  // namespace

GitPlaces places_of_the_person(GitAllowance& allowance) {
  GitPlaces places;
  allowance.begin_repository();
  SettingsReader reader(allowance);
  for (const fs::path& file : settings_of_the_person()) {
    places.files.push_back(file);
    reader.read(file);
  }
  add(reader.read_what_is_included(), places.files);
  const auto of_hooks = add_named(reader.settings(), {fs::path()}, allowance, places);
  places.is_complete = places.is_complete && reader.is_complete();
  for (const fs::path& folder : of_hooks) {
    if (folder.is_absolute()) {
      places.is_complete = add_links_in(folder, places.files) && places.is_complete;
    }
  }
  // What is relative is so to each repository.
  std::erase_if(places.folders, [](const fs::path& path) { return path.is_relative(); });
  std::erase_if(places.files, [](const fs::path& path) { return path.is_relative(); });
  return places;
}

bool is_git_folder(const fs::path& folder) {
  std::error_code problem;
  const fs::path head = folder / "HEAD";
  // A link to a branch without a commit leads nowhere.
  if (!fs::is_regular_file(head, problem) && !fs::is_symlink(head, problem)) return false;
  const auto is_made = [&](const char* name) { return first_missing(folder / name).empty(); };
  const auto has_folder = [&](const char* name) {
    return fs::is_directory(folder / name, problem) && is_made(name);
  };
  const bool is_whole = has_folder("objects") && has_folder("refs");
  const bool is_shared = fs::is_regular_file(folder / "commondir", problem) && is_made("commondir");
  return (is_whole || is_shared) && is_made("HEAD");
}

GitPlaces places_at_top(const fs::path& folder) {
  std::error_code problem;
  if (is_git_folder(folder)) {
    return {.folders = {folder / "hooks"},
            .files = {folder / "config", folder / "config.worktree", folder / "commondir"}};
  }
  const fs::path own = folder / ".git";
  if (fs::is_regular_file(own, problem) || (is_git_folder(own) && has_head(own))) return {};
  // What is there already cannot be kept away. Nor should there be a `HEAD` in a repository: git
  // takes a word for the name of a commit only where nothing is called the same.
  const auto is_missing = [&](const char* part) { return !first_missing(folder / part).empty(); };
  const bool is_in_repository = !repositories_around(folder).empty();
  std::vector<fs::path> in_the_way{folder / "HEAD"};
  if (!is_missing("HEAD") || (is_in_repository && is_missing("commondir"))) {
    for (const char* part : {"refs", "objects"}) {
      if (!is_missing(part)) continue;
      in_the_way = {folder / "commondir", folder / part};
      break;
    }
  }
  // Git lists files, and build tools take folders for packages.
  if (is_in_repository) return {.folders = std::move(in_the_way)};
  return {.files = std::move(in_the_way)};
}

GitPlaces places_named_by_git(const fs::path& dot_git, GitAllowance& allowance) {
  GitPlaces places;
  allowance.begin_repository();
  std::error_code problem;
  const std::vector<fs::path> own = own_folders(dot_git);
  for (const fs::path& folder : own) {
    if (folder != dot_git || fs::is_symlink(folder, problem)) places.folders.push_back(folder);
  }
  SettingsReader reader(allowance);
  for (const fs::path& file : settings_of_the_person()) {
    places.files.push_back(file);
    reader.read(file);
  }
  for (const fs::path& folder : own) {
    for (const std::string_view name : {kConfig, std::string_view("config.worktree")}) {
      if (fs::is_symlink(folder / name, problem)) places.files.push_back(folder / name);
      const HashLength hash = reader.read(folder / name);
      if (folder == own.back() && name == kConfig) places.hash = hash;
    }
  }
  add(reader.read_what_is_included(), places.files);
  // Below which relative folders of hooks, and commands, are.
  const bool has_worktree = dot_git.filename() == ".git";
  std::vector<fs::path> tops{has_worktree ? dot_git.parent_path() : dot_git};
  for (const GitSetting& each : reader.settings()) {
    if (each.name == "worktree") tops.push_back(own.front() / each.value);
  }
  places.worktree = tops.back();
  places.index = own.front() / "index";
  places.is_complete = reader.is_complete() && tops.size() <= kMostWorktrees;
  tops.resize(std::min(tops.size(), kMostWorktrees));
  std::vector<fs::path> of_hooks = add_named(reader.settings(), tops, allowance, places);
  for (const fs::path& folder : own) {
    of_hooks.push_back(folder / "hooks");
    if (fs::is_symlink(of_hooks.back(), problem)) places.folders.push_back(of_hooks.back());
  }
  for (const fs::path& folder : of_hooks) {
    places.is_complete = add_links_in(folder, places.files) && places.is_complete;
  }
  return places;
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
    if (is_git_folder(folder)) return true;
  }
  const auto is_among = [&](const GitPlaces& places) {
    return !places.is_complete || std::ranges::any_of(places.folders, holds) ||
           std::ranges::any_of(places.files, holds);
  };
  GitAllowance allowance;
  if (is_git_folder(root) &&
      (is_among(places_at_top(root)) || is_among(places_named_by_git(root, allowance)))) {
    return true;
  }
  if (is_among(places_of_the_person(allowance))) return true;
  return std::ranges::any_of(repositories_around(real), [&](const fs::path& dot_git) {
    return holds(dot_git) || is_among(places_named_by_git(dot_git, allowance));
  });
}

}  // namespace wright::sandbox
