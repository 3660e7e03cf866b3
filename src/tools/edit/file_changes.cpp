#include "tools/edit/file_changes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <map>
#include <ranges>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "core/try.h"
#include "tools/edit/made_repository.h"
#include "tools/edit/staged_change.h"
#include "tools/text/text_file.h"
#include "tools/workspace/journal_names.h"
#include "wright/log.h"

namespace wright::tools {
namespace {

constexpr std::size_t kMaxNewFolders = 64;
constexpr std::size_t kMaxNamelessFiles = 128;

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
          JsonObject{{"reason", "conflict"}}};
}

Error names_taken() {
  return {ErrorCode::storage,
          fmt::format("Nothing was changed: the notes by which a change is taken back when it is "
                      "interrupted have no free name. Remove the files {}, or wait for the other "
                      "processes that change files here",
                      fmt::join(kJournalNames, ", ")),
          {}};
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

// Names where the link leads only when that may be written.
Error link_error(const Workspace& workspace, int folder, const std::string& name,
                 const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t length = ::readlinkat(folder, name.c_str(), target.data(), target.size());
  const std::string_view text(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  const auto meant = (std::filesystem::path(path).parent_path() / text).lexically_normal();
  const auto located = workspace.locate(meant.string());
  const bool may_be_written = located && workspace.write_target(*located);
  return {ErrorCode::permission_denied,
          fmt::format("{} is a link to {}; {}", shown_path(path), shown_path(text),
                      may_be_written ? "write to that path itself"
                                     : "nothing may be written there. Use another path"),
          {}};
}

// What the system would refuse to whoever opens the file, renaming does without asking.
Result<void> check_is_writable(int folder, const std::string& name, const std::string& path) {
  constexpr int kFlags = AT_EACCESS | AT_SYMLINK_NOFOLLOW;
  if (::faccessat(folder, name.c_str(), W_OK, kFlags) == 0 || errno != EACCES) return {};
  return fail(ErrorCode::permission_denied,
              fmt::format("{} is read-only for you: whoever may change that has to do so first. "
                          "Nothing was changed",
                          shown_path(path)));
}

class ChangeSet {
 public:
  ChangeSet(const Workspace& workspace, FileCalls& calls) : workspace_(workspace), calls_(calls) {}
  ChangeSet(const ChangeSet&) = delete;
  ChangeSet& operator=(const ChangeSet&) = delete;
  ~ChangeSet() { undo(); }

  Result<void> apply(std::span<const FileChange> changes, MissingFolders missing,
                     const std::function<Result<void>()>& may_change) {
    // A process may not hold as many files open as it may change.
    const auto beside = changes.size() <= kMaxNamelessFiles ? StagedChange::Beside::nameless
                                                            : StagedChange::Beside::named;
    for (const FileChange& change : changes) {
      TRY(stage(change, missing, beside));
    }
    TRY(write_journal());
    if (may_change) TRY(may_change());
    for (StagedChange& staged : staged_) {
      TRY(place(staged));
    }
    for (const auto& [path, folder] : folders_) {
      const Done synced = calls_.sync(folder->get());
      if (!synced) return failure(synced.error(), path);
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
    for (StagedChange& staged : staged_ | std::views::reverse) {
      if (const Done undone = staged.undo(calls_); !undone) {
        left += fmt::format(" {} could not be put back ({}); its old content is in {}.",
                            shown_path(staged.change().path),
                            std::generic_category().message(undone.error()),
                            shown_path(staged.spare()));
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

  Result<void> stage(const FileChange& change, MissingFolders missing,
                     StagedChange::Beside beside) {
    if (change.content && change.content->size() > kMaxChangedBytes) {
      return std::unexpected(too_large(change.path));
    }
    const auto target = TRY(workspace_.write_target(change.path));
    auto [path, name] = split(target.inside);
    const auto folder = TRY(folder_for(target, path, change.path, missing));
    TRY(workspace_.may_write_in(target, folder->get(), name));
    if (change.content && change.replaced) {
      TRY(check_is_writable(folder->get(), name, change.path));
    }
    StagedChange& staged = staged_.emplace_back(change, folder, std::move(name));
    const Done written = change.content ? staged.write_beside(beside, calls_) : Done{};
    if (!written) return failure(written.error(), change.path);
    return {};
  }

  // The folder in which `changed` lies, opened once for all files in it.
  Result<StagedChange::SharedFolder> folder_for(const WriteTarget& target, const std::string& path,
                                                const std::string& changed,
                                                MissingFolders missing) {
    const std::string key = fmt::format("{}/{}", target.root, path);
    if (const auto known = folders_.find(key); known != folders_.end()) return known->second;
    auto opened = open_folder(target, path);
    if (!opened && opened.error() == ENOENT && missing == MissingFolders::create) {
      opened = make_folders(target, path);
    }
    if (!opened && opened.error() == ENOENT) {
      return fail(ErrorCode::not_found,
                  fmt::format("There is no folder {} to put {} into; create_dirs makes it",
                              shown_path(path), shown_path(split(changed).name)));
    }
    if (!opened) return failure(opened.error(), changed);
    auto shared = std::make_shared<const FileDescriptor>(std::move(*opened));
    folders_.emplace(key, shared);
    return shared;
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

  // Also of one change: it happens at one moment, but a spare file could be left over.
  Result<void> write_journal() {
    const bool leaves_nothing =
        staged_.size() == 1 && !staged_.front().change().replaced && !staged_.front().has_spare();
    if (staged_.empty() || leaves_nothing) return {};
    std::vector<PlannedChange> planned;
    for (const StagedChange& staged : staged_) planned.push_back(staged.plan());
    auto written = ChangeJournal::write(workspace_, planned, calls_);
    if (!written && written.error() == EEXIST) return std::unexpected(names_taken());
    if (!written) return failure(written.error(), planned.front().path);
    journal_ = std::move(*written);
    return {};
  }

  Result<void> place(StagedChange& staged) {
    const std::string& path = staged.change().path;
    if (const Done placed = staged.place(calls_); !placed) return failure(placed.error(), path);
    // Looks at the old file only now, when nobody else can change it under its name any more.
    if (!staged.has_replaced_what_was_read()) return std::unexpected(conflict(path));
    return {};
  }

  // The last step. While every old file is still there, all can be put back.
  Result<void> remove_old() {
    bool has_removed = false;
    std::string left;
    for (const StagedChange& staged : staged_) {
      if (!staged.has_spare()) continue;
      const Done removed = staged.remove_old(calls_);
      if (!removed && !has_removed) return failure(removed.error(), staged.change().path);
      if (!removed) left += " " + shown_path(staged.spare());
      has_removed = true;
    }
    if (journal_ && !journal_->remove(calls_)) left += " " + journal_->name();
    journal_.reset();
    staged_.clear();
    made_folders_.clear();
    if (left.empty()) return {};
    return fail(ErrorCode::storage,
                "All changes were made, but old files could not be removed:" + left);
  }

  const Workspace& workspace_;
  FileCalls& calls_;
  std::vector<StagedChange> staged_;
  std::map<std::string, StagedChange::SharedFolder> folders_;
  std::vector<MadeFolder> made_folders_;
  std::optional<ChangeJournal> journal_;
};

}  // namespace

Result<std::optional<ExistingFile>> read_for_change(const Workspace& workspace,
                                                    const std::string& path) {
  const auto target = TRY(workspace.write_target(path));
  const auto [folder_path, name] = split(target.inside);
  const auto folder = open_folder(target, folder_path);
  if (!folder && folder.error() == ENOENT) return std::nullopt;
  if (!folder) return std::unexpected(workspace.path_error(folder.error(), path));
  struct stat status {};
  if (::fstatat(folder->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return std::unexpected(workspace.path_error(errno, path));
  }
  if (S_ISLNK(status.st_mode))
    return std::unexpected(link_error(workspace, folder->get(), name, path));
  if (S_ISDIR(status.st_mode)) return std::unexpected(workspace.path_error(EISDIR, path));
  if (!S_ISREG(status.st_mode)) return std::unexpected(workspace.path_error(ENXIO, path));
  const auto file = open_beneath(folder->get(), name, O_RDONLY, Links::refuse, target.resolver);
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
  const Json* reason = error.find("reason");
  return error.code == ErrorCode::unavailable && reason != nullptr && *reason == Json("conflict");
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

Result<void> check_hides_nothing(const std::string& path, std::string_view before,
                                 std::string_view after) {
  const auto marks = [](std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(kRedacted, at)) != std::string_view::npos; ++count) {
      at += kRedacted.size();
    }
    return count;
  };
  if (marks(after) <= marks(before)) return {};
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("The new text of {} has {} where something is hidden from you, which would "
                  "be lost. Change only what is around it, with search and replace; where a "
                  "placeholder is meant, use another one",
                  shown_path(path), kRedacted));
}

Result<void> recover_first(const Workspace& workspace, FileCalls& calls) {
  const auto turn = TRY(turn_to_write(workspace, calls));
  recover_changes(workspace, calls);
  return {};
}

Result<void> apply_changes(const Workspace& workspace, std::span<const FileChange> changes,
                           MissingFolders missing, FileCalls& calls,
                           const std::function<Result<void>()>& may_change) {
  const auto turn = TRY(turn_to_write(workspace, calls));
  recover_changes(workspace, calls);
  TRY(check_makes_no_repository(workspace, changes));
  ChangeSet set(workspace, calls);
  auto applied = set.apply(changes, missing, may_change);
  if (applied) return applied;
  Error error = std::move(applied).error();
  error.message += set.undo();
  return std::unexpected(std::move(error));
}

namespace {

// The folders that are made for new files; those around others first.
std::set<std::string> missing_folders(const Workspace& workspace,
                                      std::span<const FileChange> changes) {
  std::set<std::string> missing;
  for (const FileChange& change : changes) {
    std::string path = change.content ? change.path : "";
    for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
         slash = path.rfind('/')) {
      path.resize(slash);
      const auto there = workspace.status(path);
      if (there || there.error().code != ErrorCode::not_found) break;
      missing.insert(path);
    }
  }
  return missing;
}

}  // namespace

Result<void> apply_recorded(const Workspace& workspace, std::string_view tool,
                            std::span<const FileChange> changes, MissingFolders missing,
                            FileCalls& calls, const ChangeRecorder& recorder,
                            const Context& context) {
  const auto made = recorder ? missing_folders(workspace, changes) : std::set<std::string>();
  return apply_changes(workspace, changes, missing, calls, [&]() -> Result<void> {
    if (recorder) TRY(recorder(workspace, tool, changes, made, context));
    return context.still_ours ? context.still_ours() : Result<void>();
  });
}

}  // namespace wright::tools
