// What an agent's calls changed in files: before and after, kept beside the sessions and far from
// the user's repository, so that it can be shown and taken back. A folder a session, with a log of
// one line a call and the contents as files beside it. Bounded; the oldest sessions go first.
// Changes no file of a user.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"

namespace wright::tools {

// One file, or link, that a call changes. The content of a link is where it leads.
struct StateChange {
  enum class Kind : std::uint8_t { file, link };
  std::string path = {};                   // in the normal form of the workspace
  std::optional<std::string> before = {};  // nothing: there was no such file
  std::optional<std::string> after = {};   // nothing: there is none any more
  std::optional<mode_t> mode = {};         // of the file before
  std::optional<mode_t> mode_after = {};   // where the call changed it
  bool is_kept = true;                     // false: one of the contents is not known
  // What stands there now was moved there from where nobody looks: it may be the only copy.
  bool is_moved_in = false;
  Kind kind = Kind::file;
};

// A folder that a call made or removed.
struct FolderChange {
  std::string path = {};
  bool is_made = false;
};

struct ChangeEntry {
  std::int64_t id = 0;  // within its session, from 1
  std::int64_t session_id = 0;
  std::int64_t at = 0;  // milliseconds since 1970
  std::string call_id = {};
  std::string tool = {};
  std::string base = {};  // the folder that its paths are relative to
  std::string store = {};  // that the session is in; empty: not known
  std::vector<StateChange> changes = {};
  std::vector<FolderChange> folders = {};
  std::string gap = {};  // what is not known of this call; empty: nothing
};

struct ChangeLogOptions {
  std::filesystem::path folder = {};  // made when it is first needed
  // Which store the sessions are in, by a name that no other has, when something is first added.
  // Empty, or where it is: nobody knows.
  std::function<std::string()> name_store = {};
  std::chrono::hours max_age{24 * 30};
  std::uint64_t max_bytes = std::uint64_t{256} << 20;         // of all sessions
  std::uint64_t max_session_bytes = std::uint64_t{64} << 20;  // then contents are not kept
};

// May be used from several threads at once; of one session by one process at a time, as a session
// is.
class ChangeLog {
 public:
  explicit ChangeLog(ChangeLogOptions options) : options_(std::move(options)) {}

  // `entry.id`, `entry.at` and `entry.store` are given here. When this returns, it is in the log;
  // without its changes, and with a gap instead, where they are too many.
  Result<void> add(ChangeEntry entry);
  // Those that have not been taken back, oldest first. None where nothing is known of the session.
  // A damaged line is skipped.
  Result<std::vector<ChangeEntry>> read(std::int64_t session_id) const;
  // The calls that it has lines of in this store, or in one that is not known, also those that have
  // been taken back.
  Result<std::set<std::string, std::less<>>> calls(std::int64_t session_id,
                                                   std::string_view store) const;
  Result<void> mark_undone(std::int64_t session_id, std::span<const std::int64_t> ids);
  // The same for the changes of some paths of an entry.
  struct UndonePath {
    std::int64_t id = 0;
    std::string path = {};
    StateChange::Kind kind = StateChange::Kind::file;
  };
  Result<void> mark_undone(std::int64_t session_id, std::span<const UndonePath> paths);
  void forget(std::int64_t session_id) const;
  // Removes what is too old or too much.
  void prune() const;

 private:
  std::filesystem::path folder_of(std::int64_t session_id) const;
  Result<void> append(const std::filesystem::path& folder, std::string_view line) const;

  const ChangeLogOptions options_;
  std::mutex mutex_;
  std::string store_;  // as options_.name_store() has said
};

}  // namespace wright::tools
