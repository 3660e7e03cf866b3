// Every key of the configuration file, once. Reading, `wright config`, `wright config init`,
// `wright doctor` and the help all go by this table.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace wright::app {

enum class KeyType : std::uint8_t {
  text,
  path,
  secret,
  flag,
  count,
  choice,    // one of the key's words
  duration,  // "250ms", "30s", "5m", "1h", or one of the key's words
  rate,      // "5/s", "100/min", "1000/h", or one of the key's words
  names,     // an array of the key's words, or of any when it has none, each at most once
};

inline constexpr std::int64_t kMostIterations = 1'000'000;

struct ConfigKey {
  std::string_view section;
  std::string_view name;
  KeyType type;
  std::string_view environment_variable;  // empty when none sets it
  std::string_view flag;                  // empty when none sets it
  std::string_view description;
  std::string_view example;  // as it stands in the file of `wright config init`
  std::int64_t least = 1;    // KeyType::count
  std::int64_t most = kMostIterations;
  std::string_view fallback = {};  // as it would stand after --set; the example when that is empty
  std::string_view words = {};     // what may be said instead of a number, "a, b, c"
  bool file_wins = false;          // over the environment variable

  std::string full_name() const { return std::string(section) + "." + std::string(name); }
};

namespace keys {
inline constexpr ConfigKey kDatabasePath{
    "agent",
    "database_path",
    KeyType::path,
    "WRIGHT_DATABASE_PATH",
    "--database-path",
    "where sessions are kept; \":memory:\": in memory, gone with the process",
    "\"~/.local/share/wright/agents.db\""};
inline constexpr ConfigKey kBasePath{
    "agent",
    "base_path",
    KeyType::path,
    "WRIGHT_BASE_PATH",
    "--base-path",
    "the folder that tools may read; a relative one counts from where wright is started",
    "\".\""};
inline constexpr ConfigKey kDatabase{"agent",       "database",
                                     KeyType::path, "WRIGHT_DATABASE",
                                     "--database",  "the SQLite file that sqlite-analysis reads",
                                     "\"shop.db\""};
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
constexpr ConfigKey agent(std::string_view name, KeyType type, std::string_view description,
                          std::string_view example, std::string_view words = {}) {
  return {"agent", name, type, "", "", description, example, 1, 10'000'000, "", words};
}
inline constexpr ConfigKey kFallback =
    agent("fallback", KeyType::names, "models to ask, in order, when the first does not answer",
          "[\"anthropic:claude-sonnet-4-5\", \"ollama:qwen3\"]");
inline constexpr ConfigKey kMaxTokens =
    agent("max_tokens", KeyType::count,
          "how long one answer of the model may be; each agent has its own default", "4000");
inline constexpr ConfigKey kContextTokens =
    agent("context_tokens", KeyType::count,
          "tokens of a request and its answer, beyond which old parts of a conversation are sent "
          "shortened or summarised; without it, as many as the model reads",
          "200000");
inline constexpr ConfigKey kReadable =
    agent("readable", KeyType::names, "folders beside base_path that file tools may read",
          "[\"/usr/include\"]");
inline constexpr ConfigKey kWritable =
    agent("writable", KeyType::names,
          "folders that write_file and apply_patch may change; \".\" is base_path", "[\".\"]");
inline constexpr ConfigKey kUndo{"agent",
                                 "undo",
                                 KeyType::flag,
                                 "",
                                 "",
                                 "whether what coding replaces in files is kept, so that it can be "
                                 "taken back",
                                 "",
                                 0,
                                 0,
                                 "true"};
inline constexpr ConfigKey kReasoning =
    agent("reasoning", KeyType::choice, "how long a model that can think should do so", "\"low\"",
          "none, low, medium, high");

inline constexpr ConfigKey kVendorTools = agent(
    "vendor_tools", KeyType::names,
    "tools that run at the model's vendor, where it has them: what they read is not checked here",
    "[\"web_search\"]", "web_search, web_fetch, code_execution");

constexpr ConfigKey limit(std::string_view name, KeyType type, std::string_view fallback,
                          std::string_view description) {
  return {"limits", name, type, "", "", description, "", 0, 1'000'000'000, fallback};
}
inline constexpr ConfigKey kLimitToolCalls =
    limit("tool_calls", KeyType::count, "0",
          "tool calls for one prompt, specialists included; 0: any number");
inline constexpr ConfigKey kLimitTokens =
    limit("tokens", KeyType::count, "0", "tokens of a session, in and out; 0: any number");
inline constexpr ConfigKey kLimitCents =
    limit("cents", KeyType::count, "0", "US cents that a session may cost; 0: any sum");
inline constexpr ConfigKey kLimitTime{
    "limits", "time", KeyType::duration,
    "",       "",     "from the prompt to the answer; without it, any time",
    "\"10m\""};
inline constexpr ConfigKey kLimitRepeats =
    limit("repeats", KeyType::count, "6", "the same call with the same result; 0: any number");

inline constexpr ConfigKey kDurability{
    "sessions",
    "durability",
    KeyType::choice,
    "",
    "",
    "normal: nothing is lost when the process is killed; full: nor when the power fails",
    "",
    0,
    0,
    "normal",
    "normal, full"};
inline constexpr ConfigKey kStore{
    "sessions",
    "store",
    KeyType::text,
    "WRIGHT_STORE",
    "--store",
    "where sessions are kept, instead of agent.database_path: a path, or a PostgreSQL that many "
    "machines share",
    "\"postgresql://wright@db.example.com/wright\""};
inline constexpr ConfigKey kMaxQueued{
    "sessions",
    "max_queued",
    KeyType::count,
    "",
    "",
    "how many sessions may wait in the queue; more are refused. 0: any number",
    "10000",
    0,
    kMostIterations,
    "0"};
inline constexpr ConfigKey kMaxQueuedPerTenant{"sessions",
                                               "max_queued_per_tenant",
                                               KeyType::count,
                                               "",
                                               "",
                                               "the same for each tenant by itself",
                                               "1000",
                                               0,
                                               kMostIterations,
                                               "0"};
inline constexpr ConfigKey kOutputFolder{
    "sessions",
    "output_folder",
    KeyType::path,
    "WRIGHT_OUTPUT_FOLDER",
    "",
    "where what is too long for a model is kept as files, for tools that read more of it; workers "
    "on several machines need a folder that they share",
    "\"/mnt/shared/wright/output\""};
inline constexpr ConfigKey kAutomaticResume{
    "sessions",
    "resume",
    KeyType::flag,
    "WRIGHT_RESUME",
    "",
    "whether `wright run` goes on, when it has answered, with sessions that a crash interrupted",
    "",
    0,
    0,
    "true"};

inline constexpr ConfigKey kSessionSearch{
    "sessions",
    "search",
    KeyType::choice,
    "",
    "",
    "whether agents have the tool search_session, which finds what requests leave out; auto: those "
    "whose model reads less than 100,000 tokens",
    "",
    0,
    0,
    "auto",
    "auto, on, off"};

constexpr ConfigKey http(std::string_view name, KeyType type, std::string_view fallback,
                         std::string_view description) {
  return {"http", name, type, "", "", description, "", 0, 1'000, fallback};
}
inline constexpr ConfigKey kConnectTimeout =
    http("connect_timeout", KeyType::duration, "10s", "how long a connection may take");
inline constexpr ConfigKey kFirstByteTimeout =
    http("first_byte_timeout", KeyType::duration, "10m", "until an answer begins");
inline constexpr ConfigKey kIdleTimeout =
    http("idle_timeout", KeyType::duration, "2m", "silence in the middle of an answer");
inline constexpr ConfigKey kTotalTimeout =
    http("total_timeout", KeyType::duration, "30m", "one attempt from beginning to end");
inline constexpr ConfigKey kRetries =
    http("retries", KeyType::count, "3", "further attempts after a failure that may pass");
inline constexpr ConfigKey kDeadline =
    http("deadline", KeyType::duration, "30m", "all attempts for one answer together");
inline constexpr ConfigKey kCaFile{"http",
                                   "ca_file",
                                   KeyType::path,
                                   "",
                                   "",
                                   "certificate authorities to trust instead of the system's",
                                   "\"/etc/ssl/certs/ca-certificates.crt\""};

inline constexpr ConfigKey kZaiCodingPlan{"api_keys",
                                          "zai_coding_plan",
                                          KeyType::flag,
                                          "",
                                          "",
                                          "whether the Z.ai key belongs to a coding plan",
                                          "true"};

constexpr ConfigKey tool_execution(std::string_view name, KeyType type, std::string_view fallback,
                                   std::string_view description, std::string_view words = {}) {
  return {"tool_execution", name, type, "", "", description, "", 0, 1'000'000'000, fallback, words};
}
inline constexpr ConfigKey kEnableValidation = tool_execution(
    "enable_validation", KeyType::flag, "true", "check arguments before a tool runs");
inline constexpr ConfigKey kStrictness = tool_execution(
    "strictness", KeyType::choice, "strict",
    "refuse arguments that do not fit, or (lenient) warn and go on", "strict, lenient");
inline constexpr ConfigKey kCoercion =
    tool_execution("coercion", KeyType::flag, "false",
                   "put unambiguous mistakes right: \"5\" for 5, one value for a list of one");
inline constexpr ConfigKey kRetryBudget = tool_execution(
    "retry_budget", KeyType::count, "2",
    "further calls of a tool that may be refused before the model is told to stop trying");
inline constexpr ConfigKey kEnableLogging =
    tool_execution("enable_logging", KeyType::flag, "true", "log the start and the end of calls");
inline constexpr ConfigKey kLogArguments =
    tool_execution("log_arguments", KeyType::flag, "true", "with the arguments of the call");
inline constexpr ConfigKey kTruncateLogs = tool_execution(
    "truncate_logs", KeyType::count, "100", "characters of a logged value; 0: all of them");
inline constexpr ConfigKey kEnableMetadata =
    tool_execution("enable_metadata", KeyType::flag, "true", "add _execution_metadata to results");
inline constexpr ConfigKey kTimeout =
    tool_execution("timeout", KeyType::duration, "tool",
                   "how long a call may take; tool: each tool's own limit", "tool, off");
inline constexpr ConfigKey kRetryAttempts{
    "tool_execution",
    "retry_attempts",
    KeyType::count,
    "",
    "",
    "tries in all for what fails for a passing reason, never of tools that write",
    "",
    1,
    1'000'000'000,
    "1"};
inline constexpr ConfigKey kRetryPause = tool_execution("retry_pause", KeyType::duration, "100ms",
                                                        "before the second try; doubled each time");
inline constexpr ConfigKey kRetryLongestPause =
    tool_execution("retry_longest_pause", KeyType::duration, "5s", "what that doubling ends at");
inline constexpr ConfigKey kCircuitBreakerFailures =
    tool_execution("circuit_breaker_failures", KeyType::count, "0",
                   "failures in a row after which a tool is left alone for a while; 0: never");
inline constexpr ConfigKey kCircuitBreakerPause =
    tool_execution("circuit_breaker_pause", KeyType::duration, "60s", "how long that is");
inline constexpr ConfigKey kRateLimit =
    tool_execution("rate_limit", KeyType::rate, "off", "calls of each tool, such as 5/s", "off");
inline constexpr ConfigKey kRateLimitBurst =
    tool_execution("rate_limit_burst", KeyType::count, "10", "how many may come at once");
inline constexpr ConfigKey kRateLimitAction =
    tool_execution("rate_limit_action", KeyType::choice, "refuse",
                   "what happens to calls above the rate", "refuse, wait");
inline constexpr ConfigKey kCacheEntries =
    tool_execution("cache_entries", KeyType::count, "0",
                   "results of tools that read that are remembered during a run; 0: none");
inline constexpr ConfigKey kCacheAge = tool_execution("cache_age", KeyType::duration, "off",
                                                      "how long; off: for the whole run", "off");
inline constexpr ConfigKey kOutputLimit =
    tool_execution("output_limit", KeyType::count, "0",
                   "bytes of a result that a model reads; 0: each tool's own limit, which holds "
                   "in any case");
inline constexpr ConfigKey kRedaction = tool_execution(
    "redaction", KeyType::flag, "true", "hide keys and tokens in results and errors");

inline constexpr ConfigKey kDebugEnabled{"debug",
                                         "enabled",
                                         KeyType::flag,
                                         "WRIGHT_AGENT_DEBUG",
                                         "--debug",
                                         "tell after a run how well the tools served",
                                         "",
                                         0,
                                         0,
                                         "false",
                                         "",
                                         true};
constexpr ConfigKey debug(std::string_view section, std::string_view name,
                          std::string_view fallback, std::string_view description) {
  return {section, name, KeyType::flag, "", "", description, "", 0, 0, fallback};
}
inline constexpr ConfigKey kVerboseLogging =
    debug("debug", "verbose_logging", "false", "log every call and finding of debug mode");
inline constexpr ConfigKey kTrackPerformance =
    debug("debug", "track_performance", "false", "add the times of tools to the feedback");
inline constexpr ConfigKey kFeedbackEnabled =
    debug("debug.tool_feedback", "enabled", "true", "give feedback in debug mode");
inline constexpr ConfigKey kIncludeReasoning =
    debug("debug.tool_feedback", "include_reasoning", "true", "why tools were chosen, or not");
inline constexpr ConfigKey kIncludeLimitations =
    debug("debug.tool_feedback", "include_limitations", "true", "what could not be done");
inline constexpr ConfigKey kIncludeSuggestions =
    debug("debug.tool_feedback", "include_suggestions", "true", "what would help");
inline constexpr ConfigKey kIncludeAlternatives =
    debug("debug.tool_feedback", "include_alternatives", "false", "other ways to the answer");

inline constexpr ConfigKey kLogLevel{"log",
                                     "level",
                                     KeyType::choice,
                                     "WRIGHT_LOG_LEVEL",
                                     "--log-level",
                                     "debug (every tool call), info, warning, error or off",
                                     "\"off\"",
                                     1,
                                     kMostIterations,
                                     "",
                                     "debug, info, warning, error, off"};
inline constexpr ConfigKey kLogFormat{"log",           "format",
                                      KeyType::choice, "WRIGHT_LOG_FORMAT",
                                      "--log-format",  "text, or json for one object a line",
                                      "\"text\"",      1,
                                      kMostIterations, "text",
                                      "text, json"};
inline constexpr ConfigKey kLogFile{"log",
                                    "file",
                                    KeyType::path,
                                    "WRIGHT_LOG_FILE",
                                    "--log-file",
                                    "where the log goes instead of standard error",
                                    "\"~/.local/state/wright/log.jsonl\""};

inline constexpr ConfigKey kProjectMayAllow{
    "hooks",
    "project_may_allow",
    KeyType::flag,
    "",
    "",
    "whether hooks that came with a folder, and were agreed to, may allow calls that a person "
    "would be asked about, as their own hooks may",
    "",
    1,
    kMostIterations,
    "false"};
inline constexpr ConfigKey kTerminalPlain{
    "terminal",
    "plain",
    KeyType::flag,
    "WRIGHT_PLAIN",
    "",
    "for screen readers: nothing moves the cursor or is drawn anew, words stand in place of marks",
    "",
    1,
    kMostIterations,
    "false"};
inline constexpr ConfigKey kTerminalNotify{
    "terminal",
    "notify",
    KeyType::text,
    "",
    "",
    "how a person learns that they are waited for: \"bell\", \"osc9\" (a notice of the desktop), "
    "\"off\", or a command, which finds the words in $WRIGHT_NOTICE",
    "\"bell\"",
    1,
    kMostIterations,
    "bell"};
inline constexpr ConfigKey kTerminalNotifyAfter{
    "terminal",
    "notify_after",
    KeyType::duration,
    "",
    "",
    "how long a turn must take for its end to be told of, too",
    "",
    1,
    kMostIterations,
    "10s"};

inline constexpr ConfigKey kAcpTerminals{
    "acp",  "terminals", KeyType::flag,
    "",     "",          "wright acp: commands run in terminals of the editor, in the same sandbox",
    "",     1,           kMostIterations,
    "false"};

constexpr ConfigKey bash(std::string_view name, KeyType type, std::string_view description,
                         std::string_view example, std::string_view fallback = {},
                         std::string_view words = {}) {
  return {"bash", name, type, "", "", description, example, 1, kMostIterations, fallback, words};
}
inline constexpr ConfigKey kBashPreset =
    bash("preset", KeyType::choice, "which commands may run beside those of [bash.rules]", "",
         "read_only", "none, minimal, read_only, workspace");
inline constexpr ConfigKey kBashSandbox =
    bash("sandbox", KeyType::choice,
         "required refuses where a layer is missing, best_effort goes without it", "",
         "best_effort", "required, best_effort, off");
inline constexpr ConfigKey kBashNetwork =
    bash("network", KeyType::choice, "local: Unix sockets only", "", "off", "off, local, on");
inline constexpr ConfigKey kBashReadPaths =
    bash("read_paths", KeyType::text, "what else commands may read, separated by colons",
         "\"/srv/data\"");
inline constexpr ConfigKey kBashWritePaths =
    bash("write_paths", KeyType::text, "what else commands may write, separated by colons",
         "\"/var/tmp/out\"");
inline constexpr ConfigKey kBashProtected =
    bash("protected", KeyType::names,
         "what commands may not change, there or not: names, paths below the base, absolute paths, "
         "or none",
         "", ".git, .wright");
inline constexpr ConfigKey kBashUnreadable = bash(
    "unreadable", KeyType::names,
    "files that look empty to commands: **/ stands for any folders, * and ? for characters; or "
    "none",
    "",
    "**/.env, **/*.env, **/.env.local, **/.env.*.local, **/.env.production, **/.env.prod, "
    "**/.env.staging, **/.netrc, **/.pgpass, **/.pypirc, "
    "**/id_rsa, **/id_dsa, **/id_ecdsa, **/id_ed25519, **/.git-credentials, "
    "**/.aws/credentials");

constexpr ConfigKey web(std::string_view name, KeyType type, std::string_view description,
                        std::string_view example, std::string_view fallback = {}) {
  return {"web", name, type, "", "", description, example, 1, 1'000'000'000, fallback};
}
inline constexpr ConfigKey kWebFetch = web(
    "fetch", KeyType::flag, "whether there is the tool fetch_url, which reads pages", "", "false");
inline constexpr ConfigKey kWebSearch = web(
    "search", KeyType::text,
    "what the tool web_search asks: an endpoint that answers as SearXNG does; none: no such tool",
    "\"https://searx.example/search\"");
inline constexpr ConfigKey kWebSearchKey{"web",
                                         "search_key",
                                         KeyType::secret,
                                         "WEBSEARCH_API_KEY",
                                         "",
                                         "the key of that endpoint, if it needs one",
                                         {}};
inline constexpr ConfigKey kWebSearchHeader = web(
    "search_header", KeyType::text, "the header in which that key is sent", "", "Authorization");
inline constexpr ConfigKey kWebAllow =
    web("allow", KeyType::names,
        "hosts and networks that may be fetched although they are not of the public internet",
        "[\"intranet.example\", \"10.1.0.0/16\", \"localhost:8080\"]");
inline constexpr ConfigKey kWebDeny =
    web("deny", KeyType::names, "hosts and networks that may not be fetched in any case",
        "[\"tracker.example\"]");
inline constexpr ConfigKey kWebPorts =
    web("ports", KeyType::names, "ports that may be fetched from; any: all of them", "", "80, 443");
inline constexpr ConfigKey kWebTimeout =
    web("timeout", KeyType::duration, "how long one page or search may take", "", "30s");
inline constexpr ConfigKey kWebMaxBytes =
    web("max_bytes", KeyType::count, "how much of a page is read", "", "5000000");
inline constexpr ConfigKey kWebProxy =
    web("proxy", KeyType::text, "a proxy for pages; it must keep private addresses apart then",
        "\"http://proxy.example:3128\"");
inline constexpr ConfigKey kEntityIndex{
    "entities",
    "index",
    KeyType::flag,
    "WRIGHT_ENTITY_INDEX",
    "",
    "keep an index of classes, functions, … for the tools that search by them",
    "",
    1,
    1,
    "true"};
inline constexpr ConfigKey kEmbeddingModel{"entities.embeddings",
                                           "model",
                                           KeyType::text,
                                           "WRIGHT_EMBEDDING_MODEL",
                                           "",
                                           "\"vendor:name\" of a model that makes vectors: "
                                           "semantic_search then finds by meaning, too, and "
                                           "sends names, signatures and comments there",
                                           "\"openai:text-embedding-3-small\""};
inline constexpr ConfigKey kEmbeddingTime{"entities.embeddings",
                                          "time",
                                          KeyType::duration,
                                          "",
                                          "",
                                          "how long one search may make vectors that are missing",
                                          "",
                                          0,
                                          1'000,
                                          "1m"};

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
    keys::kFallback,
    keys::kMaxTokens,
    keys::kContextTokens,
    keys::kReasoning,
    keys::kVendorTools,
    keys::kReadable,
    keys::kWritable,
    keys::kUndo,
    keys::kDatabase,
    keys::kLimitToolCalls,
    keys::kLimitTokens,
    keys::kLimitCents,
    keys::kLimitTime,
    keys::kLimitRepeats,
    keys::kStore,
    keys::kDurability,
    keys::kAutomaticResume,
    keys::kMaxQueued,
    keys::kMaxQueuedPerTenant,
    keys::kOutputFolder,
    keys::kSessionSearch,
    keys::kEnableValidation,
    keys::kStrictness,
    keys::kCoercion,
    keys::kRetryBudget,
    keys::kEnableLogging,
    keys::kLogArguments,
    keys::kTruncateLogs,
    keys::kEnableMetadata,
    keys::kTimeout,
    keys::kRetryAttempts,
    keys::kRetryPause,
    keys::kRetryLongestPause,
    keys::kCircuitBreakerFailures,
    keys::kCircuitBreakerPause,
    keys::kRateLimit,
    keys::kRateLimitBurst,
    keys::kRateLimitAction,
    keys::kCacheEntries,
    keys::kCacheAge,
    keys::kOutputLimit,
    keys::kRedaction,
    keys::kDebugEnabled,
    keys::kVerboseLogging,
    keys::kTrackPerformance,
    keys::kFeedbackEnabled,
    keys::kIncludeReasoning,
    keys::kIncludeLimitations,
    keys::kIncludeSuggestions,
    keys::kIncludeAlternatives,
    keys::kLogLevel,
    keys::kLogFormat,
    keys::kLogFile,
    keys::kConnectTimeout,
    keys::kFirstByteTimeout,
    keys::kIdleTimeout,
    keys::kTotalTimeout,
    keys::kRetries,
    keys::kDeadline,
    keys::kCaFile,
    keys::kBashPreset,
    keys::kBashSandbox,
    keys::kBashNetwork,
    keys::kBashReadPaths,
    keys::kBashWritePaths,
    keys::kBashProtected,
    keys::kBashUnreadable,
    keys::kProjectMayAllow,
    keys::kTerminalPlain,
    keys::kTerminalNotify,
    keys::kTerminalNotifyAfter,
    keys::kAcpTerminals,
    keys::kWebFetch,
    keys::kWebSearch,
    keys::kWebSearchKey,
    keys::kWebSearchHeader,
    keys::kWebAllow,
    keys::kWebDeny,
    keys::kWebPorts,
    keys::kWebTimeout,
    keys::kWebMaxBytes,
    keys::kWebProxy,
    keys::kEntityIndex,
    keys::kEmbeddingModel,
    keys::kEmbeddingTime,
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
    keys::secret("azure_api_key", "AZURE_OPENAI_API_KEY", "Azure OpenAI"),
    keys::secret("bedrock_api_key", "AWS_BEARER_TOKEN_BEDROCK", "Amazon Bedrock"),
    keys::secret("vertex_api_key", "GOOGLE_OAUTH_ACCESS_TOKEN", "Google Vertex AI"),
    keys::secret("vertex_anthropic_api_key", "GOOGLE_OAUTH_ACCESS_TOKEN", "Anthropic on Vertex AI"),
    keys::secret("moonshot_api_key", "MOONSHOT_API_KEY", "Moonshot AI"),
    keys::secret("qwen_api_key", "DASHSCOPE_API_KEY", "Qwen"),
    keys::secret("minimax_api_key", "MINIMAX_API_KEY", "MiniMax"),
    keys::secret("fireworks_api_key", "FIREWORKS_API_KEY", "Fireworks AI"),
    keys::secret("perplexity_api_key", "PERPLEXITY_API_KEY", "Perplexity"),
    keys::secret("cohere_api_key", "COHERE_API_KEY", "Cohere"),
    keys::secret("nvidia_api_key", "NVIDIA_API_KEY", "NVIDIA"),
    keys::secret("sambanova_api_key", "SAMBANOVA_API_KEY", "SambaNova"),
    keys::secret("huggingface_api_key", "HF_TOKEN", "Hugging Face"),
    keys::secret("github_api_key", "GITHUB_MODELS_TOKEN", "GitHub Models"),
    keys::secret("cloudflare_api_key", "CLOUDFLARE_API_TOKEN", "Cloudflare"),
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
// and for each agent what differs from [tool_execution] and [debug]:
//
//   [agents.codebase-analysis.tool_execution]
//   enable_metadata = false
inline constexpr std::string_view kPermissions = "permissions";
inline constexpr std::string_view kBash = "bash";
inline constexpr std::string_view kRules = "rules";
inline constexpr std::string_view kAgentSections = "agents";
inline constexpr std::string_view kToolExecution = "tool_execution";
inline constexpr std::array<std::string_view, 2> kSectionsOfAgents{kToolExecution, "debug"};

// And vendors and models of the user's own, or what differs from the catalogue's rows:
//
//   [vendors.gateway]
//   base_url = "http://localhost:8000/v1"
//
//   [models."openai:gpt-5-mini"]
//   context_tokens = 400000
inline constexpr std::string_view kVendorRows = "vendors";
inline constexpr std::string_view kModelRows = "models";

// And MCP servers; see mcp_servers.h.
inline constexpr std::string_view kMcp = "mcp";

}  // namespace wright::app
