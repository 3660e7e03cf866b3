// Where every setting comes from: a flag, --set, the environment, the file, or what holds by
// default.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "app/settings/paths.h"
#include "app/settings/settings.h"
#include "core/nearest.h"
#include "core/try.h"

namespace wright::app {
namespace {

std::optional<std::string> flag_for(const ConfigKey& key, const SettingFlags& flags) {
  if (key.name == keys::kDatabasePath.name) return flags.database_path;
  if (key.full_name() == keys::kStore.full_name()) return flags.store;
  if (key.name == keys::kBasePath.name) return flags.base_path;
  if (key.name == keys::kDatabase.name) return flags.database;
  if (key.full_name() == keys::kModel.full_name()) return flags.model;
  if (key.name == keys::kMaxIterations.name && flags.max_iterations) {
    return fmt::format("{}", *flags.max_iterations);
  }
  if (key.full_name() == keys::kLogLevel.full_name()) return flags.log_level;
  if (key.full_name() == keys::kLogFormat.full_name()) return flags.log_format;
  if (key.full_name() == keys::kLogFile.full_name()) return flags.log_file;
  return std::nullopt;
}

SettingValue default_of(const ConfigKey& key, const Environment& environment) {
  if (key.name == keys::kDatabasePath.name) return default_database_file(environment).string();
  if (key.name == keys::kBasePath.name) return std::string(".");
  if (key.full_name() == keys::kModel.full_name()) return std::string("offline");
  if (key.name == keys::kZaiCodingPlan.name) return true;
  if (!key.fallback.empty()) return setting_value_from(key, key.fallback).value();
  return {};
}

// A value that came as text: from a flag or from the environment.
Result<Setting> setting_from(const ConfigKey& key, const std::string& text, Origin origin) {
  if (text.empty()) {
    return fail(ErrorCode::invalid_argument, fmt::format("{} must not be empty", origin.place));
  }
  auto value = setting_value_from(key, text);
  if (!value) {
    return fail(value.error().code, fmt::format("{} {}", origin.place, value.error().message));
  }
  return Setting{&key, std::move(*value), std::move(origin)};
}

// The stronger of the two sources counts; of two equal ones, the store.
Result<StorePlace> chosen_store(const Setting& store, const Setting& file,
                                const SettingFlags& flags, const Environment& environment) {
  if (flags.store && flags.database_path) {
    return fail(ErrorCode::invalid_argument,
                "--store and --database-path both say where sessions are kept: use one of them");
  }
  const bool is_said = flags.store || flags.database_path;
  if (flags.server && is_said) {
    return fail(ErrorCode::invalid_argument,
                "--server says that a server keeps the sessions: leave out --store and "
                "--database-path");
  }
  std::optional<std::string> server = flags.server;
  if (!server && flags.may_be_client && !is_said) {
    server = environment.find_non_empty("WRIGHT_SERVER");
  }
  if (server) return server_place_from(*server, environment);
  const auto* place = std::get_if<std::string>(&store.value);
  if (place == nullptr || store.origin.source > file.origin.source) {
    return StorePlace{.file = std::get<std::string>(file.value)};
  }
  auto chosen = store_place_from(*place, environment);
  if (!chosen) {
    return fail(chosen.error().code,
                fmt::format("{}: {}", store.origin.text(), chosen.error().message));
  }
  return chosen;
}

// agents.NAME.tool_execution.KEY, agents.NAME.debug.KEY
struct AgentKey {
  std::string agent;
  const ConfigKey* key;
};

const ConfigKey* find_key(std::string_view full_name) {
  const auto found = std::ranges::find(kConfigKeys, full_name, &ConfigKey::full_name);
  return found == kConfigKeys.end() ? nullptr : &*found;
}

std::optional<AgentKey> agent_key_from(std::string_view full_name) {
  const std::string before = fmt::format("{}.", kAgentSections);
  if (!full_name.starts_with(before)) return std::nullopt;
  for (const std::string_view section : kSectionsOfAgents) {
    const std::size_t middle = full_name.rfind(fmt::format(".{}.", section));
    if (middle == std::string_view::npos || middle <= before.size()) continue;
    const ConfigKey* key = find_key(full_name.substr(middle + 1));
    if (key == nullptr) continue;
    return AgentKey{std::string(full_name.substr(before.size(), middle - before.size())), key};
  }
  return std::nullopt;
}

// vendors.NAME.KEY, models."VENDOR:NAME".KEY: the catalogue's, which checks them.
bool is_catalogue_key(std::string_view name) {
  return name.starts_with(fmt::format("{}.", kVendorRows)) ||
         name.starts_with(fmt::format("{}.", kModelRows));
}

// What --set says: values by the full names of keys, and rules.
struct Given {
  std::map<std::string, std::string, std::less<>> values = {};
  RuleFlags rules = {};
};

std::string unknown_key(std::string_view name) {
  std::vector<std::string> names;
  names.reserve(kConfigKeys.size());
  for (const ConfigKey& key : kConfigKeys) names.push_back(key.full_name());
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string suggestion = did_you_mean(name, candidates);
  return fmt::format("--set {}: unknown key{}", name,
                     suggestion.empty() ? "; `wright config` lists the keys" : suggestion);
}

Result<Given> given_by(const std::vector<std::string>& assignments) {
  Given given;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("--set needs KEY=VALUE, such as tool_execution.timeout=30s, not '{}'",
                              assignment));
    }
    const auto rule = TRY(given.rules.take(assignment));
    if (rule == RuleFlag::taken) continue;
    const std::string name = assignment.substr(0, equals);
    const ConfigKey* key = find_key(name);
    if (is_catalogue_key(name)) {
      given.values[name] = assignment.substr(equals + 1);
      continue;
    }
    if (key == nullptr && !agent_key_from(name)) {
      return fail(ErrorCode::invalid_argument, unknown_key(name));
    }
    if (key != nullptr && key->type == KeyType::secret) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("--set {}: other users can read a command line; use the environment "
                              "variable {}",
                              name, key->environment_variable));
    }
    given.values[name] = assignment.substr(equals + 1);
  }
  return given;
}

Origin origin_of_set(std::string_view name) {
  return {Source::flag, fmt::format("--set {}", name)};
}

Setting setting_from(const ConfigKey& key, const ConfigValue& value, const ConfigFile& file) {
  return {&key,
          std::visit([](const auto& each) { return SettingValue(each); }, value.value),
          {Source::file, fmt::format("{}:{}", file.path.string(), value.line)}};
}

std::optional<Result<Setting>> from_environment(const ConfigKey& key,
                                                const Environment& environment) {
  if (key.environment_variable.empty()) return std::nullopt;
  auto value = environment.find_non_empty(key.environment_variable);
  if (!value) return std::nullopt;
  // As switches in the environment usually are.
  if (key.type == KeyType::flag && (*value == "1" || *value == "0")) {
    *value = *value == "1" ? "true" : "false";
  }
  return setting_from(key, *value, {Source::environment, std::string(key.environment_variable)});
}

std::optional<Result<Setting>> from_file(const ConfigKey& key,
                                         const std::optional<ConfigFile>& file) {
  if (!file) return std::nullopt;
  const auto found = file->values.find(key.full_name());
  if (found == file->values.end()) return std::nullopt;
  const auto* text = std::get_if<std::string>(&found->second.value);
  if (text != nullptr && text->empty()) return std::nullopt;
  return setting_from(key, found->second, *file);
}

Result<Setting> resolve(const ConfigKey& key, const SettingFlags& flags, const Given& given,
                        const Environment& environment, const std::optional<ConfigFile>& file) {
  if (const auto flag = flag_for(key, flags)) {
    return setting_from(key, *flag, {Source::flag, std::string(key.flag)});
  }
  if (const auto set = given.values.find(key.full_name()); set != given.values.end()) {
    return setting_from(key, set->second, origin_of_set(set->first));
  }
  auto in_environment = from_environment(key, environment);
  if (in_environment && !key.file_wins) return std::move(*in_environment);
  if (auto in_file = from_file(key, file)) return std::move(*in_file);
  if (in_environment) return std::move(*in_environment);
  return Setting{&key, default_of(key, environment), {}};
}

// What the file and --set say about single agents, by full names; --set wins.
Result<std::vector<AgentSetting>> resolve_agents(const Given& given,
                                                 const std::optional<ConfigFile>& file) {
  std::map<std::string, AgentSetting, std::less<>> found;
  if (file) {
    for (const auto& [name, value] : file->values) {
      const auto own = agent_key_from(name);
      if (own)
        found.insert_or_assign(name,
                               AgentSetting{own->agent, setting_from(*own->key, value, *file)});
    }
  }
  for (const auto& [name, text] : given.values) {
    const auto own = agent_key_from(name);
    if (!own) continue;
    auto setting = TRY(setting_from(*own->key, text, origin_of_set(name)));
    found.insert_or_assign(name, AgentSetting{own->agent, std::move(setting)});
  }
  std::vector<AgentSetting> list;
  list.reserve(found.size());
  for (auto& [name, setting] : found) list.push_back(std::move(setting));
  return list;
}

}  // namespace

ConfigLocation locate_config(const SettingFlags& flags, const Environment& environment) {
  if (flags.config) return {expand_home(*flags.config, environment), {Source::flag, "--config"}};
  if (const auto given = environment.find_non_empty("WRIGHT_CONFIG")) {
    return {expand_home(*given, environment), {Source::environment, "WRIGHT_CONFIG"}};
  }
  return {default_config_file(environment), {}};
}

Result<Settings> load_settings(const SettingFlags& flags, const Environment& environment) {
  Settings settings;
  const auto given = TRY(given_by(flags.set));
  settings.flags_ = flags;
  settings.command_environment_ =
      clean_environment(Variables(environment.all().begin(), environment.all().end()));
  settings.output_folder_ = default_output_folder(environment);
  settings.trust_file_ = trusted_agents_file(environment);
  settings.home_folder_ = environment.find_non_empty("HOME").value_or("");
  settings.person_folder_ = default_config_file(environment).parent_path();
  settings.temporary_folder_ = environment.find_non_empty("TMPDIR").value_or("/tmp");
  const ConfigLocation location = locate_config(flags, environment);
  if (location.must_exist() || !location.path.empty()) {
    auto file = read_config(location.path, environment);
    if (file) {
      settings.file_ = std::move(*file);
    } else if (location.must_exist() || file.error().code != ErrorCode::not_found) {
      return std::unexpected(std::move(file).error());
    }
  }
  for (const ConfigKey& key : kConfigKeys) {
    auto setting = TRY(resolve(key, flags, given, environment, settings.file_));
    if (key.type == KeyType::path) {
      if (auto* path = std::get_if<std::string>(&setting.value)) {
        *path = expand_home(*path, environment).string();
      }
    }
    settings.all_.push_back(std::move(setting));
  }
  settings.store_ = TRY(chosen_store(settings.get(keys::kStore), settings.get(keys::kDatabasePath),
                                     flags, environment));
  if (const auto* folder = std::get_if<std::string>(&settings.get(keys::kOutputFolder).value)) {
    settings.output_folder_ = *folder;
  }
  settings.of_agents_ = TRY(resolve_agents(given, settings.file_));
  for (const auto& [name, text] : given.values) {
    if (is_catalogue_key(name)) settings.catalogue_flags_.emplace_back(name, text);
  }
  settings.rule_flags_ = given.rules;
  settings.redactor_ = Redactor(settings.secrets());
  OwnFilesOf own{.config = location.path, .workplaces = settings.writable()};
  if (!settings.keeps_sessions_in_memory()) own.database = settings.database_path();
  own.workplaces.push_back(settings.base_path());
  std::ranges::copy(settings.readable(), std::back_inserter(own.workplaces));
  settings.own_files_ = wright::app::own_files(own, environment);
  return settings;
}

}  // namespace wright::app
