// The only unit that includes CLI11. The words that name a command are resolved here, before CLI11
// sees the rest: its own subcommands would take a prompt such as "tools" for a command.
#include "app/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "app/help.h"
#include "core/nearest.h"
#include "wright/version.h"

namespace wright::app {
namespace {

using Parsed = std::expected<Command, UsageError>;
constexpr const char* kSettingsGroup = "Settings";

std::unexpected<UsageError> usage_error(std::string message, std::string_view command) {
  const std::string_view space = command.empty() ? "" : " ";
  return std::unexpected(
      UsageError{std::move(message), fmt::format("See `wright{}{} --help`.", space, command)});
}

// --- options ---------------------------------------------------------------------------------

void add_text(CLI::App& app, const char* names, std::optional<std::string>& value, const char* type,
              const char* description, const char* group = "Options") {
  app.add_option(names, value, description)->type_name(type)->group(group);
}

void add_config_option(CLI::App& app, SettingFlags& flags) {
  add_text(app, "-c,--config", flags.config, "FILE", "Configuration file", kSettingsGroup);
}
void add_database_option(CLI::App& app, SettingFlags& flags) {
  add_text(app, "--database-path", flags.database_path, "FILE", "Where sessions are kept",
           kSettingsGroup);
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
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
}

// Each describes one command's options; what only makes sense for the whole line is checked in
// the `checked` of the same struct.
void describe(CLI::App& app, RunCommand& command) {
  app.add_option("AGENT", command.agent, "Which agent; see `wright agents`");
  app.add_option("PROMPT", command.prompt, "What it is asked; - or nothing reads standard input");
  app.add_option("-a,--agent", command.agent, "The agent, instead of the first word")
      ->type_name("AGENT");
  add_text(app, "-p,--prompt", command.prompt, "TEXT", "The prompt, instead of the second word");
  add_json(app, command.output, "Print one JSON object: answer, status, usage, tool calls");
  add_run_options(app, command);
}
void add_refresh(CLI::App& app, Taking& taking) {
  app.add_flag_callback(
      "--refresh", [&taking] { taking = Taking::as_now; },
      "With the agent and the settings as they are now, not as the session began");
}
void describe(CLI::App& app, ChatCommand& command) {
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
}
void describe(CLI::App& app, ResumeCommand& command) {
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
}
void describe(CLI::App& app, AnswerCommand& command) {
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
  add_database_option(app, command.settings);
}
void describe(CLI::App& app, WaitsCommand& command) {
  add_json(app, command.output, "Print a JSON array");
  add_config_option(app, command.settings);
  add_database_option(app, command.settings);
}
void describe(CLI::App& app, ListSessionsCommand& command) {
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
  add_database_option(app, command.settings);
}
void describe(CLI::App& app, ShowSessionCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  add_json(app, command.output, "Print JSON, as `wright sessions export` does");
  add_config_option(app, command.settings);
  add_database_option(app, command.settings);
}
void describe(CLI::App& app, ExportSessionCommand& command) {
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
  add_database_option(app, command.settings);
}
void describe(CLI::App& app, ForkSessionCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  app.add_option("--at", command.at, "The last message of the fork, as `sessions show` counts")
      ->type_name("N");
  add_json(app, command.output, "Print a JSON object with the new session's id");
  add_config_option(app, command.settings);
  add_database_option(app, command.settings);
}
void describe(CLI::App& app, RemoveSessionsCommand& command) {
  app.add_option("ID", command.ids, "Numbers of sessions, or `last`");
  app.add_flag_callback(
      "-y,--yes", [&command] { command.confirmation = Confirmation::given; }, "Do not ask");
  add_config_option(app, command.settings);
  add_database_option(app, command.settings);
}
void describe(CLI::App& app, PruneSessionsCommand& command) {
  app.add_option("--older-than", command.older_than,
                 "Those that ended before then: 30d, 12w, 2026-03-01")
      ->type_name("WHEN");
  app.add_flag_callback(
      "--dry-run", [&command] { command.deletion = Deletion::rehearsed; },
      "Only tell what would be deleted");
  add_json(app, command.output, "Print a JSON object with the sessions' ids");
  add_config_option(app, command.settings);
  add_database_option(app, command.settings);
}
template <class C>
requires(std::same_as<C, FeedbackCommand> ||
         std::same_as<C, StatsCommand>) void describe(CLI::App& app, C& command) {
  add_text(app, "--agent", command.agent, "AGENT", "Only sessions of this agent");
  add_text(app, "--since", command.since, "WHEN", "Only newer ones: 2h, 3d, today, 2026-03-01");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_database_option(app, command.settings);
}
void add_live_tools(CLI::App& app, ToolSource& tools) {
  app.add_flag_callback(
      "--live-tools", [&tools] { tools = ToolSource::live; },
      "Execute the calls again instead of taking their results from the record");
}
void describe(CLI::App& app, ReplayCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  add_live_tools(app, command.tools);
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
}
void describe(CLI::App& app, TestCommand& command) {
  app.add_option("FILE", command.files, "Files of `wright sessions export --cassette`");
  add_live_tools(app, command.tools);
  app.add_flag_callback(
      "--update", [&command] { command.rewriting = Rewriting::when_different; },
      "Rewrite the files that differ");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_set_option(app, command.settings);
}
void describe(CLI::App& app, ListAgentsCommand& command) {
  add_json(app, command.output, "Print a JSON array");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
}
void describe(CLI::App& app, ShowAgentCommand& command) {
  app.add_option("NAME", command.name, "Which agent; see `wright agents`");
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
}
void describe(CLI::App& app, NewAgentCommand& command) {
  app.add_option("NAME", command.name, "What it shall be called: letters, digits and -");
  app.add_flag_callback(
      "--project", [&command] { command.place = AgentPlace::project; },
      "Below .wright/agents of the base folder instead of your own folder");
  add_all_settings(app, command.settings);
}
void describe(CLI::App& app, TrustAgentCommand& command) {
  app.add_option("NAME", command.name, "Which agent of the project");
  add_all_settings(app, command.settings);
}
void describe(CLI::App& app, ListToolsCommand& command) {
  add_json(app, command.output, "Print a JSON array with the schemas");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_set_option(app, command.settings);
}
void describe(CLI::App& app, ShowToolCommand& command) {
  app.add_option("NAME", command.name, "Which tool; see `wright tools`");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_set_option(app, command.settings);
}
void describe(CLI::App& app, CallToolCommand& command) {
  app.add_option("NAME", command.name, "Which tool; see `wright tools`");
  app.add_option("ARGUMENTS", command.arguments, "A JSON object; - reads standard input");
  add_json(app, command.output, "Print one JSON object: result, what a model reads, duration");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
}
void describe(CLI::App& app, ShowConfigCommand& command) {
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
}
void describe(CLI::App& app, ConfigPathCommand& command) {
  add_config_option(app, command.settings);
}
void describe(CLI::App& app, InitConfigCommand& command) {
  add_config_option(app, command.settings);
}
void describe(CLI::App& app, ListModelsCommand& command) {
  app.add_option("VENDOR", command.vendor, "Only this one");
  add_json(app, command.output, "Print a JSON array");
  add_config_option(app, command.settings);
  add_set_option(app, command.settings);
}
void describe(CLI::App& app, DoctorCommand& command) {
  app.add_flag_callback(
      "--online", [&command] { command.reach = Reach::network; },
      "Ask every provider that has a key one small question");
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
}

// --- what must hold for the whole line ---------------------------------------------------------

std::string missing(std::string_view what) {
  return fmt::format("{} is missing", what);
}

template <class C>
std::string problem_with(C&) {
  return {};
}
std::string problem_with(ResumeCommand& command) {
  const bool is_all = command.which == ResumeCommand::Which::all;
  if (is_all && !command.id.empty()) return "--all and an ID exclude each other";
  if (is_all && !command.settle.empty()) return "--settle needs one session's ID";
  return !is_all && command.id.empty() ? missing("the session's ID (or --all)") : "";
}
std::string problem_with(AnswerCommand& command) {
  if (command.id.empty()) return missing("the session's ID");
  if (command.approve && command.approve->empty()) command.approve = "once";
  const int ways = (command.set.empty() ? 0 : 1) + (command.approve ? 1 : 0) +
                   (command.refuse ? 1 : 0) + (command.answer ? 1 : 0);
  return ways > 1 ? "use one of --set, --approve, --refuse and --answer" : "";
}
std::string problem_with(ShowSessionCommand& command) {
  return command.id.empty() ? missing("the session's ID") : "";
}
std::string problem_with(ExportSessionCommand& command) {
  return command.id.empty() ? missing("the session's ID") : "";
}
std::string problem_with(ForkSessionCommand& command) {
  return command.id.empty() ? missing("the session's ID") : "";
}
std::string problem_with(ReplayCommand& command) {
  return command.id.empty() ? missing("the session's ID") : "";
}
std::string problem_with(TestCommand& command) {
  return command.files.empty() ? missing("the FILE") : "";
}
std::string problem_with(RemoveSessionsCommand& command) {
  return command.ids.empty() ? missing("the session's ID") : "";
}
std::string problem_with(PruneSessionsCommand& command) {
  return command.older_than.empty() ? missing("--older-than") : "";
}
std::string problem_with(ShowAgentCommand& command) {
  return command.name.empty() ? missing("the agent's name") : "";
}
std::string problem_with(NewAgentCommand& command) {
  return command.name.empty() ? missing("the agent's name") : "";
}
std::string problem_with(TrustAgentCommand& command) {
  return command.name.empty() ? missing("the agent's name") : "";
}
std::string problem_with(ShowToolCommand& command) {
  return command.name.empty() ? missing("the tool's name") : "";
}
std::string problem_with(CallToolCommand& command) {
  return command.name.empty() ? missing("the tool's name") : "";
}
std::string problem_with(RunCommand& command) {
  return command.agent.empty() ? missing("the agent's name") : "";
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
template <class C>
std::string place_words(CLI::App&, C&) {
  return {};
}

// --- parsing one command -----------------------------------------------------------------------

std::string options_help(const CLI::App& app) {
  std::vector<HelpRow> words;
  std::vector<HelpRow> rows;
  for (const CLI::Option* option : app.get_options()) {
    const bool is_word = option->get_positional();
    std::string name = is_word ? option->get_name(true) : option->get_name(false, true);
    std::ranges::replace(name, ',', ' ');
    if (name.starts_with("--")) name = "    " + name;
    if (const std::size_t space = name.find(" --"); space == 2) name.insert(2, ",");
    // Behind a colon CLI11 says what it checks, in words of its own.
    const std::string type = option->get_type_name();
    if (!is_word && option->get_type_size() > 0) name += " " + type.substr(0, type.find(':'));
    HelpRow row{is_word ? "Arguments" : option->get_group(), std::move(name),
                option->get_description()};
    (is_word ? words : rows).push_back(std::move(row));
  }
  words.insert(words.end(), rows.begin(), rows.end());
  return help_table(words);
}

// The first thing that no option or word of the command took.
std::optional<std::string> problem_with_rest(const CLI::App& app) {
  for (const std::string& left : app.remaining()) {
    if (left == "--") continue;
    if (!left.starts_with('-') || left == "-") {
      return fmt::format("unexpected argument '{}'; quote text that has spaces", left);
    }
    const std::string typed = left.substr(0, left.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    return fmt::format("unknown option '{}'{}", typed, did_you_mean(typed, candidates));
  }
  return std::nullopt;
}

template <class C>
Parsed parse_as(const CommandHelp& help, std::span<const std::string> arguments) {
  C command;
  CLI::App app;
  app.set_help_flag("-h,--help", "Show this help");
  app.allow_extras();
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  describe(app, command);
  // CLI11 wants the arguments in reverse.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return PrintCommand{command_help(help, options_help(app)), ExitCode::ok};
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what(), help.path);
  }
  if (const auto problem = problem_with_rest(app)) return usage_error(*problem, help.path);
  if (const std::string problem = place_words(app, command); !problem.empty()) {
    return usage_error(problem, help.path);
  }
  if (const std::string problem = problem_with(command); !problem.empty()) {
    return usage_error(problem, help.path);
  }
  return command;
}

// --- finding the command -----------------------------------------------------------------------

using Parser = Parsed (*)(const CommandHelp&, std::span<const std::string>);

struct CommandEntry {
  std::string_view path;  // as in help.h
  Parser parse;
};

constexpr std::array kCommands{
    CommandEntry{"run", parse_as<RunCommand>},
    CommandEntry{"chat", parse_as<ChatCommand>},
    CommandEntry{"resume", parse_as<ResumeCommand>},
    CommandEntry{"answer", parse_as<AnswerCommand>},
    CommandEntry{"waits", parse_as<WaitsCommand>},
    CommandEntry{"sessions", parse_as<ListSessionsCommand>},
    CommandEntry{"sessions show", parse_as<ShowSessionCommand>},
    CommandEntry{"sessions export", parse_as<ExportSessionCommand>},
    CommandEntry{"sessions fork", parse_as<ForkSessionCommand>},
    CommandEntry{"sessions rm", parse_as<RemoveSessionsCommand>},
    CommandEntry{"sessions prune", parse_as<PruneSessionsCommand>},
    CommandEntry{"replay", parse_as<ReplayCommand>},
    CommandEntry{"test", parse_as<TestCommand>},
    CommandEntry{"feedback", parse_as<FeedbackCommand>},
    CommandEntry{"stats", parse_as<StatsCommand>},
    CommandEntry{"agents", parse_as<ListAgentsCommand>},
    CommandEntry{"agents show", parse_as<ShowAgentCommand>},
    CommandEntry{"agents new", parse_as<NewAgentCommand>},
    CommandEntry{"agents trust", parse_as<TrustAgentCommand>},
    CommandEntry{"tools", parse_as<ListToolsCommand>},
    CommandEntry{"tools show", parse_as<ShowToolCommand>},
    CommandEntry{"tools call", parse_as<CallToolCommand>},
    CommandEntry{"models", parse_as<ListModelsCommand>},
    CommandEntry{"config", parse_as<ShowConfigCommand>},
    CommandEntry{"config path", parse_as<ConfigPathCommand>},
    CommandEntry{"config init", parse_as<InitConfigCommand>},
    CommandEntry{"doctor", parse_as<DoctorCommand>},
};

const CommandEntry* find_command(std::string_view path) {
  const auto found = std::ranges::find(kCommands, path, &CommandEntry::path);
  return found == kCommands.end() ? nullptr : &*found;
}

// The words that may follow `parent`: "show", "export", "rm" for "sessions".
std::vector<std::string_view> subcommands_of(std::string_view parent) {
  std::vector<std::string_view> names;
  for (const CommandEntry& entry : kCommands) {
    const std::size_t space = entry.path.find(' ');
    if (parent.empty() && space == std::string_view::npos) names.push_back(entry.path);
    if (!parent.empty() && space != std::string_view::npos &&
        entry.path.substr(0, space) == parent) {
      names.push_back(entry.path.substr(space + 1));
    }
  }
  if (parent.empty()) names.push_back("help");
  return names;
}

struct FoundCommand {
  const CommandEntry* entry;
  std::span<const std::string> rest;
};

// Takes the words that name a command off the front of the arguments.
std::expected<FoundCommand, UsageError> resolve(std::span<const std::string> arguments) {
  const std::string& name = arguments.front();
  const CommandEntry* entry = find_command(name);
  if (entry == nullptr || name.find(' ') != std::string::npos) {
    return usage_error(
        fmt::format("unknown command '{}'{}", name, did_you_mean(name, subcommands_of({}))), {});
  }
  arguments = arguments.subspan(1);
  const auto subcommands = subcommands_of(name);
  if (subcommands.empty() || arguments.empty() || arguments.front().starts_with('-')) {
    return FoundCommand{entry, arguments};
  }
  const std::string& second = arguments.front();
  if (second == "list") return FoundCommand{entry, arguments.subspan(1)};
  if (std::ranges::find(subcommands, std::string_view(second)) == subcommands.end()) {
    auto known = subcommands;
    known.push_back("list");
    return usage_error(
        fmt::format("unknown command '{} {}'{}", name, second, did_you_mean(second, known)), name);
  }
  return FoundCommand{find_command(name + " " + second), arguments.subspan(1)};
}

Parsed parse_help(std::span<const std::string> words) {
  if (words.empty()) return PrintCommand{overview_help(), ExitCode::ok};
  const auto found = resolve(words);
  if (!found) return std::unexpected(found.error());
  const std::array<std::string, 1> ask{"--help"};
  return found->entry->parse(help_for(found->entry->path), ask);
}

}  // namespace

Parsed parse_command_line(std::span<const std::string> arguments) {
  if (arguments.empty()) return PrintCommand{short_help(), ExitCode::usage};
  const std::string& first = arguments.front();
  if (first == "--version" || first == "-V") {
    return PrintCommand{"wright " WRIGHT_VERSION "\n", ExitCode::ok};
  }
  if (first == "--help" || first == "-h") return PrintCommand{overview_help(), ExitCode::ok};
  if (first == "help") return parse_help(arguments.subspan(1));
  if (first.starts_with('-')) {
    constexpr std::array<std::string_view, 2> kGlobal{"--help", "--version"};
    return usage_error(fmt::format("unknown option '{}'{}; options follow the command", first,
                                   did_you_mean(first, kGlobal)),
                       {});
  }
  const auto found = resolve(arguments);
  if (!found) return std::unexpected(found.error());
  return found->entry->parse(help_for(found->entry->path), found->rest);
}

}  // namespace wright::app
