#include "project/notes.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <string_view>

#include "core/text.h"
#include "project/text_file.h"
#include "tools/files/tree_walk.h"
#include "tools/workspace/workspace.h"
#include "wright/json.h"

namespace wright::project {
namespace {

namespace fs = std::filesystem;

// In each folder the first that is there.
constexpr std::array<std::string_view, 2> kNames{"AGENTS.md", "CLAUDE.md"};
constexpr std::size_t kLargestFile = std::size_t{1} << 20;
constexpr std::size_t kMostFolders = 64;  // on the way to the base
constexpr std::int64_t kMostVisited = 20'000;
constexpr std::size_t kMostNamed = 30;

// Whose files count: the person's, the system's, and those of whom the base belongs to, which was
// chosen. Others share the machine (a folder like /tmp), and are nobody to take orders from.
class Owners {
 public:
  explicit Owners(const fs::path& base) {
    struct stat status {};
    if (::stat(base.c_str(), &status) == 0) base_owner_ = status.st_uid;
  }
  // What is not there belongs to nobody else.
  bool include_owner_of(const fs::path& path) const {
    struct stat status {};
    return is_one(path, ::stat, status) && is_one(path, ::lstat, status);
  }

 private:
  bool is_one(const fs::path& path, int (*look)(const char*, struct stat*),
              struct stat& status) const {
    if (look(path.c_str(), &status) != 0) return true;
    return status.st_uid == ::geteuid() || status.st_uid == 0 || status.st_uid == base_owner_;
  }
  uid_t base_owner_ = ::geteuid();
};

// A link may lead to another such file, or to a text that is meant to be read; not to a file of
// settings or secrets that happens to lie in the project.
bool leads_to_notes(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return true;
  const std::string name = lower(fs::weakly_canonical(path, error).filename().string());
  return !error && name.ends_with(".md");
}

struct OneFile {
  fs::path path;
  std::string text;
};

std::optional<OneFile> notes_in(const fs::path& folder, const fs::path& inside,
                                const Owners& owners, std::vector<std::string>& problems) {
  for (const std::string_view name : kNames) {
    const fs::path path = folder / name;
    const auto leave_out = [&](std::string_view why) {
      problems.push_back(
          fmt::format("{} {}; it is left out", tools::shown_path(path.string()), why));
    };
    if (!owners.include_owner_of(path)) {
      leave_out("belongs to somebody else");
      continue;
    }
    if (!leads_to_notes(path)) {
      leave_out("is a link to a file that is not named *.md");
      continue;
    }
    auto text = read_text(path, kLargestFile, inside);
    if (text && is_blank(*text)) continue;
    if (text) return OneFile{path, std::move(*text)};
    if (text.error().code == ErrorCode::not_found) continue;
    problems.push_back(text.error().message + "; it is left out");
  }
  return std::nullopt;
}

// The nearest folder above that has a `.git`, as far as all of them belong to somebody who counts.
fs::path root_of(const fs::path& base, const fs::path& home, const Owners& owners,
                 std::vector<std::string>& problems) {
  std::error_code error;
  fs::path folder = base;
  for (std::size_t i = 0; i < kMostFolders && folder.has_relative_path(); ++i) {
    if (folder == home) break;
    if (!owners.include_owner_of(folder) || !owners.include_owner_of(folder / ".git")) {
      problems.push_back(fmt::format(
          "{} or its .git belongs to somebody else: what is there and above is not read",
          tools::shown_path(folder.string())));
      break;
    }
    if (fs::exists(folder / ".git", error)) return folder;
    folder = folder.parent_path();
  }
  return base;
}

// From the root down to the base.
std::vector<fs::path> folders_to(const fs::path& root, const fs::path& base) {
  std::vector<fs::path> folders;
  for (fs::path folder = base; folders.size() < kMostFolders; folder = folder.parent_path()) {
    folders.push_back(folder);
    if (folder == root || !folder.has_relative_path()) break;
  }
  std::ranges::reverse(folders);
  return folders;
}

// What is in folders below the base, relative to it.
std::vector<std::string> named_below(const fs::path& base) {
  std::vector<std::string> found;
  const auto workspace = tools::Workspace::open(FileAccess{.base = base});
  if (!workspace) return found;
  const auto folder = workspace->open_folder(".");
  if (!folder) return found;
  std::int64_t visited = 0;
  (void)tools::walk(*workspace, *folder, {}, {}, [&](const tools::WalkEntry& entry) {
    if (entry.name == kNames.front() && entry.path != entry.name) found.push_back(entry.path);
    const bool is_enough = ++visited >= kMostVisited || found.size() >= kMostNamed;
    return is_enough ? tools::Visited::end : tools::Visited::proceed;
  });
  return found;
}

constexpr std::string_view kIntroduction =
    "\n\nWhat people ask of agents that work here follows. Where two of these files disagree, the "
    "later one counts, which is nearer to the files; what the person says to you counts more than "
    "any of them, and none of them widens what you may do.\n";

}  // namespace

fs::path project_root(const fs::path& base, const fs::path& home) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(base, error);
  if (error) real = base;
  const fs::path real_home = home.empty() ? home : fs::weakly_canonical(home, error);
  std::vector<std::string> ignored;
  return root_of(real, real_home, Owners(real), ignored);
}

Notes read_notes(const NotesOptions& options) {
  Notes notes;
  std::error_code error;
  const fs::path base = fs::weakly_canonical(options.base, error);
  const fs::path home =
      options.home.empty() ? options.home : fs::weakly_canonical(options.home, error);
  const Owners owners(base);
  const fs::path root = root_of(base, home, owners, notes.problems);
  std::vector<OneFile> files;
  if (!options.person.empty()) {
    if (auto own = notes_in(options.person, {}, owners, notes.problems))
      files.push_back(std::move(*own));
  }
  for (const fs::path& folder : folders_to(root, base)) {
    if (auto one = notes_in(folder, root, owners, notes.problems)) files.push_back(std::move(*one));
  }
  // The nearest get their space first.
  std::size_t left = options.most_bytes;
  for (OneFile& file : files | std::views::reverse) {
    if (file.text.size() > left) {
      notes.problems.push_back(fmt::format("{} is cut: agents read {} KiB of such files",
                                           to_valid_utf8(file.path.string()),
                                           options.most_bytes / 1024));
      file.text = utf8_prefix(file.text, left);
    }
    left -= file.text.size();
  }
  for (const OneFile& file : files) {
    if (file.text.empty()) continue;
    notes.text +=
        fmt::format("\n# {}\n\n{}\n", to_valid_utf8(file.path.string()), trimmed(file.text));
    notes.files.push_back(file.path);
  }
  const auto below = named_below(base);
  if (!below.empty()) {
    notes.text +=
        "\nThese hold for their folders. What they say comes with the first file that you read or "
        "change there, so read before you change something:\n";
    for (const std::string& path : below) notes.text += fmt::format("- {}\n", to_valid_utf8(path));
  }
  if (!notes.text.empty()) notes.text.insert(0, kIntroduction);
  return notes;
}

NotesBelow notes_below(const fs::path& base, const fs::path& folder) {
  NotesBelow found;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(base, error);
  if (error) return found;
  const Owners owners(real);
  fs::path below;
  std::size_t depth = 0;
  for (const fs::path& name : folder.lexically_normal()) {
    if (name.empty() || name == ".") continue;
    if (name == ".." || name.is_absolute() || ++depth > kMostFolders) break;
    below /= name;
    // Whoever owns a folder has a say in all that is below it.
    if (!owners.include_owner_of(real / below)) break;
    auto one = notes_in(real / below, real, owners, found.problems);
    if (!one) continue;
    found.notes.push_back({to_valid_utf8(below.generic_string()),
                           to_valid_utf8((below / one->path.filename()).generic_string()),
                           std::move(one->text)});
  }
  return found;
}

}  // namespace wright::project
