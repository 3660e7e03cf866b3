#include "tools/edit/made_repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "core/text.h"

namespace wright::tools {
namespace {

namespace fs = std::filesystem;

// What git knows a folder of its own by: HEAD with either the last of these or the other two.
constexpr std::string_view kHead = "HEAD";
constexpr std::string_view kObjects = "objects";
constexpr std::string_view kRefs = "refs";
constexpr std::string_view kElsewhere = "commondir";

using Parts = std::set<std::string_view>;

bool is_repository(const Parts& parts) {
  return parts.contains(kHead) &&
         (parts.contains(kElsewhere) || (parts.contains(kObjects) && parts.contains(kRefs)));
}

// Case counts for nothing on some file systems.
std::optional<std::string_view> part_called(const fs::path& name) {
  for (const std::string_view part : {kHead, kObjects, kRefs, kElsewhere}) {
    if (lower(name.native()) == lower(part)) return part;
  }
  return std::nullopt;
}

// Any kind of entry: git itself is not particular.
Parts parts_in(const fs::path& folder) {
  Parts parts;
  std::error_code problem;
  for (const std::string_view part : {kHead, kObjects, kRefs, kElsewhere}) {
    const auto status = fs::symlink_status(folder / part, problem);
    const bool must_be_file = part == kHead || part == kElsewhere;
    if (fs::exists(status) && !(must_be_file && fs::is_directory(status))) parts.insert(part);
  }
  return parts;
}

}  // namespace

Result<void> check_makes_no_repository(const Workspace& workspace,
                                       std::span<const FileChange> changes) {
  std::map<fs::path, Parts> made;
  for (const FileChange& change : changes) {
    if (!change.content) continue;
    std::error_code problem;
    const fs::path written = fs::path(workspace.base()) / change.path;
    fs::path path = fs::weakly_canonical(written.parent_path(), problem) / written.filename();
    if (problem) path = written;
    // The name of a file may be any of the parts, that of a folder around it only some.
    for (bool is_folder = false; path.has_relative_path(); path = path.parent_path()) {
      const auto part = part_called(path.filename());
      const bool fits = part && (!is_folder || *part == kObjects || *part == kRefs);
      if (fits && !fs::exists(fs::symlink_status(path, problem))) {
        made[path.parent_path()].insert(*part);
      }
      is_folder = true;
    }
  }
  for (auto& [folder, parts] : made) {
    Parts there = parts_in(folder);
    if (is_repository(there)) continue;
    there.merge(parts);
    if (!is_repository(there)) continue;
    return fail(ErrorCode::permission_denied,
                fmt::format("{} would become a folder that git takes hooks and settings from ({}): "
                            "use git to make a repository",
                            shown_path(folder.native()), fmt::join(there, ", ")));
  }
  return {};
}

}  // namespace wright::tools
