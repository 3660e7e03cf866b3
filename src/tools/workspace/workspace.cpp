#include "tools/workspace/workspace.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <optional>
#include <system_error>
#include <vector>

#include "core/try.h"
#include "sandbox/git_paths.h"
#include "sandbox/path_patterns.h"
#include "tools/workspace/journal_names.h"
#include "tools/workspace/shown_names.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

std::string system_message(int problem) {
  return std::generic_category().message(problem);
}

// The rest of `path` below `folder`, which is absolute; nothing when it lies elsewhere.
std::optional<std::string_view> path_inside(std::string_view path, std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  if (!path.starts_with(folder)) return std::nullopt;
  path.remove_prefix(folder.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  while (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

// Without `.`, `..` and doubled slashes; nothing when `..` leads above the start.
std::optional<std::string> normal_form(std::string_view path) {
  std::vector<std::string_view> kept;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view component = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (component.empty() || component == ".") continue;
    if (component == "..") {
      if (kept.empty()) return std::nullopt;
      kept.pop_back();
      continue;
    }
    kept.push_back(component);
  }
  return kept.empty() ? "." : fmt::format("{}", fmt::join(kept, "/"));
}

std::expected<OpenFile, int> as_regular_file(std::expected<FileDescriptor, int> opened) {
  if (!opened) return std::unexpected(opened.error());
  struct stat status {};
  if (::fstat(opened->get(), &status) != 0) return std::unexpected(errno);
  if (S_ISDIR(status.st_mode)) return std::unexpected(EISDIR);
  if (!S_ISREG(status.st_mode)) return std::unexpected(ENXIO);
  return OpenFile{std::move(*opened), file_status(status)};
}

// Case counts for nothing on some file systems.
bool is_same_name(std::string_view one, std::string_view other) {
  const auto small = [](char c) { return static_cast<char>(::tolower(c)); };
  return std::ranges::equal(one, other, {}, small, small);
}

// Whether a part of the path has this name.
bool has_part(std::string_view path, std::string_view wanted) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (is_same_name(path.substr(0, end), wanted)) return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

bool lies_in(std::string_view path, std::string_view folder) {
  return path.size() >= folder.size() && is_same_name(path.substr(0, folder.size()), folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string path_of_open(int descriptor) {
  std::error_code problem;
  return std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), problem)
      .native();
}

}  // namespace

FileStatus file_status(const struct stat& status) {
  FileStatus made;
  if (S_ISREG(status.st_mode)) made.kind = EntryKind::file;
  if (S_ISDIR(status.st_mode)) made.kind = EntryKind::folder;
  if (S_ISLNK(status.st_mode)) made.kind = EntryKind::link;
  made.size = status.st_size;
  made.modified = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  made.changed = std::int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec;
  made.number = status.st_ino;
  made.mode = status.st_mode & 07777;
  return made;
}

std::string Folder::real_path() const {
  return path_of_open(descriptor_.get());
}

std::string Folder::path_of(std::string_view inside) const {
  return path_ == "." ? std::string(inside) : fmt::format("{}/{}", path_, inside);
}

std::expected<FileDescriptor, int> Folder::open_folder(const std::string& inside) const {
  return open_beneath(descriptor_.get(), inside, O_RDONLY | O_DIRECTORY, Links::refuse, resolver_);
}

std::expected<OpenFile, int> Folder::open_file(const std::string& inside) const {
  return as_regular_file(
      open_beneath(descriptor_.get(), inside, O_RDONLY, Links::refuse, resolver_));
}

std::optional<std::string_view> Workspace::Root::rest_of(std::string_view absolute) const {
  const auto rest = path_inside(absolute, path);
  return rest ? rest : path_inside(absolute, given);
}

Result<Workspace::Root> Workspace::open_root(const std::filesystem::path& folder,
                                             std::string_view what) {
  const std::string name = shown_path(folder.native());
  FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) {
    const int problem = errno;
    if (problem == ENOENT) {
      return fail(ErrorCode::not_found, fmt::format("The {} folder {} does not exist", what, name));
    }
    if (problem == ENOTDIR) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The {} {} is not a folder", what, name));
    }
    return fail(
        problem == EACCES ? ErrorCode::permission_denied : ErrorCode::storage,
        fmt::format("The {} folder {} cannot be opened: {}", what, name, system_message(problem)));
  }
  std::error_code problem;
  const auto given = std::filesystem::absolute(folder, problem).lexically_normal();
  const auto canonical = std::filesystem::canonical(folder, problem);
  if (problem) {
    return fail(ErrorCode::storage, fmt::format("The {} folder {} cannot be resolved: {}", what,
                                                name, problem.message()));
  }
  return Root{std::move(descriptor), given.native(), canonical.native()};
}

Result<Workspace> Workspace::open(const FileAccess& access) {
  auto workspace = open(access, Resolver::kernel);
  if (workspace) {
    workspace->resolver_ = available_resolver(workspace->readable_.front().descriptor.get());
  }
  return workspace;
}

Result<Workspace> Workspace::open(const FileAccess& access, Resolver resolver) {
  Workspace workspace(resolver);
  const auto add = [](std::vector<Root>& roots, const std::filesystem::path& folder,
                      std::string_view what) -> Result<void> {
    auto root = TRY(open_root(folder, what));
    roots.push_back(std::move(root));
    return {};
  };
  TRY(add(workspace.readable_, access.base, "base"));
  for (const auto& folder : access.readable) TRY(add(workspace.readable_, folder, "readable"));
  for (const auto& folder : access.writable) {
    TRY(add(workspace.writable_, access.base / folder, "writable"));
    TRY(add(workspace.readable_, access.base / folder, "writable"));
  }
  for (const auto& file : access.hidden) {
    std::error_code problem;
    const auto real = std::filesystem::weakly_canonical(file, problem);
    const auto located = workspace.locate((problem ? file : real).string());
    if (located) workspace.hidden_.push_back(workspace.absolute(*located));
  }
  for (const std::string& pattern : access.unreadable) {
    if (pattern.starts_with('/')) {
      const auto path = std::filesystem::path(pattern).lexically_normal();
      workspace.hidden_.push_back(path.native());
      std::error_code problem;
      const auto real = std::filesystem::weakly_canonical(path, problem);
      if (!problem && real != path) workspace.hidden_.push_back(real.native());
    } else {
      workspace.unreadable_.push_back(pattern);
    }
  }
  std::vector<std::filesystem::path> folders;
  folders.reserve(workspace.readable_.size());
  for (const Root& root : workspace.readable_) folders.emplace_back(root.path);
  workspace.named_elsewhere_ =
      std::make_unique<NamedElsewhere>(std::move(folders), workspace.unreadable_);
  const auto protect = [&](const std::filesystem::path& path) {
    workspace.protected_absolute_.push_back(path.native());
    std::error_code problem;
    const auto real = std::filesystem::weakly_canonical(path, problem);
    if (!problem && real != path) workspace.protected_absolute_.push_back(real.native());
  };
  for (const std::string& name : access.protected_paths) {
    const auto path = std::filesystem::path(name).lexically_normal();
    if (path.is_absolute()) {
      protect(path);
    } else if (path.has_parent_path()) {
      workspace.protected_relative_.push_back(path.native());
      protect(workspace.base() / path);
      for (const Root& root : workspace.writable_) protect(root.path / path);
    } else {
      workspace.protected_names_.push_back(path.native());
    }
  }
  return workspace;
}

std::string Workspace::absolute(std::string_view path) const {
  if (path.starts_with('/')) return std::string(path);
  return path == "." ? base() : fmt::format("{}/{}", base(), path);
}

bool Workspace::hides_real(std::string_view absolute, Above above) const {
  const auto is_in = [](std::string_view path, std::string_view folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
  };
  const bool is_meant = std::ranges::any_of(readable_, [&](const Root& root) {
    const auto below = path_inside(absolute, root.path);
    if (!below || below->empty()) return false;
    if (above == Above::unknown) return sandbox::is_meant_by_any(unreadable_, *below);
    return std::ranges::any_of(unreadable_, [path = std::string(*below)](const auto& pattern) {
      return sandbox::is_meant(pattern, path);
    });
  });
  if (is_meant || (!unreadable_.empty() && named_elsewhere_->hides(absolute))) return true;
  return std::ranges::any_of(hidden_, [&](const std::string& hidden) {
    if (!is_in(absolute, hidden)) return false;
    return std::none_of(readable_.begin() + 1, readable_.end(), [&](const Root& root) {
      return is_in(root.path, hidden) && is_in(absolute, root.path);
    });
  });
}

bool Workspace::hides(std::string_view path) const {
  return hides_anything() && hides_real(absolute(path));
}

bool Workspace::hides_in_shown_folder(std::string_view path) const {
  return hides_anything() && hides_real(absolute(path), Above::shown);
}

bool Workspace::hides_open(const FileDescriptor& opened) const {
  if (!hides_anything()) return false;
  const std::string real = path_of_open(opened.get());
  return real.empty() || hides_real(real);
}

bool Workspace::is_of_git(const std::string& absolute, const Root& root) const {
  if (sandbox::belongs_to_git(absolute, root.path)) return true;
  std::error_code problem;
  const auto real = std::filesystem::weakly_canonical(absolute, problem);
  return !problem && named_elsewhere_->is_of_git(real.native());
}

std::optional<std::string> Workspace::protection_of(const std::string& absolute,
                                                    const Root& root) const {
  const auto inside = root.rest_of(absolute);
  if (inside && has_part(*inside, ".git")) {
    return "lies in a .git folder, which is git's own: use git to change it";
  }
  if (inside && is_of_git(fmt::format("{}/{}", root.path, *inside), root)) {
    return "is git's own, or git takes hooks, programs or settings from it: use git to change it";
  }
  const auto is_journal = [&](const std::string& name) { return has_part(*inside, name); };
  if (inside && std::ranges::any_of(kJournalNames, is_journal)) {
    return "has a name that is kept for notes about changes that are being made: use another one";
  }
  const auto names = [&](const std::string& name) { return has_part(*inside, name); };
  const auto holds = [&](const std::string& path) { return lies_in(*inside, path); };
  const auto is_above = [&](const std::string& path) { return lies_in(absolute, path); };
  if ((inside && (std::ranges::any_of(protected_names_, names) ||
                  std::ranges::any_of(protected_relative_, holds))) ||
      std::ranges::any_of(protected_absolute_, is_above)) {
    return "is protected: no tool may change it (bash.protected, or what a hook runs). Tell the "
           "person what you would change";
  }
  return std::nullopt;
}

Result<void> Workspace::may_write_in(const WriteTarget& target, int folder,
                                     std::string_view name) const {
  const std::string real = fmt::format("{}/{}", path_of_open(folder), name);
  const bool is_hidden = hides_anything() && hides_real(real);
  const auto root = std::ranges::find_if(
      writable_, [&](const Root& each) { return each.descriptor.get() == target.root; });
  const auto why = root != writable_.end() ? protection_of(real, *root) : std::nullopt;
  if (!is_hidden && !why) return {};
  return fail(ErrorCode::permission_denied,
              fmt::format("A link leads to {}, which {}", shown_path(real),
                          why ? *why : "is not there for tools"));
}

Result<std::string> Workspace::locate(std::string_view path) const {
  if (path.empty()) return fail(ErrorCode::invalid_argument, "The path is empty");
  if (path.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The path {} contains a NUL byte", shown_path(path)));
  }
  std::optional<std::string> located;
  if (path.front() != '/') {
    located = normal_form(path);
  } else if (const auto absolute = normal_form(path)) {
    const std::string from_root = *absolute == "." ? "/" : "/" + *absolute;
    for (const Root& root : readable_) {
      const auto inside = root.rest_of(from_root);
      if (!inside) continue;
      const bool is_base = &root == &readable_.front();
      if (is_base) {
        located = inside->empty() ? "." : std::string(*inside);
      } else {
        located = inside->empty() ? root.path : fmt::format("{}/{}", root.path, *inside);
      }
      break;
    }
  }
  if (!located) {
    return fail(
        ErrorCode::permission_denied,
        fmt::format("{} lies outside of {}; only paths inside of {} are allowed", shown_path(path),
                    folders_for_people(readable_), readable_.size() == 1 ? "it" : "them"));
  }
  if (located->size() >= PATH_MAX) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The path {} is too long", shown_path(path)));
  }
  return *located;
}

std::string Workspace::folders_for_people(const std::vector<Root>& roots) const {
  std::vector<std::string> names;
  for (const Root& root : roots) {
    const std::string name = shown_path(root.path);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  const bool is_base_alone = names.size() == 1 && &roots == &readable_;
  return fmt::format("{} {}",
                     is_base_alone       ? "the base folder"
                     : names.size() == 1 ? "the folder"
                                         : "the folders",
                     fmt::join(names, ", "));
}

Workspace::Place Workspace::place_of(const std::string& path) const {
  const Root& base = readable_.front();
  if (!path.starts_with('/')) return {&base, path};
  for (const Root& root : readable_) {
    const auto inside = root.rest_of(path);
    if (inside) return {&root, inside->empty() ? "." : std::string(*inside)};
  }
  // Not a normal form. Absolute paths are refused beneath any folder.
  return {&base, path};
}

std::expected<FileDescriptor, int> Workspace::open(const std::string& path, int flags) const {
  if (hides(path)) return std::unexpected(ENOENT);
  const auto [root, inside] = place_of(path);
  const int folder = root->descriptor.get();
  auto opened = open_beneath(folder, inside, flags, Links::follow, resolver_);
  if (!opened && opened.error() == ENOENT) {
    const auto meant = path_shown_as(folder, inside, resolver_);
    if (meant) opened = open_beneath(folder, *meant, flags, Links::follow, resolver_);
  }
  if (opened && hides_open(*opened)) return std::unexpected(ENOENT);
  return opened;
}

Result<FileStatus> Workspace::status(const std::string& path) const {
  const auto opened = open(path, O_PATH);
  if (!opened) return std::unexpected(path_error(opened.error(), path));
  struct stat status {};
  if (::fstat(opened->get(), &status) != 0) return std::unexpected(path_error(errno, path));
  return file_status(status);
}

Result<OpenFile> Workspace::open_file(const std::string& path) const {
  // Looks before it opens: opening a device can already have an effect.
  const auto before = TRY(status(path));
  if (before.kind == EntryKind::folder) return std::unexpected(path_error(EISDIR, path));
  if (before.kind != EntryKind::file) return std::unexpected(path_error(ENXIO, path));
  auto opened = as_regular_file(open(path, O_RDONLY));
  if (!opened) return std::unexpected(path_error(opened.error(), path));
  return std::move(*opened);
}

Result<Folder> Workspace::open_folder(const std::string& path) const {
  auto opened = open(path, O_RDONLY | O_DIRECTORY);
  if (!opened) return std::unexpected(path_error(opened.error(), path));
  return Folder(std::move(*opened), path, resolver_);
}

Result<WriteTarget> Workspace::write_target(const std::string& path) const {
  const std::string full = absolute(path);
  std::error_code problem;
  const auto real = std::filesystem::weakly_canonical(full, problem);
  if (problem == std::errc::filename_too_long && !hides(path)) {
    return std::unexpected(path_error(ENAMETOOLONG, path));
  }
  if (hides_anything() && (problem || hides_real(full) || hides_real(real.native()))) {
    return fail(ErrorCode::permission_denied,
                fmt::format("{} may not be written: it is not there for tools", shown_path(path)));
  }
  for (const Root& root : writable_) {
    const auto inside = root.rest_of(full);
    if (!inside) continue;
    if (inside->empty()) return std::unexpected(path_error(EISDIR, path));
    if (const auto why = protection_of(full, root)) {
      return fail(ErrorCode::permission_denied, fmt::format("{} {}", shown_path(path), *why));
    }
    WriteTarget target{root.descriptor.get(), std::string(*inside), resolver_};
    // What is read under that name would stay, with another file beside it.
    if (path_shown_as(target.root, target.inside, resolver_) &&
        !open_beneath(target.root, target.inside, O_PATH, Links::follow, resolver_)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} is only how a name is shown that is not UTF-8, and cannot be "
                              "written: give it another name first, by a command",
                              shown_path(path)));
    }
    return target;
  }
  return fail(ErrorCode::permission_denied,
              writable_.empty() ? std::string("Nothing may be written here")
                                : fmt::format("{} may not be written: it lies outside of {}",
                                              shown_path(path), folders_for_people(writable_)));
}

std::vector<int> Workspace::writable_folders() const {
  std::vector<int> folders;
  folders.reserve(writable_.size());
  for (const Root& root : writable_) folders.push_back(root.descriptor.get());
  return folders;
}

Error Workspace::path_error(int problem, const std::string& path) const {
  const std::string name = shown_path(path);
  switch (problem) {
    case ENOENT:
      return {ErrorCode::not_found, fmt::format("There is no {} in the base folder", name), {}};
    case ENOTDIR:
      return {ErrorCode::invalid_argument,
              fmt::format("{} is not a folder, or one of the folders before it is a file", name),
              {}};
    case EISDIR:
      return {ErrorCode::invalid_argument,
              fmt::format("{} is a folder, not a file; list_files shows what is in it", name),
              {}};
    case ENXIO:
      return {ErrorCode::invalid_argument,
              fmt::format("{} is not a regular file but a pipe, socket or device", name),
              {}};
    case EXDEV:
      return {ErrorCode::permission_denied,
              fmt::format("{} leads through a link out of the base folder {}, or through an "
                          "absolute link",
                          name, shown_path(base())),
              {}};
    case ELOOP:
      return {ErrorCode::permission_denied,
              fmt::format("{} goes through links that cannot be followed (a circle, too many, or "
                          "a link of /proc)",
                          name),
              {}};
    case EACCES:
    case EPERM:
      return {ErrorCode::permission_denied, fmt::format("The system refuses to open {}", name), {}};
    case ENAMETOOLONG:
      return {
          ErrorCode::invalid_argument, fmt::format("A name in the path {} is too long", name), {}};
    case EAGAIN:
    case EMFILE:
    case ENFILE:
      return {ErrorCode::unavailable,
              fmt::format("{} cannot be opened now: {}", name, system_message(problem)),
              {}};
    default:
      return {ErrorCode::storage,
              fmt::format("{} cannot be opened: {}", name, system_message(problem)),
              {}};
  }
}

}  // namespace wright::tools
