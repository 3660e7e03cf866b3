#include "app/commands/shared_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace wright::app {
namespace {

void add_model_options(CLI::App& app, SettingFlags& flags) {
  add_text(app, "--model", flags.model, "MODEL", "offline, or vendor:name", kSettingsGroup);
  app.add_option("--max-iterations", flags.max_iterations,
                 "How often the model may be asked for one prompt")
      ->type_name("N")
      ->group(kSettingsGroup);
}

}  // namespace

std::string missing(std::string_view what) {
  return fmt::format("{} is missing", what);
}

LineCheck needs(const std::string& value, std::string_view what) {
  return [&value, what] { return value.empty() ? missing(what) : std::string(); };
}

void add_text(CLI::App& app, const char* names, std::optional<std::string>& value, const char* type,
              const char* description, const char* group) {
  app.add_option(names, value, description)->type_name(type)->group(group);
}

void add_repeated(CLI::App& app, const char* names, std::vector<std::string>& values,
                  const char* type, const char* description, const char* group) {
  app.add_option(names, values, description)
      ->type_name(type)
      ->group(group)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);  // words that follow are not its
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

void add_log_options(CLI::App& app, SettingFlags& flags) {
  add_text(app, "--log-level", flags.log_level, "LEVEL",
           "Log at debug (every tool call), info, warning, error, or off", kSettingsGroup);
  add_text(app, "--log-format", flags.log_format, "FORMAT", "text (the default) or json",
           kSettingsGroup);
  add_text(app, "--log-file", flags.log_file, "FILE",
           "Append the log there instead of standard error", kSettingsGroup);
}

void add_set_option(CLI::App& app, SettingFlags& flags) {
  add_repeated(app, "--set", flags.set, "KEY=VALUE",
               "Any key of the configuration file, for this once", kSettingsGroup);
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

void add_list(CLI::App& app, const char* name, std::vector<std::string>& value, const char* type,
              const char* description) {
  app.add_option(name, value, description)
      ->type_name(type)
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

}  // namespace wright::app
