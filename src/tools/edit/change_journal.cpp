#include "tools/edit/change_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <ranges>
#include <utility>

#include "tools/text/text_file.h"
#include "tools/workspace/journal_names.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

using Done = FileCalls::Done;

constexpr std::string_view kSparePrefix = ".wright-";
constexpr std::string_view kSpareSuffix = ".tmp";
constexpr std::int64_t kMaxJournalBytes = std::int64_t{64} * 1024 * 1024;

// Which file it is, and that nobody has written to it since.
JsonArray identity_of(const struct stat& file) {
  return {file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
}

Json identity_of(const std::optional<struct stat>& file) {
  return file ? Json(identity_of(*file)) : Json(nullptr);
}

// A journal that came with a copy or a checkout of the folder describes other files. No one can
// know beforehand which number a file gets.
JsonArray own_identity(const struct stat& journal) {
  return {journal.st_dev, journal.st_ino};
}

Json journal_json(const struct stat& journal, std::span<const PlannedChange> changes) {
  JsonArray entries;
  for (const PlannedChange& change : changes) {
    entries.push_back(JsonObject{{"path", change.path},
                                 {"spares", JsonArray(change.spares.begin(), change.spares.end())},
                                 {"old", identity_of(change.old_file)},
                                 {"new", identity_of(change.new_file)}});
  }
  return JsonObject{{"journal", own_identity(journal)}, {"changes", std::move(entries)}};
}

// One entry of a journal, with the folder that its names are in.
class Entry {
 public:
  // Nothing when it describes no file that this workspace would have changed.
  static std::optional<Entry> from(const Json& json, const Workspace& workspace) {
    const JsonObject* object = json.if_object();
    if (object == nullptr) return std::nullopt;
    const Json* path = object->if_contains("path");
    const Json* spares = object->if_contains("spares");
    const Json* old_file = object->if_contains("old");
    const Json* new_file = object->if_contains("new");
    if (path == nullptr || !path->is_string() || spares == nullptr || !spares->is_array() ||
        old_file == nullptr || new_file == nullptr) {
      return std::nullopt;
    }
    const auto located = workspace.locate(path->get_string());
    if (!located) return std::nullopt;
    const auto target = workspace.write_target(*located);
    if (!target) return std::nullopt;
    Entry entry;
    const std::size_t slash = target->inside.rfind('/');
    const bool is_nested = slash != std::string::npos;
    entry.name_ = target->inside.substr(is_nested ? slash + 1 : 0);
    auto folder = open_beneath(target->root, is_nested ? target->inside.substr(0, slash) : ".",
                               O_RDONLY | O_DIRECTORY, Links::follow, target->resolver);
    if (!folder) return std::nullopt;
    // A link may have been put on the way since.
    if (!workspace.may_write_in(*target, folder->get(), entry.name_)) return std::nullopt;
    entry.folder_ = std::move(*folder);
    for (const Json& spare : spares->get_array()) {
      if (!spare.is_string()) return std::nullopt;
      const std::string_view name = spare.get_string();
      if (!name.starts_with(kSparePrefix) || !name.ends_with(kSpareSuffix) ||
          name.find('/') != std::string_view::npos) {
        return std::nullopt;
      }
      entry.spares_.emplace_back(name);
    }
    entry.old_file_ = *old_file;
    entry.new_file_ = *new_file;
    return entry;
  }

  // Whether the file that was there before, if there was one, still has a name.
  bool has_old_file() const {
    return old_file_.is_null() || is(name_, old_file_) || spare_with(old_file_).has_value();
  }

  bool is_in_place() const {
    struct stat status {};
    return new_file_.is_null()
               ? ::fstatat(folder_.get(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0
               : is(name_, new_file_);
  }

  // Somebody may have changed files since: those stay as they are.
  void take_back(FileCalls& calls) const {
    const bool is_new_in_place = !new_file_.is_null() && is(name_, new_file_);
    if (const auto old_file = spare_with(old_file_)) {
      if (is_new_in_place) {
        const Done exchanged = calls.rename(folder_.get(), *old_file, name_, Renaming::exchange);
        if (!exchanged && exchanged.error() == EOPNOTSUPP) {
          (void)calls.remove_file(folder_.get(), name_);
        }
      }
      (void)calls.rename(folder_.get(), *old_file, name_, Renaming::to_free_name);
    } else if (is_new_in_place && old_file_.is_null()) {
      (void)calls.remove_file(folder_.get(), name_);
    }
    remove_spare_with(new_file_, calls);
  }

  void finish(FileCalls& calls) const { remove_spare_with(old_file_, calls); }

 private:
  bool is(const std::string& name, const Json& identity) const {
    struct stat status {};
    return ::fstatat(folder_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode) && Json(identity_of(status)) == identity;
  }

  std::optional<std::string> spare_with(const Json& identity) const {
    if (identity.is_null()) return std::nullopt;
    const auto found = std::ranges::find_if(
        spares_, [&](const std::string& spare) { return is(spare, identity); });
    return found == spares_.end() ? std::nullopt : std::optional(*found);
  }

  void remove_spare_with(const Json& identity, FileCalls& calls) const {
    if (const auto spare = spare_with(identity)) (void)calls.remove_file(folder_.get(), *spare);
  }

  FileDescriptor folder_;
  std::string name_;
  std::vector<std::string> spares_;
  Json old_file_;
  Json new_file_;
};

bool has_name(int folder, const std::string& name, const struct stat& file) {
  struct stat status {};
  return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         status.st_dev == file.st_dev && status.st_ino == file.st_ino;
}

// The text of a journal in a folder whose process is gone. `file` keeps it locked.
struct LeftJournal {
  FileDescriptor file;
  Json json;
};

std::optional<LeftJournal> left_journal(int folder, const std::string& name) {
  FileDescriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid() || status.st_size > kMaxJournalBytes ||
      ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || !has_name(folder, name, status)) {
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const auto length = read_fully(file.get(), text);
  if (!length) return std::nullopt;
  auto json = parse_json(std::string_view(text).substr(0, *length));
  if (!json || !json->is_object()) return std::nullopt;
  const Json* journal = json->as_object().if_contains("journal");
  if (journal == nullptr || *journal != Json(own_identity(status))) return std::nullopt;
  return LeftJournal{std::move(file), std::move(*json)};
}

// Tries one name after the other, as long as they are taken.
std::expected<std::string, int> give_journal_name(
    const std::function<Done(const std::string&)>& give) {
  for (const std::string& name : kJournalNames) {
    const Done given = give(name);
    if (given) return name;
    if (given.error() != EEXIST) return std::unexpected(given.error());
  }
  return std::unexpected(EEXIST);
}

bool is_changed_since(const struct stat& file, const struct timespec& since) {
  return std::pair(file.st_ctim.tv_sec, file.st_ctim.tv_nsec) >=
         std::pair(since.tv_sec, since.tv_nsec);
}

void remove_journal_of_command(int folder, const std::string& name, const struct timespec& since) {
  const FileDescriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  // One that is locked belongs to a process of ours that is changing files right now.
  if (file.is_open() && ::fstat(file.get(), &status) == 0 && is_changed_since(status, since) &&
      ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 && has_name(folder, name, status)) {
    ::unlinkat(folder, name.c_str(), 0);
  }
}

// Takes back what the journal of that name tells of, or finishes it.
void recover_journal(const Workspace& workspace, int folder, const std::string& name,
                     FileCalls& calls) {
  const auto left = left_journal(folder, name);
  if (!left) return;
  std::vector<Entry> entries;
  const Json* changes = left->json.as_object().if_contains("changes");
  if (changes != nullptr && changes->is_array()) {
    for (const Json& change : changes->get_array()) {
      if (auto entry = Entry::from(change, workspace)) entries.push_back(std::move(*entry));
    }
  }
  // Old files are removed only when everything is in place. One change alone is made when it is.
  const bool is_made = std::ranges::all_of(entries, &Entry::is_in_place) &&
                       (entries.size() == 1 || !std::ranges::all_of(entries, &Entry::has_old_file));
  for (const Entry& entry : entries | std::views::reverse) {
    if (is_made) {
      entry.finish(calls);
    } else {
      entry.take_back(calls);
    }
  }
  (void)calls.remove_file(folder, name);
}

}  // namespace

void remove_journals_of_commands(std::span<const std::filesystem::path> folders,
                                 const struct timespec& since) {
  for (const std::filesystem::path& path : folders) {
    const FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open()) continue;
    for (const std::string& name : kJournalNames) {
      remove_journal_of_command(folder.get(), name, since);
    }
  }
}

std::string spare_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) {
    number = static_cast<std::uint64_t>(::getpid());
  }
  return fmt::format("{}{:016x}{}", kSparePrefix, number, kSpareSuffix);
}

std::expected<std::optional<ChangeJournal>, int> ChangeJournal::write(
    const Workspace& workspace, std::span<const PlannedChange> changes, FileCalls& calls) {
  const auto target = workspace.write_target(changes.front().path);
  if (!target) return std::nullopt;
  const int folder = target->root;
  // It gets its name only when it is complete.
  const std::string spare = spare_name();
  auto file = calls.create_nameless(folder);
  const bool is_named = !file && file.error() == EOPNOTSUPP;
  if (is_named) file = calls.create(folder, spare);
  if (!file && (file.error() == EACCES || file.error() == EPERM)) return std::nullopt;
  if (!file) return std::unexpected(file.error());
  struct stat status {};
  const bool is_locked =
      ::fstat(file->get(), &status) == 0 && ::flock(file->get(), LOCK_EX | LOCK_NB) == 0;
  Done done = is_locked ? calls.write(file->get(), to_text(journal_json(status, changes)))
                        : Done(std::unexpected(EIO));
  if (done) done = calls.sync(file->get());
  std::expected<std::string, int> name = std::unexpected(done ? 0 : done.error());
  if (done) {
    name = give_journal_name([&](const std::string& wanted) {
      return is_named ? calls.rename(folder, spare, wanted, Renaming::to_free_name)
                      : calls.give_name(file->get(), folder, wanted);
    });
  }
  if (!name && is_named) (void)calls.remove_file(folder, spare);
  if (!name) return std::unexpected(name.error());
  ChangeJournal journal(std::move(*file), folder, std::move(*name));
  if (done = calls.sync(folder); !done) {
    (void)journal.remove(calls);
    return std::unexpected(done.error());
  }
  return journal;
}

Done ChangeJournal::remove(FileCalls& calls) const {
  return calls.remove_file(folder_, name_);
}

void recover_changes(const Workspace& workspace, FileCalls& calls) {
  for (const int folder : workspace.writable_folders()) {
    for (const std::string& name : kJournalNames) {
      recover_journal(workspace, folder, name, calls);
    }
  }
}

}  // namespace wright::tools
