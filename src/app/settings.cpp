#include "app/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/paths.h"

namespace wright::app {
namespace {

std::optional<std::string> flag_for(const ConfigKey& key, const SettingFlags& flags) {
  if (key.name == keys::kDatabasePath.name) return flags.database_path;
  if (key.name == keys::kBasePath.name) return flags.base_path;
  if (key.name == keys::kModel.name) return flags.model;
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
  if (key.name == keys::kModel.name) return std::string("offline");
  if (key.name == keys::kZaiCodingPlan.name) return true;
  if (key.name == keys::kTruncateLogs.name) {
    return static_cast<std::int64_t>(ToolExecutionOptions{}.truncate_logs);
  }
  if (key.section == kToolExecution) return true;
  if (key.full_name() == keys::kLogFormat.full_name()) return std::string("text");
  if (key.full_name() == keys::kBashPreset.full_name()) return std::string("read_only");
  if (key.full_name() == keys::kBashSandbox.full_name()) return std::string("best_effort");
  if (key.full_name() == keys::kBashNetwork.full_name()) return std::string("off");
  return {};
}

// A value that came as text, from a flag or the environment. None of those are flags in the file.
Result<SettingValue> value_from(const ConfigKey& key, const std::string& text,
                                const Origin& origin) {
  if (text.empty()) {
    return fail(ErrorCode::invalid_argument, fmt::format("{} must not be empty", origin.place));
  }
  if (key.type != KeyType::count) return SettingValue(text);
  std::int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stopped != end) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} must be a whole number, not '{}'", origin.place, text));
  }
  if (const std::string problem = problem_with_count(key, count); !problem.empty()) {
    return fail(ErrorCode::invalid_argument, fmt::format("{} {}", origin.place, problem));
  }
  return SettingValue(count);
}

Result<Setting> resolve(const ConfigKey& key, const SettingFlags& flags,
                        const Environment& environment, const std::optional<ConfigFile>& file) {
  const auto from_text = [&](const std::string& text, Origin origin) -> Result<Setting> {
    auto value = value_from(key, text, origin);
    if (!value) return std::unexpected(value.error());
    return Setting{&key, std::move(*value), std::move(origin)};
  };
  if (const auto given = flag_for(key, flags)) {
    return from_text(*given, {Source::flag, std::string(key.flag)});
  }
  if (!key.environment_variable.empty()) {
    if (const auto given = environment.find_non_empty(key.environment_variable)) {
      return from_text(*given, {Source::environment, std::string(key.environment_variable)});
    }
  }
  if (file) {
    const auto found = file->values.find(key.full_name());
    const auto* text =
        found == file->values.end() ? nullptr : std::get_if<std::string>(&found->second.value);
    const bool is_blank = text != nullptr && text->empty();
    if (found != file->values.end() && !is_blank) {
      SettingValue value =
          std::visit([](const auto& v) { return SettingValue(v); }, found->second.value);
      return Setting{&key,
                     std::move(value),
                     {Source::file, fmt::format("{}:{}", file->path.string(), found->second.line)}};
    }
  }
  return Setting{&key, default_of(key, environment), {}};
}

}  // namespace

std::string Origin::text() const {
  switch (source) {
    case Source::flag: return "flag " + place;
    case Source::environment: return "environment " + place;
    case Source::file: return place;
    case Source::fallback: break;
  }
  return "default";
}

const Setting& Settings::get(const ConfigKey& key) const {
  return *std::ranges::find_if(all_, [&](const Setting& setting) {
    return setting.key->section == key.section && setting.key->name == key.name;
  });
}

std::filesystem::path Settings::database_path() const {
  return std::get<std::string>(get(keys::kDatabasePath).value);
}

std::filesystem::path Settings::base_path() const {
  return std::get<std::string>(get(keys::kBasePath).value);
}

std::string Settings::model() const {
  return std::get<std::string>(get(keys::kModel).value);
}

std::optional<int> Settings::max_iterations() const {
  const auto* value = std::get_if<std::int64_t>(&get(keys::kMaxIterations).value);
  if (value == nullptr) return std::nullopt;
  return static_cast<int>(*value);
}

ToolExecutionOptions Settings::tool_execution(std::string_view agent) const {
  // The agent's own value where the file has one.
  const auto find = [&](const ConfigKey& key) -> SettingValue {
    if (file_) {
      const auto own = file_->values.find(
          fmt::format("{}.{}.{}.{}", kAgentSections, agent, kToolExecution, key.name));
      if (own != file_->values.end()) {
        return std::visit([](const auto& value) { return SettingValue(value); }, own->second.value);
      }
    }
    return get(key).value;
  };
  const auto flag = [&](const ConfigKey& key) { return std::get<bool>(find(key)); };
  return {
      .enable_validation = flag(keys::kEnableValidation),
      .enable_logging = flag(keys::kEnableLogging),
      .enable_metadata = flag(keys::kEnableMetadata),
      .log_arguments = flag(keys::kLogArguments),
      .truncate_logs = static_cast<std::size_t>(std::get<std::int64_t>(find(keys::kTruncateLogs)))};
}

std::vector<intercept::PermissionRule> Settings::permissions() const {
  return file_ ? file_->permissions : std::vector<intercept::PermissionRule>();
}

std::vector<CommandRule> Settings::command_rules() const {
  return file_ ? file_->command_rules : std::vector<CommandRule>();
}

std::string Settings::text(const ConfigKey& key) const {
  const auto* text = std::get_if<std::string>(&get(key).value);
  return text != nullptr ? *text : std::string();
}

std::vector<std::string> Settings::secrets() const {
  std::vector<std::string> values;
  for (const Setting& setting : all_) {
    const auto* text = std::get_if<std::string>(&setting.value);
    if (setting.key->type == KeyType::secret && text != nullptr) values.push_back(*text);
  }
  return values;
}

ConfigLocation locate_config(const SettingFlags& flags, const Environment& environment) {
  if (flags.config) return {expand_home(*flags.config, environment), {Source::flag, "--config"}};
  if (const auto given = environment.find_non_empty("WRIGHT_CONFIG")) {
    return {expand_home(*given, environment), {Source::environment, "WRIGHT_CONFIG"}};
  }
  return {default_config_file(environment), {}};
}

Result<Settings> load_settings(const SettingFlags& flags, const Environment& environment) {
  Settings settings;
  settings.command_environment_ =
      clean_environment(Variables(environment.all().begin(), environment.all().end()));
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
    auto setting = resolve(key, flags, environment, settings.file_);
    if (!setting) return std::unexpected(std::move(setting).error());
    if (key.type == KeyType::path) {
      if (auto* path = std::get_if<std::string>(&setting->value)) {
        *path = expand_home(*path, environment).string();
      }
    }
    settings.all_.push_back(std::move(*setting));
  }
  return settings;
}

std::string masked(std::string_view secret) {
  constexpr std::size_t kShortest = 16;
  const bool is_plain = std::ranges::all_of(secret, [](char c) { return c > ' ' && c < 0x7F; });
  if (secret.size() < kShortest || !is_plain) return "…";
  return fmt::format("{}…{}", secret.substr(0, 3), secret.substr(secret.size() - 4));
}

}  // namespace wright::app
