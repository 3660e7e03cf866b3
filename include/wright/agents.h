// The agents that Wright ships.
#pragma once

#include <filesystem>

#include "wright/agent.h"
#include "wright/tools.h"

namespace wright {

// Answers questions about the code below the base, with list_files, read_file and grep. It writes
// nothing, whatever `access` allows.
Result<Agent> codebase_analysis_agent(const FileAccess& access, Model model);
Result<Agent> codebase_analysis_agent(const std::filesystem::path& base, Model model);

}  // namespace wright
