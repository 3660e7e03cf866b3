#include "tools/edit/staged_change.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

namespace wright::tools {
namespace {

bool is_same_file(const struct stat& left, const struct stat& right) {
  return left.st_dev == right.st_dev && left.st_ino == right.st_ino &&
         left.st_size == right.st_size && left.st_mtim.tv_sec == right.st_mtim.tv_sec &&
         left.st_mtim.tv_nsec == right.st_mtim.tv_nsec;
}

}  // namespace

StagedChange::Done StagedChange::write_beside(Beside beside, FileCalls& calls) {
  auto file = beside == Beside::nameless
                  ? calls.create_nameless(folder())
                  : std::expected<FileDescriptor, int>(std::unexpected(EOPNOTSUPP));
  if (!file && file.error() == EOPNOTSUPP) {
    file = calls.create(folder(), spare_);
    has_spare_ = file.has_value();
  }
  if (!file) return std::unexpected(file.error());
  if (Done written = calls.write(file->get(), *change_->content); !written) return written;
  const auto& like = change_->like ? change_->like : change_->replaced;
  if (like) {
    if (Done taken = calls.take_owner_and_mode(file->get(), *like); !taken) return taken;
  }
  struct stat status {};
  if (::fstat(file->get(), &status) != 0) return std::unexpected(errno);
  new_ = status;
  if (Done synced = calls.sync(file->get()); !synced) return synced;
  if (!has_spare_) file_ = std::move(*file);
  return {};
}

StagedChange::Done StagedChange::place(FileCalls& calls) {
  if (!change_->content) return set_aside(calls);
  return change_->replaced ? swap(calls) : create(calls);
}

bool StagedChange::has_replaced_what_was_read() const {
  struct stat old {};
  return !change_->replaced ||
         (::fstatat(folder(), spare_.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0 &&
          is_same_file(old, *change_->replaced));
}

StagedChange::Done StagedChange::create(FileCalls& calls) {
  const Done created = has_spare_ ? calls.rename(folder(), spare_, name_, Renaming::to_free_name)
                                  : calls.give_name(file_.get(), folder(), name_);
  if (!created) return created;
  has_spare_ = false;
  stage_ = Stage::created;
  return {};
}

StagedChange::Done StagedChange::swap(FileCalls& calls) {
  if (!has_spare_) {
    if (Done named = calls.give_name(file_.get(), folder(), spare_); !named) return named;
    has_spare_ = true;
  }
  const Done exchanged = calls.rename(folder(), spare_, name_, Renaming::exchange);
  if (exchanged) stage_ = Stage::swapped;
  if (exchanged || exchanged.error() != EOPNOTSUPP) return exchanged;

  if (Done moved = calls.rename(folder(), name_, aside_, Renaming::to_free_name); !moved) {
    return moved;
  }
  if (Done moved = calls.rename(folder(), spare_, name_, Renaming::to_free_name); !moved) {
    (void)calls.remove_file(folder(), spare_);
    spare_ = aside_;
    stage_ = Stage::set_aside;
    return moved;
  }
  spare_ = aside_;
  stage_ = Stage::swapped;
  return {};
}

StagedChange::Done StagedChange::set_aside(FileCalls& calls) {
  const Done moved = calls.rename(folder(), name_, spare_, Renaming::to_free_name);
  if (!moved) return moved;
  has_spare_ = true;
  stage_ = Stage::set_aside;
  return {};
}

StagedChange::Done StagedChange::remove_old(FileCalls& calls) const {
  return has_spare_ ? calls.remove_file(folder(), spare_) : Done{};
}

StagedChange::Done StagedChange::undo(FileCalls& calls) {
  Done undone;
  switch (stage_) {
    case Stage::prepared: break;
    case Stage::created: undone = calls.remove_file(folder(), name_); break;
    case Stage::set_aside:
      undone = calls.rename(folder(), spare_, name_, Renaming::to_free_name);
      if (undone) has_spare_ = false;
      break;
    case Stage::swapped:
      undone = calls.rename(folder(), spare_, name_, Renaming::exchange);
      if (!undone && undone.error() == EOPNOTSUPP) {
        undone = calls.remove_file(folder(), name_);
        if (undone) undone = calls.rename(folder(), spare_, name_, Renaming::to_free_name);
        if (undone) has_spare_ = false;
      }
      break;
  }
  if (undone && has_spare_) {
    // Only a copy is left of what never took effect.
    (void)calls.remove_file(folder(), spare_);
  }
  return undone;
}

}  // namespace wright::tools
