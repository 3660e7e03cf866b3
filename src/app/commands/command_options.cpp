// The options of every command, as CLI11 takes them.
#include "app/commands/command_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace wright::app {
namespace {

constexpr const char* kSettingsGroup = "Settings";
constexpr std::string_view kSessionId = "the session's ID";
constexpr std::string_view kAgentName = "the agent's name";
constexpr std::string_view kToolName = "the tool's name";
constexpr std::string_view kBatchId = "the id of the batch";
constexpr std::string_view kServerName = "the server's name";

std::string missing(std::string_view what) {
  return fmt::format("{} is missing", what);
}

LineCheck needs(const std::string& value, std::string_view what) {
  return [&value, what] { return value.empty() ? missing(what) : std::string(); };
}

void add_text(CLI::App& app, const char* names, std::optional<std::string>& value, const char* type,
              const char* description, const char* group = "Options") {
  app.add_option(names, value, description)->type_name(type)->group(group);
}

void add_config_option(CLI::App& app, SettingFlags& flags) {
  add_text(app, "-c,--config", flags.config, "FILE", "Configuration file", kSettingsGroup);
}

void add_database_option(CLI::App& app, SettingFlags& flags) {
  add_text(app, "--database-path", flags.database_path, "FILE",
           "Where sessions are kept; :memory: for the process only", kSettingsGroup);
  add_text(app, "--store", flags.store, "PLACE", "The same: a path, or postgresql://…",
           kSettingsGroup);
}

// For commands that can be clients of a server.
void add_server_option(CLI::App& app, SettingFlags& flags) {
  flags.may_be_client = true;
  add_text(app, "--server", flags.server, "URL", "Let this server do it (WRIGHT_SERVER)",
           kSettingsGroup);
}

void add_store_options(CLI::App& app, SettingFlags& flags) {
  add_database_option(app, flags);
  add_server_option(app, flags);
}

void add_base_path_option(CLI::App& app, SettingFlags& flags) {
  add_text(app, "--base-path", flags.base_path, "FOLDER", "The folder that tools may read",
           kSettingsGroup);
  add_text(app, "--database,--db-path", flags.database, "FILE",
           "The SQLite file that sqlite-analysis reads", kSettingsGroup);
}

void add_model_options(CLI::App& app, SettingFlags& flags) {
  add_text(app, "--model", flags.model, "MODEL", "offline, or vendor:name", kSettingsGroup);
  app.add_option("--max-iterations", flags.max_iterations,
                 "How often the model may be asked for one prompt")
      ->type_name("N")
      ->group(kSettingsGroup);
}

void add_log_options(CLI::App& app, SettingFlags& flags) {
  add_text(app, "--log-level", flags.log_level, "LEVEL",
           "Log at debug (every tool call), info, warning, error, or off", kSettingsGroup);
  add_text(app, "--log-format", flags.log_format, "FORMAT", "text (the default) or json",
           kSettingsGroup);
  add_text(app, "--log-file", flags.log_file, "FILE",
           "Append the log there instead of standard error", kSettingsGroup);
}

void add_set_option(CLI::App& app, SettingFlags& flags) {
  app.add_option("--set", flags.set, "Any key of the configuration file, for this once")
      ->type_name("KEY=VALUE")
      ->group(kSettingsGroup)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);  // words that follow are not its
}

void add_all_settings(CLI::App& app, SettingFlags& flags) {
  add_config_option(app, flags);
  add_database_option(app, flags);
  add_base_path_option(app, flags);
  add_model_options(app, flags);
}

void add_json(CLI::App& app, OutputFormat& output, const char* description) {
  app.add_flag_callback(
      "--json", [&output] { output = OutputFormat::json; }, description);
}

// How a run is shown, and what it goes by.
template <class C>
void add_run_options(CLI::App& app, C& command) {
  app.add_flag_callback(
      "-q,--quiet", [&command] { command.verbosity = Verbosity::quiet; }, "No progress");
  app.add_flag_callback(
      "--stream", [&command] { command.streaming = Streaming::on; },
      "Print text as it comes, as on a terminal");
  app.add_flag_callback(
      "--no-stream", [&command] { command.streaming = Streaming::off; },
      "Print the answer when it is complete");
  app.add_flag_callback(
      "--no-input", [&command] { command.input = Input::none; },
      "Nobody is there: tools that ask are told so at once");
  app.add_flag_callback(
      "--debug", [&command] { command.debug = true; },
      "Tell after the answer how well the tools served");
  app.add_flag_callback(
      "--no-debug", [&command] { command.debug = false; }, "Do not, whatever the settings say");
  add_text(app, "--trace-http", command.settings.trace_http, "FILE",
           "Append all traffic with models there, keys masked");
  add_all_settings(app, command.settings);
  add_server_option(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
}

// Words with commas between them, or the option several times.
void add_list(CLI::App& app, const char* name, std::vector<std::string>& value, const char* type,
              const char* description) {
  app.add_option(name, value, description)
      ->type_name(type)
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

// A time as people write it: 250ms, 30s, 5m.
void add_duration(CLI::App& app, const char* name, std::chrono::milliseconds& value,
                  const char* description) {
  app.add_option_function<std::string>(
         name,
         [&value, name](const std::string& text) {
           const auto duration = duration_from(text);
           if (!duration || duration->count() < 0) {
             throw CLI::ValidationError(name,
                                        "must be a time such as 500ms, 30s or 5m, not " + text);
           }
           value = *duration;
         },
         description)
      ->type_name("TIME");
}

void add_refresh(CLI::App& app, Taking& taking) {
  app.add_flag_callback(
      "--refresh", [&taking] { taking = Taking::as_now; },
      "With the agent and the settings as they are now, not as the session began");
}

// What both that look at many sessions have.
template <class C>
void describe_survey(CLI::App& app, C& command) {
  add_text(app, "--agent", command.agent, "AGENT", "Only sessions of this agent");
  add_text(app, "--since", command.since, "WHEN", "Only newer ones: 2h, 3d, today, 2026-03-01");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
}

void add_live_tools(CLI::App& app, ToolSource& tools) {
  app.add_flag_callback(
      "--live-tools", [&tools] { tools = ToolSource::live; },
      "Execute the calls again instead of taking their results from the record");
}

// AGENT and PROMPT may come as words or as options. With one option, the word is the other one.
std::string place_words(CLI::App& app, RunCommand& command) {
  std::vector<std::string> words;
  for (const char* name : {"AGENT", "PROMPT"}) {
    const CLI::Option* option = app.get_option(name);
    if (option->count() > 0) words.push_back(option->results().back());
  }
  const CLI::Option* agent = app.get_option("--agent");
  const CLI::Option* prompt = app.get_option("--prompt");
  const std::size_t room = (agent->count() > 0 ? 0U : 1U) + (prompt->count() > 0 ? 0U : 1U);
  if (words.size() > room) {
    return fmt::format("'{}' is one word too many beside --agent or --prompt", words.back());
  }
  auto word = words.begin();
  command.agent.clear();
  command.prompt.reset();
  if (agent->count() > 0) {
    command.agent = agent->results().back();
  } else if (word != words.end()) {
    command.agent = *word++;
  }
  if (prompt->count() > 0) {
    command.prompt = prompt->results().back();
  } else if (word != words.end()) {
    command.prompt = *word++;
  }
  return {};
}

}  // namespace

LineCheck describe(CLI::App& app, RunCommand& command) {
  app.add_option("AGENT", command.agent, "Which agent; see `wright agents`");
  app.add_option("PROMPT", command.prompt, "What it is asked; - or nothing reads standard input");
  app.add_option("-a,--agent", command.agent, "The agent, instead of the first word")
      ->type_name("AGENT");
  add_text(app, "-p,--prompt", command.prompt, "TEXT", "The prompt, instead of the second word");
  add_text(app, "--schema", command.schema, "FILE",
           "Print JSON that fits this JSON schema: a file, or the schema itself");
  add_json(app, command.output, "Print one JSON object: answer, status, usage, tool calls");
  app.add_flag_callback(
      "--json-events", [&command] { command.output = OutputFormat::events; },
      "Print every event as a line of JSON, as it happens");
  app.add_flag_callback(
      "--queue", [&command] { command.queueing.is_wanted = true; },
      "Only queue it, for a `wright worker`, and print its number");
  app.add_option("--priority", command.queueing.priority, "In the queue: higher ones come first")
      ->type_name("N")
      ->needs("--queue");
  add_duration(app, "--delay", command.queueing.delay,
               "In the queue: not before this time is over");
  add_list(app, "--labels", command.queueing.labels, "LABELS",
           "In the queue: only for workers that have these --labels");
  add_run_options(app, command);
  return [&app, &command] {
    const std::string problem = place_words(app, command);
    return problem.empty() && command.agent.empty() ? missing(kAgentName) : problem;
  };
}

LineCheck describe(CLI::App& app, ChatCommand& command) {
  app.add_option("AGENT", command.agent,
                 "Which agent; without one the primary agent, or codebase-analysis");
  app.add_flag_callback(
      "--continue", [&command] { command.which = ChatCommand::Which::last; },
      "Go on with the last session of this folder");
  app.add_option_function<std::string>(
         "--session",
         [&command](const std::string& id) {
           command.which = ChatCommand::Which::named;
           command.session = id;
         },
         "Go on with this session")
      ->type_name("ID")
      ->excludes("--continue");
  add_refresh(app, command.taking);
  add_run_options(app, command);
  return {};
}

LineCheck describe(CLI::App& app, ResumeCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  app.add_flag_callback(
      "--all", [&command] { command.which = ResumeCommand::Which::all; },
      "Every session that was interrupted, or whose questions are answered");
  app.add_option("--settle", command.settle,
                 "What became of a call that was under way: done, failed, or retry it")
      ->type_name("CALL=WHAT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  add_refresh(app, command.taking);
  add_json(app, command.output, "Print one JSON object: answer, status, usage, tool calls");
  add_run_options(app, command);
  return [&command]() -> std::string {
    const bool is_all = command.which == ResumeCommand::Which::all;
    if (is_all && !command.id.empty()) return "--all and an ID exclude each other";
    if (is_all && !command.settle.empty()) return "--settle needs one session's ID";
    return !is_all && command.id.empty() ? missing("the session's ID (or --all)") : "";
  };
}

LineCheck describe(CLI::App& app, AnswerCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  app.add_option("--set", command.set, "The answer to a question; twice for several choices")
      ->type_name("ID=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("--approve", command.approve,
                 "Let the call run: once (the default), or such calls for the whole session")
      ->type_name("once|session")
      ->expected(0, 1)
      ->default_str("once");
  add_text(app, "--refuse", command.refuse, "REASON",
           "Do not let the call run; the model reads why");
  add_text(app, "--answer", command.answer, "JSON", "The whole answer as JSON");
  app.add_option("--wait", command.wait, "Which wait, where there are several")->type_name("N");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
  return [&command]() -> std::string {
    if (command.id.empty()) return missing(kSessionId);
    if (command.approve && command.approve->empty()) command.approve = "once";
    const int ways = (command.set.empty() ? 0 : 1) + (command.approve ? 1 : 0) +
                     (command.refuse ? 1 : 0) + (command.answer ? 1 : 0);
    return ways > 1 ? "use one of --set, --approve, --refuse and --answer" : "";
  };
}

LineCheck describe(CLI::App& app, WaitsCommand& command) {
  add_json(app, command.output, "Print a JSON array");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ListSessionsCommand& command) {
  add_text(app, "--agent", command.agent, "AGENT", "Only sessions of this agent");
  add_text(app, "--status", command.status, "STATUS",
           "Only running, completed, failed, waiting, cancelled or queued ones");
  add_text(app, "--since", command.since, "WHEN", "Only newer ones: 2h, 3d, today, 2026-03-01");
  app.add_option("--search", command.search, "Only those with this in prompt or answer")
      ->type_name("TEXT");
  app.add_option("--limit", command.limit, "At most this many, newest first (20)")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
  add_json(app, command.output, "Print a JSON array");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ShowSessionCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  add_json(app, command.output, "Print JSON, as `wright sessions export` does");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
  return needs(command.id, kSessionId);
}

LineCheck describe(CLI::App& app, ExportSessionCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  const std::map<std::string, ExportFormat> formats{{"json", ExportFormat::json},
                                                    {"markdown", ExportFormat::markdown},
                                                    {"md", ExportFormat::markdown}};
  app.add_option_function<std::string>(
         "--format",
         [&command, formats](const std::string& name) {
           const auto found = formats.find(name);
           if (found == formats.end()) {
             throw CLI::ValidationError("--format", "must be json or markdown, not " + name);
           }
           command.format = found->second;
         },
         "json (the default) or markdown")
      ->type_name("FORMAT");
  app.add_flag_callback(
      "--cassette", [&command] { command.format = ExportFormat::cassette; },
      "A test file for `wright test`, with secrets hidden");
  add_text(app, "-o,--output", command.file, "FILE", "Write there instead of standard output");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
  return needs(command.id, kSessionId);
}

LineCheck describe(CLI::App& app, ForkSessionCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  app.add_option("--at", command.at, "The last message of the fork, as `sessions show` counts")
      ->type_name("N");
  add_json(app, command.output, "Print a JSON object with the new session's id");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
  return needs(command.id, kSessionId);
}

LineCheck describe(CLI::App& app, CancelSessionCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  add_text(app, "--reason", command.reason, "TEXT", "Why, for those who read the session");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
  return needs(command.id, kSessionId);
}

LineCheck describe(CLI::App& app, RemoveSessionsCommand& command) {
  app.add_option("ID", command.ids, "Numbers of sessions, or `last`");
  app.add_flag_callback(
      "-y,--yes", [&command] { command.confirmation = Confirmation::given; }, "Do not ask");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
  return [&command] { return command.ids.empty() ? missing(kSessionId) : std::string(); };
}

LineCheck describe(CLI::App& app, PruneSessionsCommand& command) {
  app.add_option("--older-than", command.older_than,
                 "Those that ended before then: 30d, 12w, 2026-03-01")
      ->type_name("WHEN");
  app.add_flag_callback(
      "--dry-run", [&command] { command.deletion = Deletion::rehearsed; },
      "Only tell what would be deleted");
  add_json(app, command.output, "Print a JSON object with the sessions' ids");
  add_config_option(app, command.settings);
  add_database_option(app, command.settings);
  return
      [&command] { return command.older_than.empty() ? missing("--older-than") : std::string(); };
}

LineCheck describe(CLI::App& app, WorkerCommand& command) {
  add_list(app, "--agents", command.agents, "NAMES", "Only sessions of these agents: a,b");
  add_list(app, "--labels", command.labels, "LABELS",
           "What is there that sessions may ask for: gpu,repository=shop");
  app.add_option("--concurrency", command.concurrency, "Sessions at a time (8)")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000));
  add_duration(app, "--poll", command.poll, "How often to look for work (1s)");
  add_duration(app, "--lease", command.lease,
               "After how long a silent worker is taken for dead (10s)");
  add_duration(app, "--grace", command.grace, "How long sessions may take to end at SIGTERM (30s)");
  app.add_flag_callback(
      "--until-idle", [&command] { command.lasting = WorkerCommand::Lasting::until_idle; },
      "End when there is nothing that it could do");
  app.add_flag_callback(
      "-q,--quiet", [&command] { command.verbosity = Verbosity::quiet; },
      "Do not tell of sessions");
  add_all_settings(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return [&command]() -> std::string {
    constexpr auto kShortestLease = std::chrono::milliseconds(500);
    return command.lease < kShortestLease ? "--lease must be 500ms or more" : "";
  };
}

LineCheck describe(CLI::App& app, MigrateCommand& command) {
  app.add_option("--from", command.from, "The store to copy: a path, or postgresql://…")
      ->type_name("PLACE");
  app.add_option("--to", command.to, "The store to copy to, likewise")->type_name("PLACE");
  add_json(app, command.output, "Print a JSON object with the number of rows of each table");
  add_config_option(app, command.settings);
  return [&command]() -> std::string {
    if (command.from.empty()) return missing("--from");
    return command.to.empty() ? missing("--to") : "";
  };
}

LineCheck describe(CLI::App& app, FeedbackCommand& command) {
  describe_survey(app, command);
  return {};
}

LineCheck describe(CLI::App& app, StatsCommand& command) {
  describe_survey(app, command);
  return {};
}

LineCheck describe(CLI::App& app, ReplayCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  add_live_tools(app, command.tools);
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.id, kSessionId);
}

LineCheck describe(CLI::App& app, TestCommand& command) {
  app.add_option("FILE", command.files, "Files of `wright sessions export --cassette`");
  add_live_tools(app, command.tools);
  app.add_flag_callback(
      "--update", [&command] { command.rewriting = Rewriting::when_different; },
      "Rewrite the files that differ");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_set_option(app, command.settings);
  return [&command] { return command.files.empty() ? missing("the FILE") : std::string(); };
}

LineCheck describe(CLI::App& app, ListAgentsCommand& command) {
  add_json(app, command.output, "Print a JSON array");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ShowAgentCommand& command) {
  app.add_option("NAME", command.name, "Which agent; see `wright agents`");
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.name, kAgentName);
}

LineCheck describe(CLI::App& app, NewAgentCommand& command) {
  app.add_option("NAME", command.name, "Its name: letters, digits and -");
  app.add_flag_callback(
      "--project", [&command] { command.place = AgentPlace::project; },
      "Below .wright/agents of the base folder instead of your own folder");
  add_all_settings(app, command.settings);
  return needs(command.name, kAgentName);
}

LineCheck describe(CLI::App& app, TrustAgentCommand& command) {
  app.add_option("NAME", command.name, "Which agent of the project");
  add_all_settings(app, command.settings);
  return needs(command.name, kAgentName);
}

LineCheck describe(CLI::App& app, ListToolsCommand& command) {
  add_json(app, command.output, "Print a JSON array with the schemas");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ShowToolCommand& command) {
  app.add_option("NAME", command.name, "Which tool; see `wright tools`");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.name, kToolName);
}

LineCheck describe(CLI::App& app, CallToolCommand& command) {
  app.add_option("NAME", command.name, "Which tool; see `wright tools`");
  app.add_option("ARGUMENTS", command.arguments, "A JSON object; - reads standard input");
  add_json(app, command.output, "Print one JSON object: result, what a model reads, duration");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.name, kToolName);
}

LineCheck describe(CLI::App& app, ListMcpCommand& command) {
  add_json(app, command.output, "Print a JSON array");
  add_config_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ServeMcpCommand& command) {
  add_text(app, "--tools", command.tools, "NAMES",
           "Which tools, as patterns: grep,read_*; none. Without it: those that only read");
  add_text(app, "--agents", command.agents, "NAMES",
           "Which agents, or none. Without it: all that can run");
  app.add_flag_callback(
      "--sessions", [&command] { command.sessions = OfferedSessions::all; },
      "Also show past sessions, as resources");
  add_all_settings(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, TestMcpCommand& command) {
  app.add_option("NAME", command.name, "Which server; see `wright mcp`");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.name, kServerName);
}

LineCheck describe(CLI::App& app, AddMcpCommand& command) {
  app.add_option("NAME", command.name, "Its name: letters, digits and -");
  app.add_option("TARGET", command.target, "The program and its arguments, or an address");
  const auto add_pairs = [&](const char* names, std::vector<std::string>& pairs,
                             const char* description) {
    app.add_option(names, pairs, description)
        ->type_name("NAME=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  add_pairs("-e,--env", command.variables, "A variable for the program");
  add_pairs("--header", command.headers, "A header for the address");
  add_config_option(app, command.settings);
  return [&command] {
    if (command.name.empty()) return missing(kServerName);
    return command.target.empty() ? missing("the program, or the address,") : std::string();
  };
}

LineCheck describe(CLI::App& app, RemoveMcpCommand& command) {
  app.add_option("NAME", command.name, "Which server; see `wright mcp`");
  add_config_option(app, command.settings);
  return needs(command.name, kServerName);
}

LineCheck describe(CLI::App& app, ShowConfigCommand& command) {
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ConfigPathCommand& command) {
  add_config_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, InitConfigCommand& command) {
  add_config_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ListModelsCommand& command) {
  app.add_option("VENDOR", command.vendor, "Only this one");
  app.add_flag_callback(
      "--compare", [&command] { command.what = ListModelsCommand::What::differences; },
      "Ask the vendors that have a key for their models, and show what differs");
  add_json(app, command.output, "Print a JSON array");
  add_config_option(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ListBatchesCommand& command) {
  add_text(app, "--vendor", command.vendor, "VENDOR", "Only of this one");
  add_json(app, command.output, "Print a JSON array");
  add_config_option(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, SubmitBatchCommand& command) {
  app.add_option("FILE", command.file, "A prompt a line, or JSON lines; - is standard input");
  add_text(app, "--model", command.settings.model, "MODEL", "vendor:name");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.file, "the file of the prompts");
}

LineCheck describe(CLI::App& app, ShowBatchCommand& command) {
  app.add_option("ID", command.id, "As it was printed: vendor:id");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.id, kBatchId);
}

LineCheck describe(CLI::App& app, BatchResultsCommand& command) {
  app.add_option("ID", command.id, "As it was printed: vendor:id");
  add_config_option(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.id, kBatchId);
}

LineCheck describe(CLI::App& app, CancelBatchCommand& command) {
  app.add_option("ID", command.id, "As it was printed: vendor:id");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.id, kBatchId);
}

LineCheck describe(CLI::App& app, DoctorCommand& command) {
  app.add_flag_callback(
      "--online", [&command] { command.reach = Reach::network; },
      "Ask every provider that has a key one small question");
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ServeCommand& command) {
  const auto add_list = [&app](const char* name, std::vector<std::string>& list, const char* type,
                               const char* description) {
    app.add_option(name, list, description)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  add_list("--listen", command.listen, "ADDRESS",
           "HOST:PORT or unix:PATH instead of 127.0.0.1:7411; may be given several times");
  add_list("--host", command.hosts, "NAME",
           "A further name that it is reached by, as in the Host header");
  add_text(app, "--certificate", command.certificate, "FILE", "Speak TLS with this (PEM)");
  add_text(app, "--key", command.key, "FILE", "The certificate's key (PEM)");
  add_list("--webhook", command.webhooks, "URL",
           "Tell this URL what waits for a person and what has ended; may be given several times");
  add_all_settings(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return [&command] {
    return command.certificate.has_value() == command.key.has_value()
               ? std::string()
               : std::string("--certificate and --key belong together");
  };
}

LineCheck describe(CLI::App& app, ListTokensCommand& command) {
  add_json(app, command.output, "Print a JSON array");
  return {};
}

LineCheck describe(CLI::App& app, AddTokenCommand& command) {
  app.add_option("NAME", command.name, "What it is called, to find and remove it again");
  app.add_option("--scope", command.scope, "read, answer, run or admin; several with commas")
      ->type_name("SCOPE");
  return [&command] {
    if (command.name.empty()) return missing("the token's name");
    return command.scope.empty() ? missing("--scope") : std::string();
  };
}

LineCheck describe(CLI::App& app, RemoveTokenCommand& command) {
  app.add_option("NAME", command.name, "What it is called");
  return needs(command.name, "the token's name");
}

LineCheck describe(CLI::App& app, SessionChangesCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  add_config_option(app, command.settings);
  add_database_option(app, command.settings);
  return needs(command.id, kSessionId);
}

LineCheck describe(CLI::App& app, UndoSessionCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  app.add_flag_callback(
      "-y,--yes", [&command] { command.confirmation = Confirmation::given; }, "Do not ask");
  add_config_option(app, command.settings);
  add_database_option(app, command.settings);
  return needs(command.id, kSessionId);
}

LineCheck describe(CLI::App& app, GetConfigCommand& command) {
  app.add_option("KEY", command.key, "Such as agent.model; `wright config` lists them");
  add_config_option(app, command.settings);
  return needs(command.key, "the key");
}

LineCheck describe(CLI::App& app, SetConfigCommand& command) {
  app.add_option("KEY", command.key, "Such as agent.model; `wright config` lists them");
  app.add_option("VALUE", command.value, "As --set takes it; lists with commas between");
  add_config_option(app, command.settings);
  return [&command]() -> std::string {
    if (command.key.empty()) return missing("the key");
    return command.value.empty() ? missing("the value") : "";
  };
}

LineCheck describe(CLI::App& app, InitCommand& command) {
  add_text(app, "--model", command.settings.model, "MODEL", "This one, instead of asking",
           kSettingsGroup);
  add_config_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, AcpCommand& command) {
  app.add_option("AGENT", command.agent, "Which agent (coding)");
  add_all_settings(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, TrustCommand& command) {
  app.add_flag_callback(
      "-y,--yes", [&command] { command.confirmation = Confirmation::given; }, "Do not ask");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, CompletionsCommand& command) {
  app.add_option("SHELL", command.shell, "bash, zsh or fish");
  return needs(command.shell, "the shell: bash, zsh or fish");
}

}  // namespace wright::app
