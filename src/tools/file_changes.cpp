#include "tools/file_changes.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <climits>
#include <ranges>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/change_journal.h"
#include "tools/text_file.h"

namespace wright::tools {
namespace {

constexpr std::size_t kMaxNewFolders = 64;

using Opened = std::expected<FileDescriptor, int>;
using Done = FileCalls::Done;

struct NamedPlace {
  std::string folder;  // "." or "a/b"
  std::string name;
};

NamedPlace split(const std::string& inside) {
  const std::size_t slash = inside.rfind('/');
  if (slash == std::string::npos) return {".", inside};
  return {inside.substr(0, slash), inside.substr(slash + 1)};
}

Opened open_folder(const WriteTarget& target, const std::string& folder) {
  return open_beneath(target.root, folder, O_RDONLY | O_DIRECTORY, Links::follow, target.resolver);
}

Error too_large(const std::string& path) {
  return {ErrorCode::limit_reached,
          fmt::format("{} is larger than {} MiB, which is more than this tool changes",
                      shown_path(path), kMaxChangedBytes / (1024 * 1024)),
          {}};
}

Error conflict(const std::string& path) {
  return {ErrorCode::unavailable,
          fmt::format("{} was changed by somebody else meanwhile; read it again", shown_path(path)),
          R"({"reason":"conflict"})"};
}

Error write_error(const Workspace& workspace, int problem, const std::string& path) {
  const auto storage = [&](std::string_view why) {
    return Error{
        ErrorCode::storage,
        fmt::format("{} cannot be written: {}; nothing was changed", shown_path(path), why),
        {}};
  };
  switch (problem) {
    case ENOSPC: return storage("the disk is full");
    case EDQUOT: return storage("the disk quota is used up");
    case EFBIG: return storage("the file would be larger than the system allows");
    case EROFS: return storage("the file system is read-only");
    case EIO: return storage("the disk reports an error");
    case EEXIST: return conflict(path);
    case EACCES:
    case EPERM:
      return {ErrorCode::permission_denied,
              fmt::format("The system refuses to write {}", shown_path(path)),
              {}};
    default: return workspace.path_error(problem, path);
  }
}

Error link_error(int folder, const std::string& name, const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t length = ::readlinkat(folder, name.c_str(), target.data(), target.size());
  const std::string_view text(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return {ErrorCode::permission_denied,
          fmt::format("{} is a link to {}; write to that path itself", shown_path(path),
                      shown_path(text)),
          {}};
}

// A link may have led into a .git although the path names none.
bool leads_into_git(int root, int folder) {
  const auto path_of = [](int descriptor) {
    std::array<char, PATH_MAX> buffer;
    const std::string own_link = fmt::format("/proc/self/fd/{}", descriptor);
    const ssize_t length = ::readlink(own_link.c_str(), buffer.data(), buffer.size());
    return std::string(buffer.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  };
  const std::string start = path_of(root);
  const std::string path = path_of(folder) + "/";
  return path.find("/.git/", path.starts_with(start) ? start.size() : 0) != std::string::npos;
}

bool is_same_file(const struct stat& left, const struct stat& right) {
  return left.st_dev == right.st_dev && left.st_ino == right.st_ino &&
         left.st_size == right.st_size && left.st_mtim.tv_sec == right.st_mtim.tv_sec &&
         left.st_mtim.tv_nsec == right.st_mtim.tv_nsec;
}

// One change on its way. `spare` is a name beside the file: that of the new content before the
// change, that of the old one after it.
struct Staged {
  enum class Stage : std::uint8_t { prepared, created, swapped, set_aside };

  const FileChange* change = nullptr;
  FileDescriptor folder;
  std::string name;
  FileDescriptor file;  // the new content
  std::string spare = spare_name();
  std::string aside = spare_name();  // for the old file where two names cannot be exchanged
  bool has_spare = false;
  Stage stage = Stage::prepared;
};

class ChangeSet {
 public:
  ChangeSet(const Workspace& workspace, FileCalls& calls) : workspace_(workspace), calls_(calls) {}
  ChangeSet(const ChangeSet&) = delete;
  ChangeSet& operator=(const ChangeSet&) = delete;
  ~ChangeSet() { undo(); }

  Result<void> apply(std::span<const FileChange> changes, MissingFolders missing) {
    for (const FileChange& change : changes) {
      if (auto staged = stage(change, missing); !staged) return staged;
    }
    if (auto written = write_journal(); !written) return written;
    for (Staged& staged : staged_) {
      if (auto placed = place(staged); !placed) return placed;
    }
    std::set<std::pair<dev_t, ino_t>> synced_folders;
    for (const Staged& staged : staged_) {
      struct stat folder {};
      if (::fstat(staged.folder.get(), &folder) == 0 &&
          !synced_folders.emplace(folder.st_dev, folder.st_ino).second) {
        continue;
      }
      const Done synced = calls_.sync(staged.folder.get());
      if (!synced) return failure(synced.error(), staged.change->path);
    }
    for (const MadeFolder& made : made_folders_) {
      const Done synced = calls_.sync(made.parent.get());
      if (!synced) return failure(synced.error(), made.name);
    }
    return remove_old();
  }

  // Puts everything back. What could not be put back, for a person; empty when all is as it was.
  std::string undo() {
    std::string left;
    for (Staged& staged : staged_ | std::views::reverse) {
      if (const Done undone = undo(staged); !undone) {
        left +=
            fmt::format(" {} could not be put back ({}); its old content is in {}.",
                        shown_path(staged.change->path),
                        std::generic_category().message(undone.error()), shown_path(staged.spare));
      }
    }
    staged_.clear();
    // What could not be put back now may be later.
    if (journal_ && left.empty()) (void)journal_->remove(calls_);
    journal_.reset();
    for (const MadeFolder& made : made_folders_ | std::views::reverse) {
      // A folder into which somebody else has put something stays.
      (void)calls_.remove_folder(made.parent.get(), made.name);
    }
    made_folders_.clear();
    return left;
  }

 private:
  struct MadeFolder {
    FileDescriptor parent;
    std::string name;
  };

  std::unexpected<Error> failure(int problem, const std::string& path) const {
    return std::unexpected(write_error(workspace_, problem, path));
  }

  Result<void> stage(const FileChange& change, MissingFolders missing) {
    if (change.content && change.content->size() > kMaxChangedBytes) {
      return std::unexpected(too_large(change.path));
    }
    const auto target = workspace_.write_target(change.path);
    if (!target) return std::unexpected(target.error());
    auto [folder, name] = split(target->inside);
    auto opened = open_folder(*target, folder);
    if (!opened && opened.error() == ENOENT && missing == MissingFolders::create) {
      opened = make_folders(*target, folder);
    }
    if (!opened && opened.error() == ENOENT) {
      return fail(ErrorCode::not_found,
                  fmt::format("There is no folder {} to put {} into; create_dirs makes it",
                              shown_path(folder), shown_path(name)));
    }
    if (!opened) return failure(opened.error(), change.path);
    if (leads_into_git(target->root, opened->get())) {
      return fail(ErrorCode::permission_denied,
                  fmt::format("{} leads into a .git folder, which is git's own: use git to change "
                              "it",
                              shown_path(change.path)));
    }
    Staged& staged = staged_.emplace_back();
    staged.change = &change;
    staged.folder = std::move(*opened);
    staged.name = std::move(name);
    const Done written = change.content ? write_beside(staged, *change.content) : Done{};
    if (!written) return failure(written.error(), change.path);
    return {};
  }

  // Makes what is missing of `folder`, component by component, so that no link is followed into
  // which a new folder could have turned.
  Opened make_folders(const WriteTarget& target, const std::string& folder) {
    std::vector<std::string> missing;
    std::string existing = folder;
    Opened opened = std::unexpected(ENOENT);
    while (!opened && opened.error() == ENOENT && existing != ".") {
      auto [above, name] = split(existing);
      missing.push_back(std::move(name));
      existing = std::move(above);
      opened = open_folder(target, existing);
    }
    if (missing.size() > kMaxNewFolders) return std::unexpected(ENAMETOOLONG);
    for (auto name = missing.rbegin(); opened && name != missing.rend(); ++name) {
      const Done made = calls_.make_folder(opened->get(), *name);
      if (!made && made.error() != EEXIST) return std::unexpected(made.error());
      Opened next = open_beneath(opened->get(), *name, O_RDONLY | O_DIRECTORY, Links::refuse,
                                 target.resolver);
      if (made) made_folders_.push_back({std::move(*opened), *name});
      opened = std::move(next);
    }
    return opened;
  }

  Done write_beside(Staged& staged, std::string_view content) {
    auto file = calls_.create_nameless(staged.folder.get());
    if (!file && file.error() == EOPNOTSUPP) {
      file = calls_.create(staged.folder.get(), staged.spare);
      staged.has_spare = file.has_value();
    }
    if (!file) return std::unexpected(file.error());
    staged.file = std::move(*file);
    const FileChange& change = *staged.change;
    if (Done written = calls_.write(staged.file.get(), content); !written) return written;
    const auto& like = change.replaced ? change.replaced : change.like;
    if (like) {
      if (Done taken = calls_.take_owner_and_mode(staged.file.get(), *like); !taken) return taken;
    }
    return calls_.sync(staged.file.get());
  }

  // One change happens at one moment; of several, some could be left over when the process dies.
  Result<void> write_journal() {
    if (staged_.size() < 2) return {};
    std::vector<PlannedChange> planned;
    for (const Staged& staged : staged_) {
      PlannedChange& change = planned.emplace_back();
      change.path = staged.change->path;
      change.spares = {staged.spare, staged.aside};
      change.old_file = staged.change->replaced;
      struct stat status {};
      if (staged.file.is_open()) {
        if (::fstat(staged.file.get(), &status) != 0) return failure(errno, change.path);
        change.new_file = status;
      }
    }
    auto written = ChangeJournal::write(workspace_, planned, calls_);
    if (!written) return failure(written.error(), planned.front().path);
    journal_ = std::move(*written);
    return {};
  }

  Result<void> place(Staged& staged) {
    const FileChange& change = *staged.change;
    const Done placed = !change.content   ? set_aside(staged)
                        : change.replaced ? swap(staged)
                                          : create(staged);
    if (!placed) return failure(placed.error(), change.path);
    // Looks at the old file only now, when nobody else can change it under its name any more.
    struct stat old {};
    if (change.replaced &&
        (::fstatat(staged.folder.get(), staged.spare.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0 ||
         !is_same_file(old, *change.replaced))) {
      return std::unexpected(conflict(change.path));
    }
    return {};
  }

  Done create(Staged& staged) {
    const int folder = staged.folder.get();
    const Done created =
        staged.has_spare ? calls_.rename(folder, staged.spare, staged.name, Renaming::to_free_name)
                         : calls_.give_name(staged.file.get(), folder, staged.name);
    if (!created) return created;
    staged.has_spare = false;
    staged.stage = Staged::Stage::created;
    return {};
  }

  Done swap(Staged& staged) {
    const int folder = staged.folder.get();
    if (!staged.has_spare) {
      if (Done named = calls_.give_name(staged.file.get(), folder, staged.spare); !named) {
        return named;
      }
      staged.has_spare = true;
    }
    const Done exchanged = calls_.rename(folder, staged.spare, staged.name, Renaming::exchange);
    if (exchanged) staged.stage = Staged::Stage::swapped;
    if (exchanged || exchanged.error() != EOPNOTSUPP) return exchanged;

    const std::string& aside = staged.aside;
    if (Done moved = calls_.rename(folder, staged.name, aside, Renaming::to_free_name); !moved) {
      return moved;
    }
    if (Done moved = calls_.rename(folder, staged.spare, staged.name, Renaming::to_free_name);
        !moved) {
      (void)calls_.remove_file(folder, staged.spare);
      staged.spare = aside;
      staged.stage = Staged::Stage::set_aside;
      return moved;
    }
    staged.spare = aside;
    staged.stage = Staged::Stage::swapped;
    return {};
  }

  Done set_aside(Staged& staged) {
    const Done moved =
        calls_.rename(staged.folder.get(), staged.name, staged.spare, Renaming::to_free_name);
    if (!moved) return moved;
    staged.has_spare = true;
    staged.stage = Staged::Stage::set_aside;
    return {};
  }

  // The last step. While every old file is still there, all can be put back.
  Result<void> remove_old() {
    bool has_removed = false;
    std::string left;
    for (const Staged& staged : staged_) {
      if (!staged.has_spare) continue;
      const Done removed = calls_.remove_file(staged.folder.get(), staged.spare);
      if (!removed && !has_removed) return failure(removed.error(), staged.change->path);
      if (!removed) left += " " + shown_path(staged.spare);
      has_removed = true;
    }
    if (journal_ && !journal_->remove(calls_)) left += " .wright-journal.tmp";
    journal_.reset();
    staged_.clear();
    made_folders_.clear();
    if (left.empty()) return {};
    return fail(ErrorCode::storage,
                "All changes were made, but old files could not be removed:" + left);
  }

  Done undo(Staged& staged) {
    const int folder = staged.folder.get();
    Done undone;
    switch (staged.stage) {
      case Staged::Stage::prepared: break;
      case Staged::Stage::created: undone = calls_.remove_file(folder, staged.name); break;
      case Staged::Stage::set_aside:
        undone = calls_.rename(folder, staged.spare, staged.name, Renaming::to_free_name);
        if (undone) staged.has_spare = false;
        break;
      case Staged::Stage::swapped:
        undone = calls_.rename(folder, staged.spare, staged.name, Renaming::exchange);
        if (!undone && undone.error() == EOPNOTSUPP) {
          undone = calls_.remove_file(folder, staged.name);
          if (undone) {
            undone = calls_.rename(folder, staged.spare, staged.name, Renaming::to_free_name);
          }
          if (undone) staged.has_spare = false;
        }
        break;
    }
    if (undone && staged.has_spare) {
      // Only a copy is left of what never took effect.
      (void)calls_.remove_file(folder, staged.spare);
    }
    return undone;
  }

  const Workspace& workspace_;
  FileCalls& calls_;
  std::vector<Staged> staged_;
  std::vector<MadeFolder> made_folders_;
  std::optional<ChangeJournal> journal_;
};

}  // namespace

Result<std::optional<ExistingFile>> read_for_change(const Workspace& workspace,
                                                    const std::string& path) {
  const auto target = workspace.write_target(path);
  if (!target) return std::unexpected(target.error());
  const auto [folder_path, name] = split(target->inside);
  const auto folder = open_folder(*target, folder_path);
  if (!folder && folder.error() == ENOENT) return std::nullopt;
  if (!folder) return std::unexpected(workspace.path_error(folder.error(), path));
  struct stat status {};
  if (::fstatat(folder->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return std::unexpected(workspace.path_error(errno, path));
  }
  if (S_ISLNK(status.st_mode)) return std::unexpected(link_error(folder->get(), name, path));
  if (S_ISDIR(status.st_mode)) return std::unexpected(workspace.path_error(EISDIR, path));
  if (!S_ISREG(status.st_mode)) return std::unexpected(workspace.path_error(ENXIO, path));
  const auto file = open_beneath(folder->get(), name, O_RDONLY, Links::refuse, target->resolver);
  if (!file) return std::unexpected(workspace.path_error(file.error(), path));
  ExistingFile existing;
  if (::fstat(file->get(), &existing.status) != 0 || !S_ISREG(existing.status.st_mode)) {
    return std::unexpected(conflict(path));
  }
  const auto size = static_cast<std::size_t>(existing.status.st_size);
  if (size > kMaxChangedBytes) return std::unexpected(too_large(path));
  existing.content.resize(size);
  const auto length = read_fully(file->get(), existing.content);
  if (!length) return std::unexpected(workspace.path_error(length.error(), path));
  existing.content.resize(*length);
  return existing;
}

bool is_conflict(const Error& error) {
  return error.code == ErrorCode::unavailable && error.detail.find("conflict") != std::string::npos;
}

namespace {

// Writers, of this process and of others, come one after the other as long as this is kept: what
// one of them has put in place for a moment and takes back must not be what another one replaces.
// Where the file system knows no locks, it goes without.
Result<FileDescriptor> turn_to_write(const Workspace& workspace, FileCalls& calls) {
  FileDescriptor folder(::open(workspace.base().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return folder;
  const Done locked = calls.lock(folder.get());
  if (locked || locked.error() != ETIMEDOUT) return folder;
  return fail(ErrorCode::unavailable,
              fmt::format("Another process keeps {} locked; nothing was changed. Try again later",
                          shown_path(workspace.base())));
}

}  // namespace

Result<void> apply_changes(const Workspace& workspace, std::span<const FileChange> changes,
                           MissingFolders missing, FileCalls& calls) {
  const auto turn = turn_to_write(workspace, calls);
  if (!turn) return std::unexpected(turn.error());
  recover_changes(workspace, calls);
  ChangeSet set(workspace, calls);
  auto applied = set.apply(changes, missing);
  if (applied) return applied;
  Error error = std::move(applied).error();
  error.message += set.undo();
  return std::unexpected(std::move(error));
}

}  // namespace wright::tools
