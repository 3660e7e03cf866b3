// The shipped agents, and agents of TOML files.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/agent.h"
#include "wright/log.h"
#include "wright/people.h"
#include "wright/store.h"
#include "wright/tools.h"

namespace wright {

// The agents that Wright ships.

// Answers questions about the code below the base, with list_files, read_file and grep. It writes
// nothing, whatever `access` allows.
Result<Agent> codebase_analysis_agent(const FileAccess& access, Model model);
Result<Agent> codebase_analysis_agent(const std::filesystem::path& base, Model model);

// The same with code_entity_tools() beside them, over an index of the base.
Result<Agent> codebase_analysis_agent(const FileAccess& access, const CodeIndexOptions& index,
                                      Model model);

// Answers questions about the databases of `options`, with sqlite_reader and, where it is one
// database, database_entity_tools().
Result<Agent> sqlite_analysis_agent(SqliteReaderOptions options, Model model);

// Changes the code below the base: file_tools(), editing_tools() where something is writable,
// bash_tool(), a plan that people see, ask_user, and code_entity_tools() where there is an index.
struct CodingOptions {
  FileAccess access = {};
  BashOptions bash = {};
  std::optional<CodeIndexOptions> index = {};
  std::string notes = {};  // what people ask of agents that work here; ends the instructions
  // Where is kept what its calls replace, so that it can be taken back. Empty: it is not kept.
  std::filesystem::path changes = {};
  // Which store the sessions are in, by a name that no other has: numbers of sessions come again in
  // another one. Asked when something is first kept. May be empty.
  std::function<std::string()> name_store = {};
};
Result<Agent> coding_agent(const CodingOptions& options, Model model);

// Finds out what a process should do: asks what is unclear with ask_user, and answers with a
// requirements document (requirements_from() in requirements.h reads it).
Agent requirements_gathering_agent(Model model);

// The same, with a store in memory to run it on. With an executor, its answers are those to every
// question; without one, the run waits for a person.
struct AgentWithStore {
  Agent agent;
  std::unique_ptr<Store> store;
};
AgentWithStore create_requirements_gathering_agent(Model model, AskUserExecutor executor = {});

// Agents of TOML files; docs/agents.md has the format. Prints nothing, reads no environment, and
// opens no file but the one that is named and the instructions that it names.

// What a file cannot bring itself.
struct AgentFileOptions {
  // Makes the model of an id: `wright::model`, or Models::get() with keys and retries.
  std::function<Model(std::string_view id)> find_model = {};
  std::string default_model = {};                                  // for a file that names none
  std::vector<Tool> tools = {};                                    // those that the file may name
  std::vector<Agent> specialists = {};                             // likewise
  std::map<std::string, std::string, std::less<>> variables = {};  // for ${NAME} in its strings
  // Below which folder its instructions_file has to be; empty: anywhere.
  std::filesystem::path instructions_below = {};
  Logger logger = {};  // told of calls, as [tool_execution] says
  Redactor redactor =
      Redactor(std::vector<std::string>{});  // of what is logged, and of what tools answer
};

// An agent that can run. The error lists everything that is wrong, a line each:
// "reviewer.toml:7: temprature: unknown key; did you mean 'parameters.temperature'?". An agent that
// is not enabled is refused with ErrorCode::permission_denied.
Result<Agent> load_agent(const std::filesystem::path& file, const AgentFileOptions& options);

// The same of a text. `file` is for messages, for the name of an agent whose text has none, and for
// what instructions_file is relative to.
Result<Agent> agent_from_toml(std::string_view toml, const AgentFileOptions& options,
                              const std::filesystem::path& file = "agent.toml");

}  // namespace wright
