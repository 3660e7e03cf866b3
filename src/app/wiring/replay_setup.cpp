#include "app/wiring/replay_setup.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <filesystem>

#include "app/wiring/coding_settings.h"
#include "app/wiring/known_agents.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/ready_agent.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/shipped.h"
#include "core/try.h"
#include "server/caller_tools.h"

namespace wright::app {
namespace {

// An agent of a file that may not run can be compared with the record all the same.
Result<ChosenAgent> agent_named(const std::string& name, const KnownAgents& agents,
                                ToolSource tools) {
  const AgentFile* file = agents.find_file(name);
  if (tools == ToolSource::record && file != nullptr && file->definition) {
    return agents.make(*file->definition);
  }
  return agents.choose(name);
}

// Where nothing is executed, a folder that is gone does no harm.
Json as_far_as_needed(Json config, ToolSource tools) {
  JsonObject* object = config.if_object();
  const Json* folder = object != nullptr ? object->if_contains("base_path") : nullptr;
  if (tools == ToolSource::live || folder == nullptr || !folder->is_string()) return config;
  std::error_code error;
  const std::filesystem::path path(std::string(folder->get_string()));
  if (!std::filesystem::is_directory(path, error)) object->erase("base_path");
  return config;
}

// Older records do not tell; who began `coding` had them without saying so.
bool had_editing_tools(const RecordedSession& recorded) {
  const auto told = might_write(recorded.config);
  return told.value_or(canonical_agent_name(recorded.agent) == kCodingAgent);
}

}  // namespace

SettingFlags flags_for_replay(const Settings& given, const RecordedSession& recorded,
                              ToolSource tools, RecordTrust trust) {
  SettingFlags flags = given.flags();
  if (trust == RecordTrust::own) {
    flags = flags_as_begun(as_far_as_needed(recorded.config, tools), std::move(flags), given);
  }
  // What is set here comes before what the person said, which counts.
  if (trust == RecordTrust::foreign && tools == ToolSource::record && had_editing_tools(recorded)) {
    flags.set.insert(flags.set.begin(), fmt::format("{}=.", keys::kWritable.full_name()));
  }
  const JsonObject* config = recorded.config.if_object();
  const Json* iterations = config != nullptr ? config->if_contains("max_iterations") : nullptr;
  if (iterations != nullptr && iterations->is_int64() && iterations->get_int64() >= 1 &&
      iterations->get_int64() <= kMostIterations) {
    flags.set.insert(flags.set.begin(), fmt::format("{}={}", keys::kMaxIterations.full_name(),
                                                    iterations->get_int64()));
  }
  // What tools change in a replay belongs to no session that is kept.
  if (tools == ToolSource::live)
    flags.set.push_back(fmt::format("{}=false", keys::kUndo.full_name()));
  return flags;
}

Result<AgentForReplay> agent_for_replay(const RecordedSession& recorded, const Settings& settings,
                                        ToolSource tools, const Environment& environment) {
  const auto models = TRY(make_models(settings, settings.flags(), environment));
  if (tools == ToolSource::live) make_output_folder(settings);
  const KnownAgents agents(settings, models, environment);
  const std::string name = canonical_agent_name(recorded.agent);
  const auto names = agents.names();
  const bool is_known = std::ranges::find(names, name) != names.end();
  if (!is_known && tools == ToolSource::record) {
    return AgentForReplay{recorded_agent(recorded), true};
  }
  if (!is_known) {
    return fail(ErrorCode::not_found,
                fmt::format("the agent '{}' is not known here: replay it without --live-tools",
                            to_valid_utf8(recorded.agent)));
  }
  if (tools == ToolSource::live) {
    TRY(check_needs(name, settings));
  }
  auto chosen = TRY(agent_named(name, agents, tools));
  demand_answers_as_then(chosen.agent, recorded.config);
  auto ready = TRY(with_specialists(std::move(chosen), agents));
  Agent made = tools == ToolSource::live ? finished(std::move(ready), settings, Logger())
                                         : assembled(std::move(ready), {});
  auto wished = server::with_wishes_of_caller(std::move(made), recorded.config);
  if (!wished && tools == ToolSource::record) return AgentForReplay{recorded_agent(recorded), true};
  if (!wished) return std::unexpected(std::move(wished).error());
  return AgentForReplay{std::move(*wished), false};
}

}  // namespace wright::app
