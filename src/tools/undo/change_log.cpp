#include "tools/undo/change_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cerrno>
#include <set>
#include <sstream>
#include <system_error>
#include <tuple>

#include "core/file_descriptor.h"
#include "core/try.h"
#include "tools/text/text_file.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLogName = "log.jsonl";
// Calls that change more than fits a line, or find the log full, leave a gap in it: a few hundred
// bytes, for which there is always room.
constexpr std::size_t kLongestLogLine = std::size_t{1} << 20;
constexpr std::uintmax_t kFullLog = std::uintmax_t{16} << 20;
constexpr std::uintmax_t kLargestLog = std::uintmax_t{64} << 20;

Error cannot_keep(const fs::path& where, int problem) {
  return {ErrorCode::storage,
          fmt::format("what this replaces cannot be kept in {} ({}), so nothing was changed; --set "
                      "agent.undo=false changes files without keeping it",
                      to_valid_utf8(where.string()), std::generic_category().message(problem)),
          {}};
}

Result<void> write_new(const fs::path& path, std::string_view text, int flags) {
  const FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
  if (!file.is_open()) return std::unexpected(cannot_keep(path, errno));
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(cannot_keep(path, errno));
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

std::optional<std::string> read_whole(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const auto length = read_fully(file.get(), text);
  if (!length || *length != text.size()) return std::nullopt;
  return text;
}

std::uintmax_t bytes_in(const fs::path& folder) {
  std::error_code error;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto size = entry.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

std::string content_name(std::int64_t entry, std::size_t change, std::string_view which) {
  return fmt::format("{}-{}.{}", entry, change, which);
}

Json json_of(const ChangeEntry& entry) {
  JsonArray changes;
  for (const StateChange& change : entry.changes) {
    changes.push_back(JsonObject{{"path", change.path},
                                 {"had", change.before.has_value()},
                                 {"has", change.after.has_value()},
                                 {"mode", change.mode ? Json(*change.mode) : Json(nullptr)},
                                 {"kept", change.is_kept}});
    JsonObject& made = changes.back().get_object();
    if (change.mode_after) made["mode_after"] = *change.mode_after;
    if (change.kind == StateChange::Kind::link) made["link"] = true;
    if (change.is_moved_in) made["moved_in"] = true;
  }
  JsonArray folders;
  for (const FolderChange& folder : entry.folders) {
    folders.push_back(JsonObject{{"path", folder.path}, {"made", folder.is_made}});
  }
  return JsonObject{{"id", entry.id},
                    {"at", entry.at},
                    {"call", entry.call_id},
                    {"tool", entry.tool},
                    {"base", entry.base},
                    {"store", entry.store},
                    {"gap", entry.gap},
                    {"changes", std::move(changes)},
                    {"folders", std::move(folders)}};
}

bool is_true(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::string text_of(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::optional<mode_t> mode_of(const JsonObject& object, std::string_view key) {
  const Json* mode = object.if_contains(key);
  if (mode == nullptr || !mode->is_int64()) return std::nullopt;
  return static_cast<mode_t>(mode->get_int64() & 07777);
}

// With the contents beside the log. A content that is gone makes the change one that is not kept.
std::optional<ChangeEntry> entry_from(const Json& json, const fs::path& folder) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) return std::nullopt;
  const Json* id = object->if_contains("id");
  const Json* changes = object->if_contains("changes");
  if (id == nullptr || !id->is_int64() || changes == nullptr || !changes->is_array()) {
    return std::nullopt;
  }
  ChangeEntry entry{.id = id->get_int64(),
                    .call_id = text_of(*object, "call"),
                    .tool = text_of(*object, "tool"),
                    .base = text_of(*object, "base"),
                    .store = text_of(*object, "store"),
                    .gap = text_of(*object, "gap")};
  if (const Json* at = object->if_contains("at"); at != nullptr && at->is_int64()) {
    entry.at = at->get_int64();
  }
  for (const Json& each : changes->get_array()) {
    const JsonObject* one = each.if_object();
    if (one == nullptr) return std::nullopt;
    StateChange change{.path = text_of(*one, "path"), .is_kept = is_true(*one, "kept")};
    const std::size_t number = entry.changes.size();
    const auto take = [&](std::string_view has, std::string_view which,
                          std::optional<std::string>& content) {
      if (!is_true(*one, has)) return;
      auto kept = change.is_kept ? read_whole(folder / content_name(entry.id, number, which))
                                 : std::nullopt;
      if (!kept) change.is_kept = false;
      content = std::move(kept).value_or("");
    };
    take("had", "before", change.before);
    take("has", "after", change.after);
    change.mode = mode_of(*one, "mode");
    change.mode_after = mode_of(*one, "mode_after");
    change.is_moved_in = is_true(*one, "moved_in");
    if (is_true(*one, "link")) change.kind = StateChange::Kind::link;
    entry.changes.push_back(std::move(change));
  }
  const Json* folders = object->if_contains("folders");
  if (folders == nullptr || !folders->is_array()) return entry;
  for (const Json& each : folders->get_array()) {
    const JsonObject* one = each.if_object();
    if (one != nullptr) entry.folders.push_back({text_of(*one, "path"), is_true(*one, "made")});
  }
  return entry;
}

struct ReadLog {
  std::vector<ChangeEntry> entries;
  std::set<std::pair<std::string, std::string>> calls;  // with the store
  std::int64_t last_id = 0;
};

enum class LogParts : std::uint8_t { numbers, all };

Result<ReadLog> read_log(const fs::path& folder, LogParts parts) {
  ReadLog log;
  std::error_code error;
  const fs::path path = folder / kLogName;
  const auto size = fs::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory) return log;
  const auto text = !error && size <= kLargestLog ? read_whole(path) : std::nullopt;
  if (!text) {
    return fail(
        ErrorCode::storage,
        fmt::format("what the session changed is not known: {} cannot be read, or is larger "
                    "than 64 MiB",
                    to_valid_utf8(path.string())));
  }
  std::set<std::int64_t> undone;
  std::set<std::tuple<std::int64_t, std::string, bool>> undone_paths;  // and whether of a link
  std::vector<Json> lines;
  std::istringstream stream(*text);
  for (std::string line; std::getline(stream, line);) {
    auto json = parse_json(line);
    if (!json || !json->is_object()) continue;  // the last one may be half written
    if (const Json* ids = json->get_object().if_contains("undone"); ids != nullptr) {
      if (!ids->is_array()) continue;
      for (const Json& id : ids->get_array()) {
        if (id.is_int64()) undone.insert(id.get_int64());
      }
      continue;
    }
    if (const Json* paths = json->get_object().if_contains("undone_paths"); paths != nullptr) {
      if (!paths->is_array()) continue;
      for (const Json& each : paths->get_array()) {
        const JsonObject* one = each.if_object();
        const Json* id = one != nullptr ? one->if_contains("id") : nullptr;
        if (id != nullptr && id->is_int64()) {
          undone_paths.emplace(id->get_int64(), text_of(*one, "path"), is_true(*one, "link"));
        }
      }
      continue;
    }
    lines.push_back(std::move(*json));
  }
  for (const Json& line : lines) {
    const Json* id = line.get_object().if_contains("id");
    if (id == nullptr || !id->is_int64()) continue;
    log.last_id = std::max(log.last_id, id->get_int64());
    log.calls.emplace(text_of(line.get_object(), "call"), text_of(line.get_object(), "store"));
    if (parts == LogParts::numbers || undone.contains(id->get_int64())) continue;
    auto entry = entry_from(line, folder);
    if (!entry) continue;
    std::erase_if(entry->changes, [&](const StateChange& change) {
      return undone_paths.contains(
          {entry->id, change.path, change.kind == StateChange::Kind::link});
    });
    log.entries.push_back(std::move(*entry));
  }
  return log;
}

}  // namespace

fs::path ChangeLog::folder_of(std::int64_t session_id) const {
  return options_.folder / std::to_string(session_id);
}

Result<void> ChangeLog::append(const fs::path& folder, std::string_view line) const {
  return write_new(folder / kLogName, fmt::format("{}\n", line), O_APPEND);
}

Result<void> ChangeLog::add(ChangeEntry entry) {
  const std::lock_guard lock(mutex_);
  const fs::path folder = folder_of(entry.session_id);
  std::error_code error;
  const bool is_new = fs::create_directories(folder, error);
  if (error) return std::unexpected(cannot_keep(folder, error.value()));
  if (is_new) {
    fs::permissions(options_.folder, fs::perms::owner_all, error);
    fs::permissions(folder, fs::perms::owner_all, error);
    prune();
  }
  const ReadLog before = TRY(read_log(folder, LogParts::numbers));
  entry.id = before.last_id + 1;
  if (store_.empty() && options_.name_store) store_ = options_.name_store();
  entry.store = store_;
  entry.at = std::chrono::duration_cast<std::chrono::milliseconds>(
                 std::chrono::system_clock::now().time_since_epoch())
                 .count();
  const auto logged = fs::file_size(folder / kLogName, error);
  const bool is_full = !error && logged > kFullLog;
  if (is_full || to_text(json_of(entry)).size() > kLongestLogLine) {
    entry.gap = fmt::format("it changed {} files and folders, more than can be kept",
                            entry.changes.size() + entry.folders.size());
    entry.changes.clear();
    entry.folders.clear();
  }
  std::uintmax_t bytes = bytes_in(folder);
  for (std::size_t i = 0; i < entry.changes.size(); ++i) {
    StateChange& change = entry.changes[i];
    bytes +=
        (change.before ? change.before->size() : 0) + (change.after ? change.after->size() : 0);
    if (bytes > options_.max_session_bytes) change.is_kept = false;
    if (!change.is_kept) continue;
    if (change.before) {
      TRY(write_new(folder / content_name(entry.id, i, "before"), *change.before, O_TRUNC));
    }
    if (change.after) {
      TRY(write_new(folder / content_name(entry.id, i, "after"), *change.after, O_TRUNC));
    }
  }
  return append(folder, to_text(json_of(entry)));
}

Result<std::vector<ChangeEntry>> ChangeLog::read(std::int64_t session_id) const {
  auto log = TRY(read_log(folder_of(session_id), LogParts::all));
  for (ChangeEntry& entry : log.entries) entry.session_id = session_id;
  return std::move(log.entries);
}

Result<std::set<std::string, std::less<>>> ChangeLog::calls(std::int64_t session_id,
                                                            std::string_view store) const {
  const auto log = TRY(read_log(folder_of(session_id), LogParts::numbers));
  std::set<std::string, std::less<>> calls;
  for (const auto& [call, of_store] : log.calls) {
    if (of_store.empty() || of_store == store) calls.insert(call);
  }
  return calls;
}

Result<void> ChangeLog::mark_undone(std::int64_t session_id, std::span<const std::int64_t> ids) {
  const std::lock_guard lock(mutex_);
  return append(folder_of(session_id),
                to_text(JsonObject{{"undone", JsonArray(ids.begin(), ids.end())}}));
}

Result<void> ChangeLog::mark_undone(std::int64_t session_id, std::span<const UndonePath> paths) {
  const std::lock_guard lock(mutex_);
  JsonArray marks;
  for (const UndonePath& each : paths) {
    JsonObject mark{{"id", each.id}, {"path", each.path}};
    if (each.kind == StateChange::Kind::link) mark["link"] = true;
    marks.push_back(std::move(mark));
  }
  return append(folder_of(session_id), to_text(JsonObject{{"undone_paths", std::move(marks)}}));
}

void ChangeLog::forget(std::int64_t session_id) const {
  std::error_code ignored;
  fs::remove_all(folder_of(session_id), ignored);
}

void ChangeLog::prune() const {
  struct Kept {
    fs::path folder;
    fs::file_time_type used;
    std::uintmax_t bytes;
  };
  std::vector<Kept> kept;
  std::error_code error;
  const auto oldest = fs::file_time_type::clock::now() - options_.max_age;
  for (const auto& entry : fs::directory_iterator(options_.folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_session = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_session || entry.is_symlink(error) || !entry.is_directory(error)) continue;
    const auto used = entry.last_write_time(error);
    if (error) continue;
    if (used < oldest) {
      fs::remove_all(entry.path(), error);
    } else {
      kept.push_back({entry.path(), used, bytes_in(entry.path())});
    }
  }
  std::ranges::sort(kept, std::ranges::greater(), &Kept::used);
  std::uintmax_t bytes = 0;
  for (const Kept& each : kept) {
    bytes += each.bytes;
    if (bytes > options_.max_bytes) fs::remove_all(each.folder, error);
  }
}

}  // namespace wright::tools
