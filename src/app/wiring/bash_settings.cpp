#include "app/wiring/bash_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/wiring/coding_settings.h"
#include "app/wiring/project_files.h"
#include "core/try.h"

namespace wright::app {
namespace {

template <class Value>
Result<Value> named(const Settings& settings, const ConfigKey& key,
                    Result<Value> (*from)(std::string_view)) {
  auto value = from(settings.text(key));
  if (value) return value;
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} {}", key.full_name(), value.error().message));
}

std::vector<std::filesystem::path> paths_of(std::string_view text) {
  std::vector<std::filesystem::path> paths;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    if (end > 0) paths.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return paths;
}

// A list in the configuration cannot be empty; the one word `none` stands for that.
std::vector<std::string> list_or_none(const Settings& settings, const ConfigKey& key) {
  auto names = settings.list(key);
  if (names == std::vector<std::string>{"none"}) names.clear();
  return names;
}

// The preset asks before a command leaves its folder by an absolute path; the folder itself may be
// named that way.
void allow_inside(const std::filesystem::path& base, std::vector<CommandRule>& rules) {
  const std::string path = base.string();
  if (path.find_first_of("\"*?") != std::string::npos) return;
  constexpr auto kAllow = intercept::Permission::allow;
  constexpr auto kAsk = intercept::Permission::ask;
  rules.push_back({"cd *..*", kAsk});
  rules.push_back({"> *..*", kAsk});
  rules.push_back({fmt::format("cd \"{}\"", path), kAllow});
  rules.push_back({fmt::format("cd \"{}/*\"", path), kAllow});
  rules.push_back({fmt::format("> \"{}/*\"", path), kAllow});
}

void add_own_files(const Settings& settings, std::vector<std::string>& protected_paths,
                   std::vector<std::string>& unreadable) {
  const auto& [folders, files] = settings.own_files();
  for (const auto& path : files) unreadable.push_back(path.string());
  for (const auto& path : folders) {
    unreadable.push_back(path.string());
    protected_paths.push_back(path.string());  // it cannot be made either
  }
  // What undo brings back lies beside the database, wherever that is.
  if (const auto changes = changes_folder(settings); !changes.empty()) {
    unreadable.push_back(changes.string());
    protected_paths.push_back(changes.string());
  }
}

}  // namespace

std::filesystem::path absolute_base(const Settings& settings) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(settings.base_path(), ignored);
}

GuardedFiles guarded_files(const Settings& settings) {
  GuardedFiles guarded{.protected_paths = list_or_none(settings, keys::kBashProtected),
                       .unreadable = list_or_none(settings, keys::kBashUnreadable)};
  // A path is meant below the base whatever may be written.
  for (const std::string& name : std::vector(guarded.protected_paths)) {
    const std::filesystem::path path(name);
    if (path.is_relative() && path.has_parent_path()) {
      guarded.protected_paths.push_back(
          (absolute_base(settings) / path).lexically_normal().string());
    }
  }
  for (const auto& path : hook_files(settings)) guarded.protected_paths.push_back(path.string());
  add_own_files(settings, guarded.protected_paths, guarded.unreadable);
  return guarded;
}

Result<BashOptions> bash_options(const Settings& settings) {
  const auto preset = TRY(named(settings, keys::kBashPreset, command_preset_from));
  const auto mode = TRY(named(settings, keys::kBashSandbox, sandbox_mode_from));
  const auto network = TRY(named(settings, keys::kBashNetwork, network_access_from));

  BashOptions options;
  options.base = absolute_base(settings);
  options.rules = settings.command_rules();
  // A preset that only looks gets a folder that can only be looked at.
  const bool may_write = preset == CommandPreset::workspace || preset == CommandPreset::none;
  if (preset == CommandPreset::workspace) allow_inside(options.base, options.rules);
  std::ranges::move(rules_of(preset), std::back_inserter(options.rules));

  options.policy.mode = mode;
  options.policy.network = network;
  options.policy.environment = settings.command_environment();
  options.policy.temporary_root = settings.temporary_folder();
  options.policy.read_paths = paths_of(settings.text(keys::kBashReadPaths));
  options.policy.write_paths = paths_of(settings.text(keys::kBashWritePaths));
  if (may_write) options.policy.write_paths.push_back(options.base);
  GuardedFiles guarded = guarded_files(settings);
  options.policy.protected_paths = std::move(guarded.protected_paths);
  options.policy.unreadable = std::move(guarded.unreadable);
  return options;
}

}  // namespace wright::app
