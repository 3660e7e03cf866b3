// The effective settings: flag over environment over file over default, and where each came from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/agent_definition.h"
#include "app/settings/config.h"
#include "app/settings/environment.h"
#include "app/settings/own_files.h"
#include "app/settings/rule_flags.h"
#include "app/settings/setting_value.h"
#include "app/settings/store_place.h"
#include "store/queue_limits.h"
#include "wright/agent.h"
#include "wright/models.h"
#include "wright/sandbox.h"

namespace wright::app {

// What the command line said; absent is what it did not mention.
struct SettingFlags {
  std::optional<std::string> config;
  std::optional<std::string> database_path;
  std::optional<std::string> store;
  std::optional<std::string> server;  // a URL: it does what the command asks for
  bool may_be_client = false;         // WRIGHT_SERVER counts, too
  std::optional<std::string> base_path;
  std::optional<std::string> database;
  std::optional<std::string> model;
  std::optional<std::int64_t> max_iterations;
  std::optional<std::string> log_level;
  std::optional<std::string> log_format;
  std::optional<std::string> log_file;
  std::optional<std::string> trace_http;
  std::vector<std::string> set;  // KEY=VALUE for any key of the file; the last one counts
  // Files that tools must not find. No flag names them: they are what a command itself works with.
  std::vector<std::filesystem::path> hidden;
};

enum class Source : std::uint8_t { flag, environment, file, fallback };

struct Origin {
  Source source = Source::fallback;
  // "--model", "--set agent.model", "WRIGHT_MODEL", "config.toml:3"; empty for a default
  std::string place;

  std::string text() const;  // "flag --model", "environment WRIGHT_MODEL", …
};

struct Setting {
  const ConfigKey* key = nullptr;
  SettingValue value;
  Origin origin;
};

// What differs for one agent.
struct AgentSetting {
  std::string agent;
  Setting setting;
};

class Settings {
 public:
  const std::vector<Setting>& all() const { return all_; }
  const Setting& get(const ConfigKey& key) const;

  // The same for one agent: what its own section changes, unless --set has the last word.
  const Setting& get(const ConfigKey& key, std::string_view agent) const;
  const std::vector<AgentSetting>& of_agents() const { return of_agents_; }

  // What --set says about vendors and models: keys as in the file, and values.
  const std::vector<std::pair<std::string, std::string>>& catalogue_flags() const {
    return catalogue_flags_;
  }

  // Absent when no file was read.
  const std::optional<ConfigFile>& file() const { return file_; }
  // What the command line said.
  const SettingFlags& flags() const { return flags_; }

  // Where sessions are kept: what was said last of sessions.store and agent.database_path, of
  // flags, environment and file in this order.
  const StorePlace& store() const { return store_; }
  store::QueueLimits queue_limits() const;
  // The SQLite file of the sessions, or where it would be. Empty without a home folder.
  std::filesystem::path database_path() const;
  bool keeps_sessions_in_memory() const;  // ":memory:": gone with the process
  std::filesystem::path base_path() const;
  std::filesystem::path database() const;  // empty when none was named
  std::string model() const;
  std::optional<int> max_iterations() const;
  std::vector<std::string> fallback() const;
  std::vector<std::filesystem::path> readable() const;
  std::vector<std::filesystem::path> writable() const;
  const std::filesystem::path& output_folder() const { return output_folder_; }
  // What the person has agreed to, of this machine. Empty without a home folder.
  const std::filesystem::path& trust_file() const { return trust_file_; }
  // Where indexes of code are kept: beside the sessions. Empty when none are wanted, or without a
  // home folder.
  std::filesystem::path entity_folder() const;
  std::optional<int> max_tokens() const;
  std::optional<int> context_tokens() const;
  Limits limits(Limits own) const;  // those of the settings on top of an agent's own
  std::optional<ReasoningEffort> reasoning() const;
  HttpTimeouts http_timeouts() const;
  RetryOptions http_retries() const;
  // What the file, the environment and --set say. `own` is what the agent's own file says: it
  // counts where neither --set nor [agents.NAME] says something.
  SettingValue value(const ConfigKey& key, std::string_view agent, const OwnValues& own) const;
  ToolExecutionOptions tool_execution(std::string_view agent, const OwnValues& own = {}) const;
  // `wright run --debug` has the last word.
  DebugOptions debug(std::string_view agent, const OwnValues& own = {}) const;
  // Those of --set, then those of the file.
  std::vector<intercept::PermissionRule> permissions() const;
  std::vector<CommandRule> command_rules() const;
  // What programs that tools start get to see of the environment.
  const Variables& command_environment() const { return command_environment_; }
  // Those of the file. Empty without one.
  std::vector<McpServer> mcp_servers() const {
    return file_ ? file_->mcp_servers : std::vector<McpServer>{};
  }
  // The person's home and the folder of their configuration. Empty without a home.
  const std::filesystem::path& home_folder() const { return home_folder_; }
  const std::filesystem::path& person_folder() const { return person_folder_; }
  const std::filesystem::path& temporary_folder() const { return temporary_folder_; }
  // What no tool may read or change; see own_files.h.
  const OwnFiles& own_files() const { return own_files_; }
  bool flag(const ConfigKey& key) const;
  std::optional<int> count(const ConfigKey& key) const;
  std::vector<std::string> list(const ConfigKey& key) const;
  std::chrono::milliseconds duration(const ConfigKey& key) const;
  std::string text(const ConfigKey& key) const;  // empty when nothing sets it
  // Every key that is set, so that none is shown or logged.
  std::vector<std::string> secrets() const;
  // Knows them, and what models learn on the way; all copies of the settings share it.
  const Redactor& redactor() const { return redactor_; }

 private:
  friend Result<Settings> load_settings(const SettingFlags&, const Environment&);
  SettingFlags flags_;
  std::vector<Setting> all_;
  StorePlace store_;
  std::vector<AgentSetting> of_agents_;
  std::vector<std::pair<std::string, std::string>> catalogue_flags_;
  RuleFlags rule_flags_;
  std::optional<ConfigFile> file_;
  Variables command_environment_;
  OwnFiles own_files_;
  std::filesystem::path temporary_folder_;
  std::filesystem::path output_folder_;
  std::filesystem::path trust_file_;
  std::filesystem::path home_folder_;
  std::filesystem::path person_folder_;
  Redactor redactor_;
};

struct ConfigLocation {
  std::filesystem::path path;  // empty without a home folder
  Origin origin;
  bool must_exist() const { return origin.source != Source::fallback; }
};
ConfigLocation locate_config(const SettingFlags& flags, const Environment& environment);

// Reads the configuration file if there is one; one that was asked for must be there.
Result<Settings> load_settings(const SettingFlags& flags, const Environment& environment);

// Enough of a key to recognise it ("sk-…c3f2"); short or odd ones are hidden whole.
std::string masked(std::string_view secret);

}  // namespace wright::app
