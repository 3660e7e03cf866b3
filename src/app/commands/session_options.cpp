// The options of commands that look at what is stored, or change it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>
#include <string_view>

#include "app/commands/shared_options.h"

namespace wright::app {
namespace {

constexpr std::string_view kBatchId = "the id of the batch";

// What both that look at many sessions have.
template <class C>
void describe_survey(CLI::App& app, C& command) {
  add_text(app, "--agent", command.agent, "AGENT", "Only sessions of this agent");
  add_text(app, "--tenant", command.tenant, "NAME", "Only sessions for this tenant");
  add_text(app, "--since", command.since, "WHEN", "Only newer ones: 2h, 3d, today, 2026-03-01");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
}

}  // namespace

LineCheck describe(CLI::App& app, ListSessionsCommand& command) {
  add_text(app, "--agent", command.agent, "AGENT", "Only sessions of this agent");
  add_text(app, "--status", command.status, "STATUS",
           "Only running, completed, failed, waiting, cancelled or queued ones");
  add_text(app, "--tenant", command.tenant, "NAME", "Only sessions for this tenant");
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
  auto* const format =
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
         "A test file for `wright test`, with secrets hidden")
      ->excludes(format);
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

LineCheck describe(CLI::App& app, CancelSessionsCommand& command) {
  app.add_option("ID", command.ids, "Numbers of sessions, or `last`");
  add_text(app, "--reason", command.reason, "TEXT", "Why, for those who read the session");
  add_json(app, command.output, "Print a JSON array of the sessions and their status now");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
  return [&command] { return command.ids.empty() ? missing(kSessionId) : std::string(); };
}

LineCheck describe(CLI::App& app, RemoveSessionsCommand& command) {
  app.add_option("ID", command.ids, "Numbers of sessions, or `last`");
  app.add_flag_callback(
      "-y,--yes", [&command] { command.confirmation = Confirmation::given; }, "Do not ask");
  add_json(app, command.output, "Print a JSON object with the ids of those that are gone");
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

}  // namespace wright::app
