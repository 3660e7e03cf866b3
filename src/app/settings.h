// The effective settings: flag over environment over file over default, and where each came from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/config.h"
#include "app/environment.h"
#include "wright/sandbox.h"

namespace wright::app {

// What the command line said; absent is what it did not mention.
struct SettingFlags {
  std::optional<std::string> config;
  std::optional<std::string> database_path;
  std::optional<std::string> base_path;
  std::optional<std::string> model;
  std::optional<std::int64_t> max_iterations;
  std::optional<std::string> log_level;
  std::optional<std::string> log_format;
  std::optional<std::string> log_file;
};

enum class Source : std::uint8_t { flag, environment, file, fallback };

struct Origin {
  Source source = Source::fallback;
  std::string place;  // "--model", "WRIGHT_MODEL", "config.toml:3"; empty for a default

  std::string text() const;  // "flag --model", "environment WRIGHT_MODEL", …
};

// monostate: nothing sets it, and there is no default.
using SettingValue = std::variant<std::monostate, std::string, bool, std::int64_t>;

struct Setting {
  const ConfigKey* key = nullptr;
  SettingValue value;
  Origin origin;
};

class Settings {
 public:
  const std::vector<Setting>& all() const { return all_; }
  const Setting& get(const ConfigKey& key) const;

  // Absent when no file was read.
  const std::optional<ConfigFile>& file() const { return file_; }

  std::filesystem::path database_path() const;  // empty without a home folder
  std::filesystem::path base_path() const;
  std::string model() const;
  std::optional<int> max_iterations() const;
  // [tool_execution], and what the agent's own section changes.
  ToolExecutionOptions tool_execution(std::string_view agent) const;
  std::vector<intercept::PermissionRule> permissions() const;
  std::vector<CommandRule> command_rules() const;
  // What programs that tools start get to see of the environment.
  const Variables& command_environment() const { return command_environment_; }
  const std::filesystem::path& temporary_folder() const { return temporary_folder_; }
  std::string text(const ConfigKey& key) const;  // empty when nothing sets it
  // Every key that is set, so that none is shown or logged.
  std::vector<std::string> secrets() const;

 private:
  friend Result<Settings> load_settings(const SettingFlags&, const Environment&);
  std::vector<Setting> all_;
  std::optional<ConfigFile> file_;
  Variables command_environment_;
  std::filesystem::path temporary_folder_;
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
