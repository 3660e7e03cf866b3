// What the settings say about the agent `coding`: where it may write, what its commands may do, and
// what the project asks of it.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings/settings.h"
#include "wright/agents.h"

namespace wright::app {

inline constexpr std::string_view kCodingAgent = "coding";

// For a person who begins this agent at a terminal or in an editor: where nobody has said what may
// be written and which commands may run, the base may be written and the usual commands may run in
// it. It becomes part of what was said, so that the session goes on with it. Nothing is added for
// other agents, and nothing where the base is a whole home folder or the root of the disk.
SettingFlags with_coding_defaults(std::string_view agent, SettingFlags flags,
                                  const Settings& settings);

// Tools that came from elsewhere: a person is asked, unless a rule of the settings is about them, or
// the settings say that they only read.
void ask_about_others(std::span<Tool> tools, const Settings& settings);

// Where is kept what agents replace in files, for sessions of the store that the settings name.
// Empty: nowhere.
std::filesystem::path changes_folder(const Settings& settings);

struct CodingSetup {
  CodingOptions options;
  std::vector<std::string> notes = {};  // for the person, a sentence each
};
Result<CodingSetup> coding_setup(const Settings& settings, FileAccess access,
                                 std::optional<CodeIndexOptions> index);

}  // namespace wright::app
