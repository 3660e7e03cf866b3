#include "app/wiring/session_beginning.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "app/settings/url_password.h"
#include "app/wiring/known_agents.h"
#include "core/json_members.h"
#include "core/sampling_json.h"
#include "wright/interceptors.h"

namespace wright::app {
namespace {

// --- writing -------------------------------------------------------------------------------------

JsonObject record_of(const ReadyAgent& ready) {
  const Agent& agent = ready.chosen.agent;
  JsonArray tools;
  for (const Tool& tool : agent.tools) tools.emplace_back(tool.spec.name);
  JsonObject record{{"agent", agent.name},
                    {"model", ready.chosen.model},
                    {"max_iterations", agent.limits.max_iterations},
                    {"max_tokens", agent.sampling.max_tokens},
                    {"context_tokens", agent.context_tokens.value_or(0)},
                    {"tools", std::move(tools)}};
  if (!agent.domain.empty()) record["domain"] = agent.domain;
  if (!agent.metadata.is_null()) record["metadata"] = agent.metadata;
  for (auto& [key, value] : sampling_json(agent.sampling)) record[key] = std::move(value);
  JsonArray specialists;
  for (const ReadyAgent& specialist : ready.specialists) {
    JsonObject below = record_of(specialist);
    // Those of the agent itself are kept with its session.
    below["instructions"] = specialist.chosen.agent.instructions;
    specialists.push_back(std::move(below));
  }
  if (!specialists.empty()) record["specialists"] = std::move(specialists);
  return record;
}

// What the command line said that may be said again. Keys of vendors cannot be said there.
JsonArray said_on_command_line(const Settings& settings) {
  const Redactor& redactor = settings.redactor();
  const SettingFlags& flags = settings.flags();
  std::vector<std::string> said = flags.set;
  if (flags.model) said.push_back(fmt::format("{}={}", keys::kModel.full_name(), *flags.model));
  if (flags.max_iterations) {
    said.push_back(fmt::format("{}={}", keys::kMaxIterations.full_name(), *flags.max_iterations));
  }
  JsonArray kept;
  for (const std::string& each : said) {
    const bool is_place = each.starts_with(keys::kBasePath.full_name() + "=") ||
                          each.starts_with(keys::kDatabase.full_name() + "=") ||
                          each.starts_with(keys::kDatabasePath.full_name() + "=") ||
                          each.starts_with(keys::kStore.full_name() + "=");
    const bool is_log = each.starts_with("log.");
    // Short ones, too, which the redactor leaves alone.
    const bool has_password = !password_in(each).empty();
    if (!is_place && !is_log && !has_password && is_valid_utf8(each) &&
        redactor.redacted(each) == each) {
      kept.emplace_back(each);
    }
  }
  return kept;
}

// --- reading -------------------------------------------------------------------------------------

std::optional<std::string> text_in(const Json& config, std::string_view key) {
  const Json* value = member(config, key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

std::optional<int> count_in(const Json& config, std::string_view key, int least) {
  const Json* value = member(config, key);
  const bool is_count = value != nullptr && value->is_int64() && value->get_int64() >= least &&
                        value->get_int64() <= std::numeric_limits<int>::max();
  return is_count ? std::optional(static_cast<int>(value->get_int64())) : std::nullopt;
}

std::optional<std::vector<std::string>> texts_in(const Json& config, std::string_view key) {
  const Json* value = member(config, key);
  const JsonArray* array = value != nullptr ? value->if_array() : nullptr;
  if (array == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const Json& each : *array) {
    if (each.is_string()) texts.emplace_back(each.get_string());
  }
  return texts;
}

AgentAtBeginning agent_in(const Json& record) {
  AgentAtBeginning agent{.name = text_in(record, "agent").value_or(""),
                         .model = text_in(record, "model"),
                         .instructions = text_in(record, "instructions"),
                         .tools = texts_in(record, "tools")};
  agent.max_iterations = count_in(record, "max_iterations", 1);
  agent.max_tokens = count_in(record, "max_tokens", 1);
  agent.context_tokens = count_in(record, "context_tokens", 0);
  agent.sampling = sampling_from(record);
  if (const Json* below = member(record, "specialists"); below != nullptr && below->is_array()) {
    for (const Json& each : below->get_array()) agent.specialists.push_back(agent_in(each));
  }
  return agent;
}

// Sessions of older versions kept the model of the settings, which an agent's own file overrules.
std::string model_of_row(const Session& session) {
  if (session.provider == "offline" || session.model.empty()) return session.provider;
  return fmt::format("{}:{}", session.provider, session.model);
}

// The agent, or a specialist below it.
bool has_editing_tools(const Json& record) {
  const auto tools = texts_in(record, "tools").value_or(std::vector<std::string>());
  if (std::ranges::find(tools, "write_file") != tools.end()) return true;
  const Json* below = member(record, "specialists");
  return below != nullptr && below->is_array() &&
         std::ranges::any_of(below->get_array(), has_editing_tools);
}

bool is_rule(std::string_view assignment) {
  return assignment.starts_with(fmt::format("{}.", kPermissions)) ||
         assignment.starts_with(fmt::format("{}.{}.", kBash, kRules));
}

std::filesystem::path real_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(folder, error);
  if (error) return folder.lexically_normal();
  return real.has_filename() ? real : real.parent_path();
}

}  // namespace

Json session_config(const ReadyAgent& agent, const Settings& settings) {
  JsonObject config = record_of(agent);
  config["base_path"] = to_valid_utf8(folder_of(settings).string());
  if (!settings.database().empty()) {
    std::error_code error;
    const auto database = std::filesystem::absolute(settings.database(), error);
    config["database"] = to_valid_utf8((error ? settings.database() : database).string());
  }
  config["set"] = said_on_command_line(settings);
  if (settings.flags().config && settings.file()) {
    std::error_code error;
    const auto file = std::filesystem::absolute(settings.file()->path, error);
    if (!error && is_valid_utf8(file.string())) config["config"] = file.string();
  }
  return config;
}

Json config_with_model(Json config, const std::string& model) {
  JsonObject& object = config.is_object() ? config.get_object() : config.emplace_object();
  object["model"] = model;
  const std::string key = keys::kModel.full_name() + "=";
  JsonArray said;
  for (const std::string& each : texts_in(object, "set").value_or(std::vector<std::string>())) {
    if (!each.starts_with(key)) said.emplace_back(each);
  }
  said.emplace_back(key + model);
  object["set"] = std::move(said);
  return config;
}

Json portable_config(const Json& config) {
  const JsonObject* object = config.if_object();
  if (object == nullptr) return config;
  JsonObject portable;
  for (const char* key : {"agent", "model", "max_iterations", "max_tokens", "response_format"}) {
    if (const Json* value = object->if_contains(key)) portable[key] = *value;
  }
  if (const auto writes = might_write(config)) portable["may_write"] = *writes;
  return portable;
}

std::optional<bool> might_write(const Json& config) {
  if (const Json* said = member(config, "may_write"); said != nullptr && said->is_bool()) {
    return said->get_bool();
  }
  if (!texts_in(config, "tools")) return std::nullopt;
  return has_editing_tools(config);
}

void demand_answers(Agent& agent, Json schema) {
  agent.sampling.response_format = {
      .kind = ResponseFormat::Kind::json_schema, .name = "answer", .schema = std::move(schema)};
}

void demand_answers_as_then(Agent& agent, const Json& config) {
  ResponseFormat then = sampling_from(config).response_format;
  if (then.kind == ResponseFormat::Kind::json_schema) {
    agent.sampling.response_format = std::move(then);
  }
}

std::string first_agent_of(const Session& session) {
  return text_in(session.config, "agent").value_or(session.agent_name);
}

std::filesystem::path folder_of(const Session& session) {
  const auto folder = text_in(session.config, "base_path");
  return folder ? real_folder(*folder) : std::filesystem::path();
}

std::filesystem::path folder_of(const Settings& settings) {
  return real_folder(settings.base_path());
}

AgentAtBeginning agent_at_beginning(const Session& session) {
  AgentAtBeginning agent = agent_in(session.config);
  agent.name = first_agent_of(session);
  if (!agent.tools && !session.provider.empty()) agent.model = model_of_row(session);
  const bool is_handed_over = session.agent_name != agent.name;
  if (!is_handed_over) agent.instructions = session.system_prompt.value_or("");
  return agent;
}

SettingFlags flags_for_folder(const Json& config, SettingFlags given, const Settings& found_in) {
  if (found_in.store().is_postgres()) {
    given.store = found_in.text(keys::kStore);
    given.database_path.reset();
  } else if (!found_in.database_path().empty()) {
    given.database_path = found_in.database_path().string();
    given.store.reset();
  }
  const auto keep = [&](const ConfigKey& key, std::string_view name) {
    // At the front: what is said now comes later, and counts.
    if (const auto value = text_in(config, name); value && !value->empty()) {
      given.set.insert(given.set.begin(), fmt::format("{}={}", key.full_name(), *value));
    }
  };
  keep(keys::kBasePath, "base_path");
  keep(keys::kDatabase, "database");
  return given;
}

SettingFlags flags_as_begun(const Json& config, SettingFlags given, const Settings& found_in) {
  given = flags_for_folder(config, std::move(given), found_in);
  if (!given.config) given.config = text_in(config, "config");
  std::vector<std::string> values;
  for (std::string& each : texts_in(config, "set").value_or(std::vector<std::string>())) {
    // Of values the last counts, of rules the first.
    if (is_rule(each)) {
      given.set.push_back(std::move(each));
    } else {
      values.push_back(std::move(each));
    }
  }
  given.set.insert(given.set.begin(), values.begin(), values.end());
  return given;
}

}  // namespace wright::app
