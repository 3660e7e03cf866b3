#include "tools/workspace.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <climits>
#include <optional>
#include <system_error>
#include <vector>

#include "wright/json.h"

namespace wright::tools {
namespace {

std::string system_message(int problem) {
  return std::generic_category().message(problem);
}

// A path as a person reads it in a message: valid UTF-8 and never longer than a line or two.
std::string shown(std::string_view path) {
  constexpr std::size_t kLongest = 200;
  const std::string valid = to_valid_utf8(std::string(path));
  const std::string_view start = utf8_prefix(valid, kLongest);
  return fmt::format("'{}{}'", start, start.size() < valid.size() ? "…" : "");
}

// The rest of `path` below `folder`, which is absolute; nothing when it lies elsewhere.
std::optional<std::string_view> below(std::string_view path, std::string_view folder) {
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

}  // namespace

FileStatus file_status(const struct stat& status) {
  FileStatus made;
  if (S_ISREG(status.st_mode)) made.kind = EntryKind::file;
  if (S_ISDIR(status.st_mode)) made.kind = EntryKind::folder;
  if (S_ISLNK(status.st_mode)) made.kind = EntryKind::link;
  made.size = status.st_size;
  made.modified = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return made;
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

Result<Workspace> Workspace::open(const std::filesystem::path& base) {
  auto workspace = open(base, Resolver::kernel);
  if (workspace) workspace->resolver_ = available_resolver(workspace->descriptor_.get());
  return workspace;
}

Result<Workspace> Workspace::open(const std::filesystem::path& base, Resolver resolver) {
  const std::string name = shown(base.native());
  FileDescriptor descriptor(::open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) {
    const int problem = errno;
    if (problem == ENOENT) {
      return fail(ErrorCode::not_found, fmt::format("The base folder {} does not exist", name));
    }
    if (problem == ENOTDIR) {
      return fail(ErrorCode::invalid_argument, fmt::format("The base {} is not a folder", name));
    }
    return fail(
        problem == EACCES ? ErrorCode::permission_denied : ErrorCode::storage,
        fmt::format("The base folder {} cannot be opened: {}", name, system_message(problem)));
  }
  std::error_code problem;
  const auto given = std::filesystem::absolute(base, problem).lexically_normal();
  const auto canonical = std::filesystem::canonical(base, problem);
  if (problem) {
    return fail(ErrorCode::storage,
                fmt::format("The base folder {} cannot be resolved: {}", name, problem.message()));
  }
  return Workspace(std::move(descriptor), given.native(), canonical.native(), resolver);
}

Result<std::string> Workspace::locate(std::string_view path) const {
  if (path.empty()) return fail(ErrorCode::invalid_argument, "The path is empty");
  if (path.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The path {} contains a NUL byte", shown(path)));
  }
  std::optional<std::string> located;
  if (path.front() != '/') {
    located = normal_form(path);
  } else if (const auto absolute = normal_form(path)) {
    const std::string from_root = *absolute == "." ? "/" : "/" + *absolute;
    auto inside = below(from_root, base_);
    if (!inside) inside = below(from_root, given_);
    if (inside) located = inside->empty() ? "." : std::string(*inside);
  }
  if (!located) {
    return fail(
        ErrorCode::permission_denied,
        fmt::format("{} lies outside of the base folder {}; only paths inside of it are allowed",
                    shown(path), shown(base_)));
  }
  if (located->size() >= PATH_MAX) {
    return fail(ErrorCode::invalid_argument, fmt::format("The path {} is too long", shown(path)));
  }
  return *located;
}

Result<FileStatus> Workspace::status(const std::string& path) const {
  auto opened = open_beneath(descriptor_.get(), path, O_PATH, Links::follow, resolver_);
  if (!opened) return std::unexpected(path_error(opened.error(), path));
  struct stat status {};
  if (::fstat(opened->get(), &status) != 0) return std::unexpected(path_error(errno, path));
  return file_status(status);
}

Result<OpenFile> Workspace::open_file(const std::string& path) const {
  // Looks before it opens: opening a device can already have an effect.
  const auto before = status(path);
  if (!before) return std::unexpected(before.error());
  if (before->kind == EntryKind::folder) return std::unexpected(path_error(EISDIR, path));
  if (before->kind != EntryKind::file) return std::unexpected(path_error(ENXIO, path));
  auto opened =
      as_regular_file(open_beneath(descriptor_.get(), path, O_RDONLY, Links::follow, resolver_));
  if (!opened) return std::unexpected(path_error(opened.error(), path));
  return std::move(*opened);
}

Result<Folder> Workspace::open_folder(const std::string& path) const {
  auto opened =
      open_beneath(descriptor_.get(), path, O_RDONLY | O_DIRECTORY, Links::follow, resolver_);
  if (!opened) return std::unexpected(path_error(opened.error(), path));
  return Folder(std::move(*opened), path, resolver_);
}

Error Workspace::path_error(int problem, const std::string& path) const {
  const std::string name = shown(path);
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
                          name, shown(base_)),
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
