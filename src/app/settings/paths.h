// Where Wright's files live by the XDG base directory rules. Looks at nothing but its arguments.
#pragma once

#include <filesystem>
#include <string_view>

#include "app/settings/environment.h"

namespace wright::app {

// $XDG_CONFIG_HOME/wright/config.toml, or ~/.config/wright/config.toml. Empty without a home.
std::filesystem::path default_config_file(const Environment& environment);

// $XDG_DATA_HOME/wright/agents.db, or ~/.local/share/wright/agents.db. Empty without a home.
std::filesystem::path default_database_file(const Environment& environment);

// $XDG_STATE_HOME/wright/output, or ~/.local/state/wright/output: what was too long for a model.
// Empty without a home.
std::filesystem::path default_output_folder(const Environment& environment);

// $XDG_CONFIG_HOME/wright/agents, or ~/.config/wright/agents: a person's own. Empty without a home.
std::filesystem::path user_agents_folder(const Environment& environment);
// Those that come with what lies below `base`.
std::filesystem::path project_agents_folder(const std::filesystem::path& base);
// Which of the latter a person has agreed to. Empty without a home.
std::filesystem::path trusted_agents_file(const Environment& environment);
// Where hashes of tokens are kept: $WRIGHT_TOKENS, for servers of several machines that share them, or
// beside the former. Empty without a home.
std::filesystem::path tokens_file(const Environment& environment);
// $XDG_STATE_HOME/wright/chat_history, or ~/.local/state/wright/chat_history. Empty without a home.
std::filesystem::path default_history_file(const Environment& environment);

// `~` and `~/…` become the home folder; everything else stays.
std::filesystem::path expand_home(std::string_view path, const Environment& environment);

// The other way round, for people: `~/…` for what lies in the home folder.
std::string shorten_home(const std::filesystem::path& path, const Environment& environment);

}  // namespace wright::app
