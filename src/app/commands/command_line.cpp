// From arguments to the struct of a command; nothing else is read. The words that name a command
// are resolved here, before CLI11 sees the rest: its own subcommands would take a prompt such as
// "tools" for a command.
#include "app/commands/command.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "app/commands/command_options.h"
#include "app/commands/help.h"
#include "core/nearest.h"
#include "core/try.h"
#include "wright/detail/version.h"

namespace wright::app {
namespace {

using Parsed = std::expected<Command, UsageError>;

std::unexpected<UsageError> usage_error(std::string message, std::string_view command) {
  const std::string_view space = command.empty() ? "" : " ";
  return std::unexpected(
      UsageError{std::move(message), fmt::format("See `wright{}{} --help`.", space, command)});
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

// CLI11 takes nothing for a 0.
std::optional<std::string> problem_with_numbers(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_type_name().starts_with("N")) continue;
    const auto& given = option->results();
    const bool is_number = option->get_type_name() == "N" || option->get_type_name()[1] == ':';
    if (is_number && std::ranges::find(given, "") != given.end()) {
      return fmt::format("{} must not be empty", option->get_name());
    }
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
  const LineCheck check = describe(app, command);
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
  if (const auto problem = problem_with_numbers(app)) return usage_error(*problem, help.path);
  if (const std::string problem = check ? check() : ""; !problem.empty()) {
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
    CommandEntry{"worker", parse_as<WorkerCommand>},
    CommandEntry{"migrate", parse_as<MigrateCommand>},
    CommandEntry{"sessions", parse_as<ListSessionsCommand>},
    CommandEntry{"sessions show", parse_as<ShowSessionCommand>},
    CommandEntry{"sessions export", parse_as<ExportSessionCommand>},
    CommandEntry{"sessions fork", parse_as<ForkSessionCommand>},
    CommandEntry{"sessions cancel", parse_as<CancelSessionsCommand>},
    CommandEntry{"sessions rm", parse_as<RemoveSessionsCommand>},
    CommandEntry{"sessions prune", parse_as<PruneSessionsCommand>},
    CommandEntry{"sessions diff", parse_as<SessionChangesCommand>},
    CommandEntry{"sessions undo", parse_as<UndoSessionCommand>},
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
    CommandEntry{"mcp", parse_as<ListMcpCommand>},
    CommandEntry{"mcp add", parse_as<AddMcpCommand>},
    CommandEntry{"mcp test", parse_as<TestMcpCommand>},
    CommandEntry{"mcp login", parse_as<LoginMcpCommand>},
    CommandEntry{"mcp logout", parse_as<LogoutMcpCommand>},
    CommandEntry{"mcp remove", parse_as<RemoveMcpCommand>},
    CommandEntry{"mcp serve", parse_as<ServeMcpCommand>},
    CommandEntry{"models", parse_as<ListModelsCommand>},
    CommandEntry{"batch", parse_as<ListBatchesCommand>},
    CommandEntry{"batch submit", parse_as<SubmitBatchCommand>},
    CommandEntry{"batch show", parse_as<ShowBatchCommand>},
    CommandEntry{"batch results", parse_as<BatchResultsCommand>},
    CommandEntry{"batch cancel", parse_as<CancelBatchCommand>},
    CommandEntry{"config", parse_as<ShowConfigCommand>},
    CommandEntry{"config path", parse_as<ConfigPathCommand>},
    CommandEntry{"config init", parse_as<InitConfigCommand>},
    CommandEntry{"config get", parse_as<GetConfigCommand>},
    CommandEntry{"config set", parse_as<SetConfigCommand>},
    CommandEntry{"init", parse_as<InitCommand>},
    CommandEntry{"acp", parse_as<AcpCommand>},
    CommandEntry{"trust", parse_as<TrustCommand>},
    CommandEntry{"completions", parse_as<CompletionsCommand>},
    CommandEntry{"doctor", parse_as<DoctorCommand>},
    CommandEntry{"serve", parse_as<ServeCommand>},
    CommandEntry{"token", parse_as<ListTokensCommand>},
    CommandEntry{"token add", parse_as<AddTokenCommand>},
    CommandEntry{"token rm", parse_as<RemoveTokenCommand>},
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
  const bool is_about_itself =
      !words.empty() &&
      (words.front() == "help" || words.front() == "--help" || words.front() == "-h");
  if (words.empty() || is_about_itself) return PrintCommand{overview_help(), ExitCode::ok};
  const auto found = TRY(resolve(words));
  const std::array<std::string, 1> ask{"--help"};
  return found.entry->parse(help_for(found.entry->path), ask);
}

// The one option that may stand before the command: it changes what all of them mean.
Parsed parse_for_server(const std::string& server, std::span<const std::string> rest) {
  std::vector<std::string> arguments(rest.begin(), rest.end());
  const auto end = std::ranges::find(arguments, "--");
  arguments.insert(arguments.empty() ? arguments.end() : end, server);
  if (rest.empty()) return usage_error("the command is missing", {});
  return parse_command_line(arguments);
}

}  // namespace

Parsed parse_command_line(std::span<const std::string> arguments) {
  if (arguments.empty()) return PrintCommand{short_help(), ExitCode::usage};
  const std::string& first = arguments.front();
  if (first == "--server" && arguments.size() > 1) {
    return parse_for_server("--server=" + arguments[1], arguments.subspan(2));
  }
  if (first.starts_with("--server=")) return parse_for_server(first, arguments.subspan(1));
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
  const auto found = TRY(resolve(arguments));
  return found.entry->parse(help_for(found.entry->path), found.rest);
}

}  // namespace wright::app
