// The tools that Wright ships.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "wright/command_rules.h"
#include "wright/sandbox.h"
#include "wright/tool.h"

namespace wright {

// What the file tools may touch. No path leaves these folders, whatever it looks like and whatever
// links to where.
struct FileAccess {
  std::filesystem::path base = {};                   // read; relative paths start here
  std::vector<std::filesystem::path> readable = {};  // read; named by absolute paths
  std::vector<std::filesystem::path> writable = {};  // written and read; relative ones are below
                                                     // the base, "." is the base itself
};

// list_files, read_file and grep. Refused when a folder of `access` is not a readable folder.
Result<std::vector<Tool>> file_tools(const FileAccess& access);

// The same for one folder.
Result<std::vector<Tool>> file_tools(const std::filesystem::path& base);

struct BashOptions {
  std::filesystem::path base;           // where commands run; it may always be read
  std::vector<CommandRule> rules = {};  // without rules, nothing may run
  SandboxPolicy policy = {};
  // Asks a person who is there; an empty answer (or no function) parks the run until somebody has
  // answered.
  std::function<std::optional<intercept::Permission>(const CommandDecision&, const Context&)> ask =
      {};
  // What a command prints, as it comes, in the thread of the call.
  std::function<void(const Context&, OutputStream, std::string_view)> on_output = {};
};

// bash: judges every command of a line by the rules, then runs it in a sandbox. Refused when `base`
// is not a readable folder, or when a rule is malformed.
Result<Tool> bash_tool(BashOptions options);

// write_file and apply_patch. They write below the writable folders only, and never into a `.git`;
// refused when there are none.
Result<std::vector<Tool>> editing_tools(const FileAccess& access);

// Where output goes that is too long for the model. Put `folder` among FileAccess::readable too, so
// that read_file can page it.
struct SpillOptions {
  std::filesystem::path folder = {};                   // made when it is missing
  std::chrono::hours max_age{24 * 7};                  // older files go
  std::uint64_t max_bytes = std::uint64_t{256} << 20;  // of all files; then the oldest go
};

// Gives every call that passes it a Context::spill. Refused when the folder cannot be used.
Result<Spill> spill_output(SpillOptions options);

}  // namespace wright
