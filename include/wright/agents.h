// The agents that Wright ships.
#pragma once

#include <filesystem>

#include "wright/agent.h"

namespace wright {

// Answers questions about the code below `base`, with list_files, read_file and grep.
Result<Agent> codebase_analysis_agent(const std::filesystem::path& base, Model model);

}  // namespace wright
