// What a set of changes is about to do, written down beside the files, so that it can be taken back
// when the process dies in the middle of it. Says nothing about how changes are made
// (file_changes.h); touches no other files than those that it names, and only as long as they are
// exactly what was written down.
#pragma once

#include <sys/stat.h>
#include <time.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/workspace/file_calls.h"
#include "tools/workspace/workspace.h"

namespace wright::tools {

// A name beside a file that nobody else has.
std::string spare_name();

// One file of a set of changes.
struct PlannedChange {
  std::string path;                     // in normal form
  std::vector<std::string> spares;      // names beside it that the old or the new file may get
  std::optional<struct stat> old_file;  // nothing: there is none
  std::optional<struct stat> new_file;  // nothing: the file is removed
};

class ChangeJournal {
 public:
  // Brought to the disk. Nothing where the folder takes no new file; then it goes without. Fails
  // with an errno: EEXIST where other files have all of its names (journal_names.h).
  static std::expected<std::optional<ChangeJournal>, int> write(
      const Workspace& workspace, std::span<const PlannedChange> changes, FileCalls& calls);

  // After this, the changes stand.
  FileCalls::Done remove(FileCalls& calls) const;
  const std::string& name() const { return name_; }

 private:
  ChangeJournal(FileDescriptor file, int folder, std::string name)
      : file_(std::move(file)), folder_(folder), name_(std::move(name)) {}

  FileDescriptor file_;  // locked as long as the process lives
  int folder_;
  std::string name_;
};

// Takes back, as far as it can, what a process that is gone has left half done below the writable
// folders. Where it had begun to remove the old files, everything was in place already, and the
// rest of them is removed. A change of one file that is in place stays.
void recover_changes(const Workspace& workspace, FileCalls& calls);

// A command may write what it likes into a folder, also what looks like a journal, and the next process
// would carry it out. Removes those that came or changed `since` (CLOCK_REALTIME_COARSE) and that no
// process holds.
void remove_journals_of_commands(std::span<const std::filesystem::path> folders,
                                 const struct timespec& since);

}  // namespace wright::tools
