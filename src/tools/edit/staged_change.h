// One file of a set of changes on its way: its new content is written beside it, put in its place,
// and can be taken back until the old content is removed. Knows nothing of the other files
// (file_changes.h).
#pragma once

#include <memory>
#include <string>

#include "tools/edit/change_journal.h"
#include "tools/edit/file_changes.h"

namespace wright::tools {

class StagedChange {
 public:
  using Done = FileCalls::Done;
  using SharedFolder = std::shared_ptr<const FileDescriptor>;

  enum class Beside : std::uint8_t {
    nameless,  // where the system can: leaves nothing behind when the process dies
    named,     // holds no file open
  };

  // `change` is referred to; `name` is that of its file in `folder`.
  StagedChange(const FileChange& change, SharedFolder folder, std::string name)
      : change_(&change), folder_(std::move(folder)), name_(std::move(name)) {}

  // These fail with an errno.
  Done write_beside(Beside beside, FileCalls& calls);
  Done place(FileCalls& calls);
  Done remove_old(FileCalls& calls) const;
  Done undo(FileCalls& calls);

  // Whether the file that place() has replaced is the one that was read before.
  bool has_replaced_what_was_read() const;
  // Whether there is a file under the spare name: the new one before place(), the old one after it.
  bool has_spare() const { return has_spare_; }
  const std::string& spare() const { return spare_; }
  const FileChange& change() const { return *change_; }
  int folder() const { return folder_->get(); }
  PlannedChange plan() const { return {change_->path, {spare_, aside_}, change_->replaced, new_}; }

 private:
  enum class Stage : std::uint8_t { prepared, created, swapped, set_aside };

  Done create(FileCalls& calls);
  Done swap(FileCalls& calls);
  Done set_aside(FileCalls& calls);

  const FileChange* change_;
  SharedFolder folder_;
  std::string name_;
  FileDescriptor file_;  // the new content, as long as it has no name
  std::optional<struct stat> new_;
  std::string spare_ = spare_name();
  std::string aside_ = spare_name();  // for the old file where two names cannot be exchanged
  bool has_spare_ = false;
  Stage stage_ = Stage::prepared;
};

}  // namespace wright::tools
