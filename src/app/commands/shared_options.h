// Options that several commands have, for CLI11.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/command_options.h"

namespace wright::app {

inline constexpr const char* kSettingsGroup = "Settings";
inline constexpr std::string_view kSessionId = "the session's ID";
inline constexpr std::string_view kAgentName = "the agent's name";

std::string missing(std::string_view what);
LineCheck needs(const std::string& value, std::string_view what);
void add_text(CLI::App& app, const char* names, std::optional<std::string>& value, const char* type,
              const char* description, const char* group = "Options");
// One value each time, as often as one likes.
void add_repeated(CLI::App& app, const char* names, std::vector<std::string>& values,
                  const char* type, const char* description, const char* group = "Options");
void add_config_option(CLI::App& app, SettingFlags& flags);
void add_database_option(CLI::App& app, SettingFlags& flags);
// For commands that can be clients of a server.
void add_server_option(CLI::App& app, SettingFlags& flags);
void add_store_options(CLI::App& app, SettingFlags& flags);
void add_base_path_option(CLI::App& app, SettingFlags& flags);
void add_log_options(CLI::App& app, SettingFlags& flags);
void add_set_option(CLI::App& app, SettingFlags& flags);
void add_all_settings(CLI::App& app, SettingFlags& flags);
void add_json(CLI::App& app, OutputFormat& output, const char* description);
// Words with commas between them, or the option several times.
void add_list(CLI::App& app, const char* name, std::vector<std::string>& value, const char* type,
              const char* description);

}  // namespace wright::app
