#include "app/settings/own_files.h"

#include <algorithm>
#include <system_error>

#include "app/settings/paths.h"
#include "core/paths.h"

namespace wright::app {
namespace {

std::filesystem::path real(const std::filesystem::path& path) {
  std::error_code problem;
  auto canonical = std::filesystem::weakly_canonical(path, problem);
  return problem ? std::filesystem::absolute(path, problem) : canonical;
}

}  // namespace

OwnFiles own_files(const OwnFilesOf& of, const Environment& environment) {
  OwnFiles found;
  const auto add = [&](const std::filesystem::path& path) {
    if (path.empty()) return;
    auto there = real(path);
    auto& files = found.files;
    if (std::ranges::find(files, there) == files.end()) files.push_back(std::move(there));
  };
  const auto add_folder_of = [&](const std::filesystem::path& file) {
    if (file.empty()) return;
    const auto folder = real(file.parent_path());
    const bool holds_work = std::ranges::any_of(
        of.workplaces, [&](const auto& place) { return lies_in(real(place), folder); });
    if (!holds_work) found.folders.push_back(folder);
  };
  const auto trusted = trusted_agents_file(environment);
  const auto tokens = tokens_file(environment);
  add_folder_of(default_config_file(environment));
  add_folder_of(default_database_file(environment));
  add_folder_of(trusted);
  // Also where the folder around them could not be hidden.
  add(of.config);
  const auto config = default_config_file(environment);
  add(config);
  if (!config.empty()) add(config.parent_path() / "hooks.json");
  add(trusted);
  if (!trusted.empty()) add(trusted.parent_path() / "mcp_tokens.json");
  add(tokens);
  if (!tokens.empty()) {
    add(std::filesystem::path(tokens) += ".lock");
    add(tokens.parent_path() / "mcp_key");
  }
  if (!of.database.empty()) {
    for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
      add(std::filesystem::path(of.database) += ending);
    }
  }
  return found;
}

}  // namespace wright::app
