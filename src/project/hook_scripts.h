// The files that the commands of hooks run, as far as their words tell. Whoever could rewrite them
// would decide what runs outside of the sandbox, so they are part of what is agreed to, and no tool
// may change them. What a script itself goes on to read is not known here; all that lies in
// `.wright/hooks` counts.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "project/hooks.h"

namespace wright::project {

struct HookScripts {
  std::vector<std::filesystem::path> paths = {};  // absolute; of a link also where it leads
  std::vector<std::string> lines = {};            // "path mode SHA-256", for people and for trust

  // All that has to stay as it is.
  std::string content() const;
  bool operator==(const HookScripts&) const = default;
};

// `folder` is where the commands run. What lies elsewhere counts when a relative name leads there;
// by an absolute one only what lies in the folder does, since programs of the system are updated.
// Refused when it is too much to be looked at: the words, or the files.
Result<HookScripts> scripts_of(std::span<const Hook> hooks, const std::filesystem::path& folder);

}  // namespace wright::project
