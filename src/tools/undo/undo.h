// Takes back what an agent changed in files, as the log of its changes knows it. First a plan that
// can be shown, then the deed. A file that somebody else has changed since is left alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/undo/change_log.h"
#include "tools/workspace/workspace.h"

namespace wright::tools {

struct UndoneFile {
  enum class Verdict : std::uint8_t {
    restore,    // the old content comes back
    remove,     // the agent made the file
    recreate,   // the agent removed it
    unchanged,  // it is as it was already
    refused,    // see `why`
  };
  std::string path = {};
  Verdict verdict = Verdict::refused;
  std::string why = {};
  std::optional<std::string> before = {};  // what it is taken back to; nothing: no file
  std::optional<std::string> now = {};     // what it is; nothing: there is none
  std::optional<mode_t> mode = {};         // to be given back; nothing: it keeps what it has
  std::optional<mode_t> mode_now = {};     // of a file that is there
  StateChange::Kind kind = StateChange::Kind::file;
  bool is_persons = false;  // refused, since somebody has changed it since: it is theirs now
};
// Whether the plan does something about it.
bool is_done(const UndoneFile& file);

struct UndoPlan {
  std::vector<UndoneFile> files = {};  // by path
  std::vector<FolderChange> folders = {};  // by path
  std::vector<std::string> gaps = {};  // what is not known of some calls, a sentence each
  // Something stands where something else comes back, a file in place of a folder, say: what goes has
  // to go first.
  bool makes_room_first = false;
  // A folder that was made stays, since it holds what does not go with it, and others come back: it
  // may have been one of them.
  bool leaves_folders = false;

  bool does_something() const;
  // Whether nothing is left but what is somebody else's by now.
  bool is_whole() const;
};

// Whether a change of this path and kind is taken back with the plan, or need not be.
bool is_settled(const UndoPlan& plan, const StateChange& change);

// `entries` are of the same base, oldest first. Nothing may be half done (recover_first()). With
// the last of them taken back first, all files are as they were before the first.
UndoPlan plan_undo(const Workspace& workspace, const std::vector<ChangeEntry>& entries);

// All files that are not refused, together or not at all; then links and folders. A file that is no
// longer what the plan knows, also one that was to be left as it is, is refused with all others.
// Where room has to be made first, what was removed for it comes back when the rest fails.
Result<void> carry_out(const UndoPlan& plan, const Workspace& workspace);

// What the plan takes back, seen from the other side: from the old content to that of now, as one
// unified diff. Refused files are in it as far as their old content is known.
std::string diff_of(const UndoPlan& plan);

}  // namespace wright::tools
