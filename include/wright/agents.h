// The agents that Wright ships.
#pragma once

#include <filesystem>
#include <memory>

#include "wright/agent.h"
#include "wright/ask_user.h"
#include "wright/entities.h"
#include "wright/sqlite_reader.h"
#include "wright/store.h"
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

// Finds out what a process shall do: asks what is unclear with ask_user, and answers with a
// requirements document (requirements_from() in requirements.h reads it).
Agent requirements_gathering_agent(Model model);

// The same, with a store in memory to run it on. With an executor, its answers are those to every
// question; without one, the run waits for a person.
struct AgentWithStore {
  Agent agent;
  std::unique_ptr<Store> store;
};
AgentWithStore create_requirements_gathering_agent(Model model, AskUserExecutor executor = {});

}  // namespace wright
