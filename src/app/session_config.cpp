#include "app/session_config.h"

#include <filesystem>

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>

#include "app/tool_execution.h"
#include "app/wiring.h"

namespace wright::app {
namespace {

const Json* member(const Json& config, std::string_view key) {
  const JsonObject* object = config.if_object();
  return object != nullptr ? object->if_contains(key) : nullptr;
}

void take_text(std::optional<std::string>& flag, const Json& config, std::string_view key) {
  const Json* value = member(config, key);
  if (!flag && value != nullptr && value->is_string()) flag = std::string(value->get_string());
}

}  // namespace

Json session_config(const Agent& agent, const Settings& settings) {
  std::error_code error;
  const auto base = std::filesystem::absolute(settings.base_path(), error);
  JsonObject config{{"agent", agent.name},
                    {"model", settings.model()},
                    {"base_path", to_valid_utf8((error ? settings.base_path() : base).string())},
                    {"max_iterations", agent.limits.max_iterations},
                    {"max_tokens", agent.sampling.max_tokens}};
  if (!agent.domain.empty()) config["domain"] = agent.domain;
  if (!agent.metadata.is_null()) config["metadata"] = agent.metadata;
  if (!settings.database().empty()) {
    config["database"] = to_valid_utf8(settings.database().string());
  }
  return config;
}

Json portable_config(const Json& config) {
  Json portable = config;
  if (JsonObject* object = portable.if_object()) {
    object->erase("base_path");
    object->erase("database");
  }
  return portable;
}

SettingFlags flags_for_replay(SettingFlags flags, const RecordedSession& recorded, ToolSource tools,
                              RecordTrust trust) {
  const Json* iterations = member(recorded.config, "max_iterations");
  if (!flags.max_iterations && iterations != nullptr && iterations->is_int64() &&
      iterations->get_int64() >= 1 && iterations->get_int64() <= kMostIterations) {
    flags.max_iterations = iterations->get_int64();
  }
  if (trust == RecordTrust::own && tools == ToolSource::live) {
    take_text(flags.base_path, recorded.config, "base_path");
    take_text(flags.database, recorded.config, "database");
  }
  return flags;
}

Result<AgentForReplay> agent_for_replay(const RecordedSession& recorded, const Settings& settings,
                                        ToolSource tools) {
  const auto names = agent_names();
  const std::string name = canonical_agent_name(recorded.agent);
  const bool is_known = std::ranges::find(names, std::string_view(name)) != names.end();
  if (!is_known && tools == ToolSource::record)
    return AgentForReplay{recorded_agent(recorded), true};
  if (!is_known) {
    return fail(ErrorCode::not_found,
                fmt::format("the agent '{}' is not known here: replay it without --live-tools",
                            to_valid_utf8(recorded.agent)));
  }
  if (tools == ToolSource::live) {
    if (auto ready = check_needs(name, settings); !ready) {
      return std::unexpected(std::move(ready).error());
    }
    make_output_folder(settings);
  }
  auto agent = make_agent(name, settings, Model());
  if (!agent) return std::unexpected(std::move(agent).error());
  if (tools == ToolSource::live) {
    set_up_calls(*agent, settings, Logger());
  }
  return AgentForReplay{std::move(*agent), false};
}

}  // namespace wright::app
