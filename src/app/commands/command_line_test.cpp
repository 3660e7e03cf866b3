#include "app/commands/command.h"

#include <gtest/gtest.h>

#include "wright/detail/version.h"

namespace wright::app {
namespace {

using Words = std::vector<std::string>;

template <class C>
C parsed(const Words& words) {
  auto command = parse_command_line(words);
  if (!command) {
    ADD_FAILURE() << command.error().message;
    return {};
  }
  const C* typed = command->template get_if<C>();
  if (typed == nullptr) {
    ADD_FAILURE() << "another command";
    return {};
  }
  return *typed;
}

std::string error_in_words(const Words& words) {
  const auto command = parse_command_line(words);
  return command ? "accepted" : command.error().message;
}

TEST(CommandLine, takes_agent_and_prompt_as_words_or_as_options) {
  for (const Words& words : {Words{"run", "a", "p"}, Words{"run", "-a", "a", "-p", "p"},
                             Words{"run", "--agent", "a", "p"}, Words{"run", "a", "--prompt", "p"},
                             Words{"run", "p", "--agent=a"}, Words{"run", "-p", "p", "a"}}) {
    const auto run = parsed<RunCommand>(words);
    EXPECT_EQ(run.agent, "a");
    EXPECT_EQ(run.prompt, "p");
  }
}

TEST(CommandLine, leaves_the_prompt_absent_when_there_is_none) {
  EXPECT_EQ(parsed<RunCommand>({"run", "a"}).prompt, std::nullopt);
  EXPECT_EQ(parsed<RunCommand>({"run", "-a", "a"}).prompt, std::nullopt);
  EXPECT_EQ(parsed<RunCommand>({"run", "a", "-"}).prompt, "-");
}

TEST(CommandLine, never_takes_a_prompt_for_something_else) {
  for (const char* prompt :
       {"tools", "sessions", "help", "run", "[1, 2]", "a,b", "x=1", "", "%s"}) {
    EXPECT_EQ(parsed<RunCommand>({"run", "a", prompt}).prompt, prompt);
  }
  EXPECT_EQ(parsed<RunCommand>({"run", "a", "--prompt=--json"}).prompt, "--json");
  EXPECT_EQ(parsed<RunCommand>({"run", "a", "--", "--json"}).prompt, "--json");
}

TEST(CommandLine, reads_every_setting_of_run) {
  const auto run =
      parsed<RunCommand>({"run", "a", "p", "-c", "f", "--database-path", "d", "--base-path", "b",
                          "--model", "m", "--max-iterations", "7", "--json", "--quiet"});
  EXPECT_EQ(run.settings.config, "f");
  EXPECT_EQ(run.settings.database_path, "d");
  EXPECT_EQ(run.settings.base_path, "b");
  EXPECT_EQ(run.settings.model, "m");
  EXPECT_EQ(run.settings.max_iterations, 7);
  EXPECT_EQ(run.output, OutputFormat::json);
  EXPECT_EQ(run.verbosity, Verbosity::quiet);
}

TEST(CommandLine, lets_the_last_of_two_equal_options_win) {
  EXPECT_EQ(parsed<RunCommand>({"run", "a", "p", "--model", "x", "--model", "y"}).settings.model,
            "y");
}

TEST(CommandLine, collects_keys_for_this_once_and_nothing_beside_them) {
  const auto run = parsed<RunCommand>(
      {"run", "--set", "a.b=1", "a", "--set=c.d=x,y", "p", "--set", "e.f=[1, 2]"});
  EXPECT_EQ(run.settings.set, (Words{"a.b=1", "c.d=x,y", "e.f=[1, 2]"}));
  EXPECT_EQ(run.agent, "a");
  EXPECT_EQ(run.prompt, "p");
}

TEST(CommandLine, knows_the_commands_below_a_command) {
  EXPECT_EQ(parsed<ShowSessionCommand>({"sessions", "show", "12"}).id, "12");
  EXPECT_EQ(parsed<PruneSessionsCommand>({"sessions", "prune", "--older-than", "30d"}).older_than,
            "30d");
  EXPECT_EQ(parsed<PruneSessionsCommand>({"sessions", "prune", "--older-than", "1w", "--dry-run"})
                .deletion,
            Deletion::rehearsed);
  EXPECT_EQ(parsed<RemoveSessionsCommand>({"sessions", "rm", "1", "2", "-y"}).ids,
            (Words{"1", "2"}));
  EXPECT_EQ(parsed<CancelSessionsCommand>({"sessions", "cancel", "1", "last", "--json"}).ids,
            (Words{"1", "last"}));
  const auto exported = parsed<ExportSessionCommand>(
      {"sessions", "export", "3", "--format", "markdown", "-o", "f.md"});
  EXPECT_EQ(exported.format, ExportFormat::markdown);
  EXPECT_EQ(exported.file, "f.md");
  EXPECT_EQ(parsed<ListSessionsCommand>({"sessions", "list", "--limit", "5"}).limit, 5U);
  EXPECT_EQ(parsed<CallToolCommand>({"tools", "call", "grep", R"(["x"])"}).arguments, R"(["x"])");
  parsed<ConfigPathCommand>({"config", "path"});
  parsed<DoctorCommand>({"doctor", "--json"});
}

TEST(CommandLine, suggests_what_was_meant) {
  EXPECT_EQ(error_in_words({"rnu"}), "unknown command 'rnu'; did you mean 'run'?");
  EXPECT_EQ(error_in_words({"sessions", "shwo", "3"}),
            "unknown command 'sessions shwo'; did you mean 'show'?");
  EXPECT_EQ(error_in_words({"sessions", "lst"}),
            "unknown command 'sessions lst'; did you mean 'list'?");
  EXPECT_EQ(error_in_words({"run", "a", "p", "--modle", "x"}),
            "unknown option '--modle'; did you mean '--model'?");
  EXPECT_EQ(error_in_words({"run", "a", "p", "--max-iteration=3"}),
            "unknown option '--max-iteration'; did you mean '--max-iterations'?");
  EXPECT_EQ(error_in_words({"--versoin"}),
            "unknown option '--versoin'; did you mean '--version'?; options follow the command");
  EXPECT_EQ(error_in_words({"frobnicate"}), "unknown command 'frobnicate'");
}

TEST(CommandLine, explains_itself) {
  for (const char* word : {"help", "--help", "-h"}) parsed<PrintCommand>({"help", word});
}

TEST(CommandLine, refuses_what_is_missing_or_too_much) {
  for (const char* option : {"--priority", "--delay", "--labels"}) {
    const bool is_time = std::string_view(option) == "--delay";
    EXPECT_EQ(error_in_words({"run", "a", "p", option, is_time ? "1s" : "1"}),
              std::string(option) + " requires --queue");
  }
  EXPECT_EQ(error_in_words({"run"}), "the agent's name is missing");
  EXPECT_EQ(error_in_words({"run", "-p", "p"}), "the agent's name is missing");
  EXPECT_EQ(error_in_words({"run", "a", "where", "is"}),
            "unexpected argument 'is'; quote text that has spaces");
  EXPECT_EQ(error_in_words({"run", "-a", "a", "-p", "p", "extra"}),
            "'extra' is one word too many beside --agent or --prompt");
  EXPECT_EQ(error_in_words({"sessions", "show"}), "the session's ID is missing");
  EXPECT_EQ(error_in_words({"sessions", "rm"}), "the session's ID is missing");
  EXPECT_EQ(error_in_words({"tools", "call"}), "the tool's name is missing");
  for (const char* word : {"show", "new", "trust"}) {
    EXPECT_EQ(error_in_words({"agents", word}), "the agent's name is missing");
  }
  EXPECT_NE(error_in_words({"run", "a", "p", "--max-iterations", "many"}), "accepted");
  EXPECT_NE(error_in_words({"run", "a", "p", "--model"}), "accepted");
  EXPECT_NE(error_in_words({"sessions", "--limit", "0"}), "accepted");
  EXPECT_NE(error_in_words({"sessions", "export", "1", "--format", "xml"}), "accepted");
}

TEST(CommandLine, takes_nothing_for_no_number) {
  EXPECT_EQ(error_in_words({"run", "a", "p", "--max-iterations", ""}),
            "--max-iterations must not be empty");
  EXPECT_EQ(error_in_words({"run", "a", "p", "--queue", "--priority", ""}),
            "--priority must not be empty");
  EXPECT_EQ(error_in_words({"answer", "1", "--wait", "1", "--wait", ""}),
            "--wait must not be empty");
}

TEST(CommandLine, refuses_what_contradicts_itself) {
  for (const auto& [one, other] :
       {std::pair("--debug", "--no-debug"), std::pair("--json", "--json-events"),
        std::pair("--stream", "--no-stream")}) {
    const std::string said = error_in_words({"run", "a", "p", one, other});
    EXPECT_NE(said.find("excludes"), std::string::npos) << one << ": " << said;
  }
}

TEST(CommandLine, writes_a_new_agent_where_it_is_said) {
  EXPECT_EQ(parsed<NewAgentCommand>({"agents", "new", "x"}).place, AgentPlace::user);
  const auto made = parsed<NewAgentCommand>({"agents", "new", "x", "--project"});
  EXPECT_EQ(made.name, "x");
  EXPECT_EQ(made.place, AgentPlace::project);
}

TEST(CommandLine, answers_version_and_help) {
  EXPECT_EQ(parsed<PrintCommand>({"--version"}).text, "wright " WRIGHT_VERSION "\n");
  const auto nothing = parsed<PrintCommand>({});
  EXPECT_EQ(nothing.code, ExitCode::usage);
  EXPECT_NE(nothing.text.find("wright --help"), std::string::npos);
  EXPECT_EQ(parsed<PrintCommand>({"--help"}).code, ExitCode::ok);
}

TEST(CommandLine, has_a_page_of_help_for_every_command) {
  for (const Words& command :
       {Words{"run"}, Words{"sessions"}, Words{"sessions", "show"}, Words{"sessions", "export"},
        Words{"sessions", "rm"}, Words{"agents"}, Words{"agents", "show"}, Words{"agents", "new"},
        Words{"agents", "trust"}, Words{"tools"}, Words{"tools", "show"}, Words{"tools", "call"},
        Words{"config"}, Words{"config", "path"}, Words{"config", "init"}, Words{"doctor"}}) {
    Words by_flag = command;
    by_flag.push_back("--help");
    Words by_word{"help"};
    by_word.insert(by_word.end(), command.begin(), command.end());
    const std::string text = parsed<PrintCommand>(by_flag).text;
    EXPECT_EQ(parsed<PrintCommand>(by_word).text, text);
    EXPECT_NE(text.find("\nUsage: wright " + command.front()), std::string::npos) << text;
    EXPECT_NE(text.find("--help"), std::string::npos) << text;
    EXPECT_NE(text.find("--config FILE"), std::string::npos) << text;
  }
}

TEST(CommandLine, keeps_help_within_a_hundred_columns) {
  for (const Words& words :
       {Words{"--help"}, Words{"help", "run"}, Words{"help", "sessions"}, Words{"help", "tools"},
        Words{"help", "config"}, Words{"help", "agents"}, Words{"help", "agents", "trust"}}) {
    const std::string text = parsed<PrintCommand>(words).text;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      EXPECT_LE(end - at, 102U) << text.substr(at, end - at);
      at = end + 1;
    }
  }
}

}  // namespace
}  // namespace wright::app
