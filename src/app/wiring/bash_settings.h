// What the settings say about the tool bash: its rules and its sandbox. Runs nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "wright/tools.h"

namespace wright::app {

// The folder of the tools, without links.
std::filesystem::path absolute_base(const Settings& settings);

// The error names the key whose value is wrong.
Result<BashOptions> bash_options(const Settings& settings);

// What no tool may change, and what none may read: one list for commands, the tools for files, the
// index of entities and the servers of MCP. The paths of the settings, Wright's own files, and what
// hooks run.
struct GuardedFiles {
  std::vector<std::string> protected_paths = {};
  std::vector<std::string> unreadable = {};
};
GuardedFiles guarded_files(const Settings& settings);

}  // namespace wright::app
