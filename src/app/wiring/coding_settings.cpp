#include "app/wiring/coding_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/wiring/bash_settings.h"
#include "app/wiring/store_identity.h"
#include "core/fingerprint.h"
#include "core/try.h"
#include "interceptors/glob.h"
#include "project/notes.h"

namespace wright::app {
namespace {

bool is_whole_home(const Settings& settings) {
  std::error_code error;
  const auto base = std::filesystem::weakly_canonical(settings.base_path(), error);
  if (error || !base.has_relative_path()) return true;
  if (settings.home_folder().empty()) return false;
  const auto home = std::filesystem::weakly_canonical(settings.home_folder(), error);
  // A folder that the home is in holds the home as well.
  return !error && std::filesystem::path(home / "").string().starts_with((base / "").string());
}

bool is_unsaid(const Settings& settings, const ConfigKey& key) {
  return settings.get(key).origin.source == Source::fallback;
}

}  // namespace

SettingFlags with_coding_defaults(std::string_view agent, SettingFlags flags,
                                  const Settings& settings) {
  if (canonical_agent_name(agent) != kCodingAgent || is_whole_home(settings)) return flags;
  const auto add = [&](const ConfigKey& key, std::string_view value) {
    if (!is_unsaid(settings, key)) return;
    flags.set.insert(flags.set.begin(), fmt::format("{}={}", key.full_name(), value));
  };
  add(keys::kWritable, ".");
  add(keys::kBashPreset, "workspace");
  return flags;
}

namespace {

// Which database it is; not who asks for it, nor how.
std::string database_in(std::string_view uri) {
  const std::size_t question = std::min(uri.find('?'), uri.size());
  std::string_view place = uri.substr(0, question);
  std::string_view rest = uri.substr(question);
  const std::size_t slashes = place.find("//");
  if (slashes != std::string_view::npos) place.remove_prefix(slashes + 2);
  if (const std::size_t at = place.substr(0, place.find('/')).rfind('@');
      at != std::string_view::npos) {
    place.remove_prefix(at + 1);
  }
  std::string named(place);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(one.size());
    const std::string_view name = one.substr(0, one.find('='));
    if (name == "host" || name == "hostaddr" || name == "port" || name == "dbname") {
      (named += '&') += one;
    }
  }
  return named;
}

// By the user. What a server says of its own tools is no reason not to ask.
bool is_said_to_read(std::string_view tool, std::span<const McpServer> servers) {
  for (const McpServer& server : servers) {
    const std::string prefix = server.name + "__";
    if (!tool.starts_with(prefix)) continue;
    for (const auto& [pattern, effect] : server.effects) {
      if (intercept::matches_glob(pattern, tool.substr(prefix.size()))) {
        return effect == Effect::read;
      }
    }
  }
  return false;
}

}  // namespace

std::filesystem::path changes_folder(const Settings& settings) {
  const bool is_wanted = settings.flag(keys::kUndo);
  if (!is_wanted || settings.database_path().empty() || settings.keeps_sessions_in_memory()) {
    return {};
  }
  std::error_code problem;
  // However it is spelt.
  const auto database = std::filesystem::weakly_canonical(
      std::filesystem::absolute(settings.database_path(), problem), problem);
  if (problem) return {};
  // Numbers of sessions mean something within one store only.
  const std::string place = settings.store().is_postgres()
                                ? database_in(settings.store().uri) + " " + settings.store().schema
                                : database.string();
  return database.parent_path() / "changes" /
         fmt::format("{:016x}", fingerprint_of(std::string_view(place)));
}

void ask_about_others(std::span<Tool> tools, const Settings& settings) {
  const auto rules = settings.permissions();
  const auto servers = settings.mcp_servers();
  for (Tool& tool : tools) {
    const bool has_rule = std::ranges::any_of(rules, [&](const intercept::PermissionRule& rule) {
      return intercept::matches_glob(rule.tool, tool.spec.name);
    });
    if (!has_rule && !is_said_to_read(tool.spec.name, servers)) {
      tool.spec.options.needs_approval = true;
    }
  }
}

Result<CodingSetup> coding_setup(const Settings& settings, FileAccess access,
                                 std::optional<CodeIndexOptions> index) {
  CodingSetup setup;
  setup.options.bash = TRY(bash_options(settings));
  // What no rule knows is a question for the person, not a refusal.
  setup.options.bash.rules.push_back({"*", Permission::ask});
  setup.options.changes = changes_folder(settings);
  setup.options.name_store = identity_of_store(settings);
  setup.options.access = std::move(access);
  setup.options.index = std::move(index);
  auto notes = project::read_notes({.base = settings.base_path(),
                                    .person = settings.person_folder(),
                                    .home = settings.home_folder()});
  setup.options.notes = std::move(notes.text);
  setup.notes = std::move(notes.problems);
  if (setup.options.access.writable.empty()) {
    setup.notes.push_back(
        is_whole_home(settings)
            ? "coding changes nothing here: it does not take a whole home folder for a project. "
              "Start it in the folder of one."
            : "coding changes nothing here: no folder may be written. --set agent.writable=. "
              "allows it.");
  }
  return setup;
}

}  // namespace wright::app
