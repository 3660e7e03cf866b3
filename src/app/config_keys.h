// Every key of the configuration file, once. Reading, `wright config`, `wright config init`,
// `wright doctor` and the help all go by this table.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace wright::app {

enum class KeyType : std::uint8_t { text, path, secret, flag, count };

struct ConfigKey {
  std::string_view section;
  std::string_view name;
  KeyType type;
  std::string_view environment_variable;  // empty when none sets it
  std::string_view flag;                  // empty when none sets it
  std::string_view description;
  std::string_view example;  // as it stands in the file of `wright config init`
  std::int64_t least = 1;    // KeyType::count

  std::string full_name() const { return std::string(section) + "." + std::string(name); }
};

namespace keys {
inline constexpr ConfigKey kDatabasePath{"agent",
                                         "database_path",
                                         KeyType::path,
                                         "WRIGHT_DATABASE_PATH",
                                         "--database-path",
                                         "where sessions are kept",
                                         "\"~/.local/share/wright/agents.db\""};
inline constexpr ConfigKey kBasePath{
    "agent",
    "base_path",
    KeyType::path,
    "WRIGHT_BASE_PATH",
    "--base-path",
    "the folder that tools may read; a relative one counts from where wright is started",
    "\".\""};
inline constexpr ConfigKey kModel{
    "agent",        "model",   KeyType::text,
    "WRIGHT_MODEL", "--model", "\"offline\" (no key, no network) or \"vendor:name\"",
    "\"offline\""};
inline constexpr ConfigKey kMaxIterations{
    "agent",
    "max_iterations",
    KeyType::count,
    "WRIGHT_MAX_ITERATIONS",
    "--max-iterations",
    "how often the model may be asked for one prompt; each agent has its own default",
    "10"};
inline constexpr ConfigKey kZaiCodingPlan{"api_keys",
                                          "zai_coding_plan",
                                          KeyType::flag,
                                          "",
                                          "",
                                          "whether the Z.ai key belongs to a coding plan",
                                          "true"};

constexpr ConfigKey tool_execution(std::string_view name, KeyType type,
                                   std::string_view description, std::string_view example) {
  return {"tool_execution", name, type, "", "", description, example, 0};
}
inline constexpr ConfigKey kEnableValidation = tool_execution(
    "enable_validation", KeyType::flag, "check arguments before a tool runs", "true");
inline constexpr ConfigKey kEnableLogging =
    tool_execution("enable_logging", KeyType::flag, "log the start and the end of calls", "true");
inline constexpr ConfigKey kEnableMetadata =
    tool_execution("enable_metadata", KeyType::flag, "add _execution_metadata to results", "true");
inline constexpr ConfigKey kLogArguments =
    tool_execution("log_arguments", KeyType::flag, "with the arguments of the call", "true");
inline constexpr ConfigKey kTruncateLogs = tool_execution(
    "truncate_logs", KeyType::count, "characters of a logged value; 0: all of them", "100");

inline constexpr ConfigKey kLogLevel{
    "log",         "level",
    KeyType::text, "WRIGHT_LOG_LEVEL",
    "--log-level", "debug (every tool call), info, warning, error or off",
    "\"off\""};
inline constexpr ConfigKey kLogFormat{"log",          "format",
                                      KeyType::text,  "WRIGHT_LOG_FORMAT",
                                      "--log-format", "text, or json for one object a line",
                                      "\"text\""};
inline constexpr ConfigKey kLogFile{"log",
                                    "file",
                                    KeyType::path,
                                    "WRIGHT_LOG_FILE",
                                    "--log-file",
                                    "where the log goes instead of standard error",
                                    "\"~/.local/state/wright/log.jsonl\""};

constexpr ConfigKey bash(std::string_view name, std::string_view description,
                         std::string_view example) {
  return {"bash", name, KeyType::text, "", "", description, example};
}
inline constexpr ConfigKey kBashPreset = bash(
    "preset", "which commands may run: none, minimal, read_only or workspace", "\"read_only\"");
inline constexpr ConfigKey kBashSandbox = bash(
    "sandbox", "required (refuse where a layer is missing), best_effort or off", "\"best_effort\"");
inline constexpr ConfigKey kBashNetwork =
    bash("network", "off, local (Unix sockets only) or on", "\"off\"");
inline constexpr ConfigKey kBashReadPaths =
    bash("read_paths", "what else commands may read, separated by colons", "\"/srv/data\"");
inline constexpr ConfigKey kBashWritePaths =
    bash("write_paths", "what else commands may write, separated by colons", "\"/var/tmp/out\"");

constexpr ConfigKey secret(std::string_view name, std::string_view variable,
                           std::string_view vendor) {
  return {"api_keys", name, KeyType::secret, variable, "", vendor, {}};
}
}  // namespace keys

inline constexpr std::array kConfigKeys{
    keys::kDatabasePath,
    keys::kBasePath,
    keys::kModel,
    keys::kMaxIterations,
    keys::kEnableValidation,
    keys::kEnableLogging,
    keys::kEnableMetadata,
    keys::kLogArguments,
    keys::kTruncateLogs,
    keys::kLogLevel,
    keys::kLogFormat,
    keys::kLogFile,
    keys::kBashPreset,
    keys::kBashSandbox,
    keys::kBashNetwork,
    keys::kBashReadPaths,
    keys::kBashWritePaths,
    keys::secret("openai_api_key", "OPENAI_API_KEY", "OpenAI"),
    keys::secret("anthropic_api_key", "ANTHROPIC_API_KEY", "Anthropic"),
    keys::secret("gemini_api_key", "GEMINI_API_KEY", "Google Gemini"),
    keys::secret("openrouter_api_key", "OPENROUTER_API_KEY", "OpenRouter"),
    keys::secret("zai_api_key", "ZAI_API_KEY", "Z.ai"),
    keys::kZaiCodingPlan,
    keys::secret("xai_api_key", "XAI_API_KEY", "xAI"),
    keys::secret("deepseek_api_key", "DEEPSEEK_API_KEY", "DeepSeek"),
    keys::secret("groq_api_key", "GROQ_API_KEY", "Groq"),
    keys::secret("mistral_api_key", "MISTRAL_API_KEY", "Mistral"),
    keys::secret("cerebras_api_key", "CEREBRAS_API_KEY", "Cerebras"),
    keys::secret("together_api_key", "TOGETHER_API_KEY", "Together"),
};

// Beside these, the file may say for each tool whether it may run,
//
//   [permissions]
//   "write_*" = "ask"        # or "allow", "deny"; the first line that fits counts
//
// for the commands of the tool bash,
//
//   [bash.rules]
//   "git push *" = "ask"     # likewise; before the rules of the preset
//
// and for each agent what differs from [tool_execution]:
//
//   [agents.codebase-analysis.tool_execution]
//   enable_metadata = false
inline constexpr std::string_view kPermissions = "permissions";
inline constexpr std::string_view kBash = "bash";
inline constexpr std::string_view kRules = "rules";
inline constexpr std::string_view kAgentSections = "agents";
inline constexpr std::string_view kToolExecution = "tool_execution";

inline constexpr std::int64_t kMostIterations = 1'000'000;

}  // namespace wright::app
