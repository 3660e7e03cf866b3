// The agents that Wright ships.
#pragma once

#include <filesystem>

#include "wright/agent.h"
#include "wright/entities.h"
#include "wright/sqlite_reader.h"
#include "wright/tools.h"

namespace wright {

// Answers questions about the code below the base, with list_files, read_file and grep. It writes
// nothing, whatever `access` allows.
Result<Agent> codebase_analysis_agent(const FileAccess& access, Model model);
Result<Agent> codebase_analysis_agent(const std::filesystem::path& base, Model model);

// The same with the tools of entities.h beside them, over an index of the base.
Result<Agent> codebase_analysis_agent(const FileAccess& access, const CodeIndexOptions& index,
                                      Model model);

// Answers questions about the databases of `options`, with sqlite_reader and, where it is one
// database, the tools of entities.h.
Result<Agent> sqlite_analysis_agent(SqliteReaderOptions options, Model model);

}  // namespace wright
