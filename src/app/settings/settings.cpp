#include "app/settings/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/settings/url_password.h"
#include "core/text.h"
#include "postgres/place.h"

namespace wright::app {

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
  if (!store_.is_postgres() && !store_.is_server()) return store_.file;
  return std::get<std::string>(get(keys::kDatabasePath).value);
}

bool Settings::keeps_sessions_in_memory() const {
  return store_.is_in_memory();
}

std::filesystem::path Settings::base_path() const {
  return std::get<std::string>(get(keys::kBasePath).value);
}

std::filesystem::path Settings::database() const {
  const auto* path = std::get_if<std::string>(&get(keys::kDatabase).value);
  return path == nullptr ? std::filesystem::path() : std::filesystem::path(*path);
}

std::filesystem::path Settings::entity_folder() const {
  const bool is_wanted = std::get<bool>(get(keys::kEntityIndex).value);
  if (!is_wanted || database_path().empty() || keeps_sessions_in_memory()) return {};
  std::error_code problem;
  const auto database = std::filesystem::absolute(database_path(), problem);
  return problem ? std::filesystem::path() : database.parent_path() / "entities";
}

std::string Settings::model() const {
  return std::get<std::string>(get(keys::kModel).value);
}

bool Settings::flag(const ConfigKey& key) const {
  return std::get<bool>(get(key).value);
}

std::optional<int> Settings::count(const ConfigKey& key) const {
  const auto* value = std::get_if<std::int64_t>(&get(key).value);
  if (value == nullptr) return std::nullopt;
  return static_cast<int>(*value);
}

std::chrono::milliseconds Settings::duration(const ConfigKey& key) const {
  return duration_from(std::get<std::string>(get(key).value)).value();
}

std::optional<int> Settings::max_iterations() const {
  return count(keys::kMaxIterations);
}

std::vector<std::string> Settings::list(const ConfigKey& key) const {
  const auto* value = std::get_if<std::string>(&get(key).value);
  if (value == nullptr) return {};
  const auto names = names_in(*value);
  return {names.begin(), names.end()};
}

std::vector<std::string> Settings::fallback() const {
  return list(keys::kFallback);
}

std::vector<std::filesystem::path> Settings::readable() const {
  const auto names = list(keys::kReadable);
  return {names.begin(), names.end()};
}

std::vector<std::filesystem::path> Settings::writable() const {
  const auto names = list(keys::kWritable);
  return {names.begin(), names.end()};
}

std::optional<int> Settings::max_tokens() const {
  return count(keys::kMaxTokens);
}

std::optional<int> Settings::context_tokens() const {
  const auto tokens = count(keys::kContextTokens);
  return tokens == 0 ? std::nullopt : tokens;
}

store::QueueLimits Settings::queue_limits() const {
  const auto most = [&](const ConfigKey& key) -> std::optional<std::size_t> {
    const int wanted = count(key).value_or(0);
    if (wanted == 0) return std::nullopt;
    return static_cast<std::size_t>(wanted);
  };
  return {.most = most(keys::kMaxQueued), .most_of_each = most(keys::kMaxQueuedPerTenant)};
}

Limits Settings::limits(Limits own) const {
  if (const auto most = max_iterations()) own.max_iterations = *most;
  // In files, 0 is no limit.
  const auto limit = [this](const ConfigKey& key) {
    const auto most = count(key);
    return most == 0 ? std::nullopt : most;
  };
  own.max_tool_calls = limit(keys::kLimitToolCalls);
  own.max_tokens = limit(keys::kLimitTokens);
  own.max_cost_usd.reset();
  if (const auto cents = limit(keys::kLimitCents)) own.max_cost_usd = *cents / 100.0;
  const auto* time = std::get_if<std::string>(&get(keys::kLimitTime).value);
  if (time != nullptr) own.max_time = duration(keys::kLimitTime);
  own.max_repeats = limit(keys::kLimitRepeats);
  return own;
}

std::optional<ReasoningEffort> Settings::reasoning() const {
  const auto* value = std::get_if<std::string>(&get(keys::kReasoning).value);
  if (value == nullptr) return std::nullopt;
  if (*value == "none") return ReasoningEffort::none;
  if (*value == "low") return ReasoningEffort::low;
  return *value == "medium" ? ReasoningEffort::medium : ReasoningEffort::high;
}

HttpTimeouts Settings::http_timeouts() const {
  return {.connect = duration(keys::kConnectTimeout),
          .first_byte = duration(keys::kFirstByteTimeout),
          .idle = duration(keys::kIdleTimeout),
          .total = duration(keys::kTotalTimeout)};
}

RetryOptions Settings::http_retries() const {
  return {.retries = count(keys::kRetries).value(), .deadline = duration(keys::kDeadline)};
}

const Setting& Settings::get(const ConfigKey& key, std::string_view agent) const {
  const Setting& general = get(key);
  const auto own = std::ranges::find_if(of_agents_, [&](const AgentSetting& each) {
    return each.agent == agent && each.setting.key->full_name() == key.full_name();
  });
  if (own == of_agents_.end()) return general;
  const bool is_overridden =
      general.origin.source == Source::flag && own->setting.origin.source != Source::flag;
  return is_overridden ? general : own->setting;
}

SettingValue Settings::value(const ConfigKey& key, std::string_view agent,
                             const OwnValues& own) const {
  const Setting& setting = get(key, agent);
  const bool is_said_of_agent = &setting != &get(key);
  const auto said = own.find(key.full_name());
  if (said == own.end() || is_said_of_agent || setting.origin.source == Source::flag) {
    return setting.value;
  }
  return std::visit([](const auto& value) -> SettingValue { return value; }, said->second);
}

ToolExecutionOptions Settings::tool_execution(std::string_view agent, const OwnValues& own) const {
  const auto flag = [&](const ConfigKey& key) { return std::get<bool>(value(key, agent, own)); };
  const auto characters = std::get<std::int64_t>(value(keys::kTruncateLogs, agent, own));
  return {.enable_validation = flag(keys::kEnableValidation),
          .enable_logging = flag(keys::kEnableLogging),
          .enable_metadata = flag(keys::kEnableMetadata),
          .log_arguments = flag(keys::kLogArguments),
          // 0 in a file: all of them.
          .truncate_logs = characters > 0 ? std::optional<std::size_t>(characters) : std::nullopt};
}

DebugOptions Settings::debug(std::string_view agent, const OwnValues& own) const {
  const auto flag = [&](const ConfigKey& key) { return std::get<bool>(value(key, agent, own)); };
  return {.enabled = flag(keys::kDebugEnabled),
          .tool_feedback = {.enabled = flag(keys::kFeedbackEnabled),
                            .include_reasoning = flag(keys::kIncludeReasoning),
                            .include_limitations = flag(keys::kIncludeLimitations),
                            .include_suggestions = flag(keys::kIncludeSuggestions),
                            .include_alternatives = flag(keys::kIncludeAlternatives)},
          .verbose_logging = flag(keys::kVerboseLogging),
          .track_performance = flag(keys::kTrackPerformance)};
}

std::vector<intercept::PermissionRule> Settings::permissions() const {
  auto rules = rule_flags_.permissions();
  if (file_) rules.insert(rules.end(), file_->permissions.begin(), file_->permissions.end());
  return rules;
}

std::vector<CommandRule> Settings::command_rules() const {
  auto rules = rule_flags_.commands();
  if (file_) rules.insert(rules.end(), file_->command_rules.begin(), file_->command_rules.end());
  return rules;
}

std::string Settings::text(const ConfigKey& key) const {
  const auto* text = std::get_if<std::string>(&get(key).value);
  return text != nullptr ? *text : std::string();
}

std::vector<std::string> Settings::secrets() const {
  std::vector<std::string> values;
  for (const Setting& setting : all_) {
    const auto* text = std::get_if<std::string>(&setting.value);
    if (text == nullptr) continue;
    if (setting.key->type == KeyType::secret) {
      values.emplace_back(trimmed(*text));  // as they are sent
    } else if (const std::string_view password = password_in(*text); !password.empty()) {
      values.emplace_back(password);
    }
  }
  for (std::string& password : postgres::passwords_of(this->text(keys::kStore))) {
    values.push_back(std::move(password));
  }
  for (const McpServer& server : mcp_servers()) {
    values.insert(values.end(), server.secrets.begin(), server.secrets.end());
  }
  return values;
}

std::string masked(std::string_view secret) {
  constexpr std::size_t kShortest = 16;
  const bool is_plain = std::ranges::all_of(secret, [](char c) { return c > ' ' && c < 0x7F; });
  if (secret.size() < kShortest || !is_plain) return "…";
  return fmt::format("{}…{}", secret.substr(0, 3), secret.substr(secret.size() - 4));
}

}  // namespace wright::app
