// What an agent's calls changed in files: before and after, kept beside the sessions and far from
// the user's repository, so that it can be shown and taken back. A folder a session, with a log of
// one line a call and the contents as files beside it. Bounded; the oldest sessions go first.
// Changes no file of a user.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"

namespace wright::tools {

// One file that a call changes.
struct StateChange {
  std::string path = {};                   // in the normal form of the workspace
  std::optional<std::string> before = {};  // nothing: there was no such file
  std::optional<std::string> after = {};   // nothing: there is none any more
  std::optional<mode_t> mode = {};         // of the file before
  bool is_kept = true;                     // false: one of the contents is not known
};

struct ChangeEntry {
  std::int64_t id = 0;  // within its session, from 1
  std::int64_t session_id = 0;
  std::int64_t at = 0;  // milliseconds since 1970
  std::string call_id = {};
  std::string tool = {};
  std::string base = {};  // the folder that its paths are relative to
  std::vector<StateChange> changes = {};
  std::string gap = {};  // what is not known of this call; empty: nothing
};

struct ChangeLogOptions {
  std::filesystem::path folder = {};  // made when it is first needed
  std::chrono::hours max_age{24 * 30};
  std::uint64_t max_bytes = std::uint64_t{256} << 20;         // of all sessions
  std::uint64_t max_session_bytes = std::uint64_t{64} << 20;  // then contents are not kept
};

// May be used from several threads at once; of one session by one process at a time, as a session
// is.
class ChangeLog {
 public:
  explicit ChangeLog(ChangeLogOptions options) : options_(std::move(options)) {}

  // `entry.id` and `entry.at` are given here. When this returns, it is in the log.
  Result<void> add(ChangeEntry entry);
  // Those that have not been taken back, oldest first. None where nothing is known of the session.
  // A damaged line is skipped.
  Result<std::vector<ChangeEntry>> read(std::int64_t session_id) const;
  Result<void> mark_undone(std::int64_t session_id, std::span<const std::int64_t> ids);
  void forget(std::int64_t session_id) const;
  // Removes what is too old or too much.
  void prune() const;

 private:
  std::filesystem::path folder_of(std::int64_t session_id) const;
  Result<void> append(const std::filesystem::path& folder, std::string_view line) const;

  const ChangeLogOptions options_;
  std::mutex mutex_;
};

}  // namespace wright::tools
