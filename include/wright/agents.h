// The agents that Wright ships.
#pragma once

#include <filesystem>

#include "wright/agent.h"
#include "wright/sqlite_reader.h"

namespace wright {

// Answers questions about the code below `base`, with list_files, read_file and grep.
Result<Agent> codebase_analysis_agent(const std::filesystem::path& base, Model model);

// Answers questions about the databases of `options`, with sqlite_reader.
Result<Agent> sqlite_analysis_agent(SqliteReaderOptions options, Model model);

}  // namespace wright
