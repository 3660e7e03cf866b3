#include "app/settings/paths.h"

#include <fmt/format.h>

namespace wright::app {
namespace {

// The specification says that a relative path in these variables is to be ignored.
std::filesystem::path base_folder(const Environment& environment, std::string_view variable,
                                  std::string_view below_home) {
  if (const auto given = environment.find_non_empty(variable); given && given->front() == '/') {
    return *given;
  }
  const auto home = environment.find_non_empty("HOME");
  if (!home) return {};
  return std::filesystem::path(*home) / below_home;
}

}  // namespace

std::filesystem::path default_config_file(const Environment& environment) {
  const auto folder = base_folder(environment, "XDG_CONFIG_HOME", ".config");
  return folder.empty() ? folder : folder / "wright" / "config.toml";
}

std::filesystem::path default_database_file(const Environment& environment) {
  const auto folder = base_folder(environment, "XDG_DATA_HOME", ".local/share");
  return folder.empty() ? folder : folder / "wright" / "agents.db";
}

std::filesystem::path default_output_folder(const Environment& environment) {
  const auto folder = base_folder(environment, "XDG_STATE_HOME", ".local/state");
  return folder.empty() ? folder : folder / "wright" / "output";
}

std::filesystem::path user_agents_folder(const Environment& environment) {
  const auto folder = base_folder(environment, "XDG_CONFIG_HOME", ".config");
  return folder.empty() ? folder : folder / "wright" / "agents";
}

std::filesystem::path project_agents_folder(const std::filesystem::path& base) {
  return base / ".wright" / "agents";
}

std::filesystem::path trusted_agents_file(const Environment& environment) {
  const auto folder = base_folder(environment, "XDG_STATE_HOME", ".local/state");
  return folder.empty() ? folder : folder / "wright" / "trusted_agents.json";
}

std::filesystem::path tokens_file(const Environment& environment) {
  if (const auto given = environment.find_non_empty("WRIGHT_TOKENS")) {
    return expand_home(*given, environment);
  }
  const auto beside = trusted_agents_file(environment);
  return beside.empty() ? beside : beside.parent_path() / "tokens.json";
}

std::filesystem::path default_history_file(const Environment& environment) {
  const auto folder = base_folder(environment, "XDG_STATE_HOME", ".local/state");
  return folder.empty() ? folder : folder / "wright" / "chat_history";
}

std::filesystem::path expand_home(std::string_view path, const Environment& environment) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const auto home = environment.find_non_empty("HOME");
  if (!home) return path;
  if (path.size() <= 2) return *home;
  return std::filesystem::path(*home) / path.substr(2);
}

std::string shorten_home(const std::filesystem::path& path, const Environment& environment) {
  std::string text = path.string();
  const auto home = environment.find_non_empty("HOME");
  if (!home || *home == "/" || !text.starts_with(*home)) return text;
  if (text.size() == home->size()) return "~";
  if (text[home->size()] != '/') return text;
  return fmt::format("~{}", std::string_view(text).substr(home->size()));
}

}  // namespace wright::app
