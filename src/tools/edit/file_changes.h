// Changes of files below the writable folders of a workspace that happen all together or not at
// all. New content is written beside the old, brought to the disk, and then put in its place by
// renaming, so that no reader ever sees half a file; when something goes wrong, everything is put
// back as it was.
//
// Links are followed on the way to a file as long as they stay inside of the writable folder, but
// a file that is a link itself is not written through.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tools/workspace/file_calls.h"
#include "tools/workspace/workspace.h"
#include "wright/tool.h"

namespace wright::tools {

// More than this is neither read for a change nor written.
inline constexpr std::size_t kMaxChangedBytes = std::size_t{64} * 1024 * 1024;

struct ExistingFile {
  std::string content;
  struct stat status;
};

// What is there to be changed; nothing when there is no such file. `path` is in normal form.
Result<std::optional<ExistingFile>> read_for_change(const Workspace& workspace,
                                                    const std::string& path);

struct FileChange {
  std::string path;                     // in normal form, each file once
  std::optional<std::string> content;   // nothing: the file is removed
  std::optional<struct stat> replaced;  // the file that was read before; nothing: there was none
  std::optional<struct stat> like;      // whose owner and mode it gets; nothing: of `replaced`
};

// The error of a text that has more marks of hidden secrets (kRedacted) than the file that it takes the
// place of: who wrote it has not seen what stands there, and would destroy it.
Result<void> check_hides_nothing(const std::string& path, std::string_view before,
                                 std::string_view after);

enum class MissingFolders : std::uint8_t { refuse, create };

// The error of a file that somebody else has changed since it was read; reading it again may help.
bool is_conflict(const Error& error);

// `may_change` is asked last, when everything is prepared: its error changes nothing. May be empty.
Result<void> apply_changes(const Workspace& workspace, std::span<const FileChange> changes,
                           MissingFolders missing, FileCalls& calls,
                           const std::function<Result<void>()>& may_change = {});

// Puts right what a process that died has left half done, when nobody else is writing. For those
// who look at files before they decide what to change.
Result<void> recover_first(const Workspace& workspace, FileCalls& calls);

// Hears of changes before they are made; its error makes none of them. May be empty.
using ChangeRecorder = std::function<Result<void>(
    const Workspace& workspace, std::string_view tool, std::span<const FileChange> changes,
    const std::set<std::string>& made_folders, const Context& context)>;

// apply_changes() for a call of a tool: what is recorded first is what then happens.
Result<void> apply_recorded(const Workspace& workspace, std::string_view tool,
                            std::span<const FileChange> changes, MissingFolders missing,
                            FileCalls& calls, const ChangeRecorder& recorder,
                            const Context& context);

}  // namespace wright::tools
