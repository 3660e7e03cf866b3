#include "app/wiring/known_agents.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/settings/paths.h"
#include "app/wiring/session_search.h"
#include "app/wiring/shipped.h"
#include "core/nearest.h"
#include "core/secret_members.h"
#include "core/try.h"

namespace wright::app {
namespace {

// A flag or a variable is said for this run; the agent's file is nearer to it than the settings'.
bool is_said_for_this_run(const Settings& settings, const ConfigKey& key) {
  const Source source = settings.get(key).origin.source;
  return source == Source::flag || source == Source::environment;
}

template <class Value>
std::optional<Value> preferred(const Settings& settings, const ConfigKey& key,
                               const std::optional<Value>& set,
                               const std::optional<Value>& defined) {
  if (is_said_for_this_run(settings, key) && set) return set;
  return defined ? defined : set;
}

// Agents go by names, not by paths; who names a file that is there is told where it belongs, and
// who names one that is not, that it is not.
std::optional<Error> is_a_file(std::string_view name, const std::filesystem::path& base) {
  const std::filesystem::path path(name);
  if (path.extension() != ".toml") return {};
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return Error{
        ErrorCode::not_found,
        to_valid_utf8(fmt::format("there is no file '{}'; agents go by their names", name)),
        {}};
  }
  const std::string stem = path.stem().string();
  const auto folder = project_agents_folder(base);
  return Error{ErrorCode::invalid_argument,
               to_valid_utf8(fmt::format(
                   "'{}' is a file, and agents go by their names: copy it into {}, or into the "
                   "folder agents of your configuration, and name it: '{}'",
                   name, folder.string(), stem)),
               {}};
}

}  // namespace

bool is_shipped(std::string_view name) {
  const auto names = agent_names();
  return std::ranges::find(names, std::string_view(canonical_agent_name(name))) != names.end();
}

std::string default_agent(const Settings& settings, const Environment& environment,
                          std::string otherwise) {
  for (const AgentFile& file :
       find_agent_files(settings, environment, tool_names(), agent_names())) {
    if (file.obstacle.empty() && file.definition->is_primary) return file.name;
  }
  return otherwise;
}

KnownAgents::KnownAgents(const Settings& settings, const Models& models,
                         const Environment& environment, IndexListener on_index)
    : settings_(settings),
      models_(models),
      on_index_(std::move(on_index)),
      files_(find_agent_files(settings, environment, tool_names(), agent_names())) {}

const AgentFile* KnownAgents::find_file(std::string_view name) const {
  if (is_shipped(name)) return nullptr;
  const std::string wanted = canonical_agent_name(name);
  const auto found = std::ranges::find(files_, wanted, &AgentFile::name);
  return found == files_.end() ? nullptr : &*found;
}

std::vector<std::string> KnownAgents::names() const {
  std::vector<std::string> names;
  for (const std::string_view name : agent_names()) names.emplace_back(name);
  for (const AgentFile& file : files_) {
    if (std::ranges::find(names, file.name) == names.end()) names.push_back(file.name);
  }
  return names;
}

Result<std::vector<Tool>> KnownAgents::tools_for(const AgentDefinition& definition) const {
  if (definition.tools.empty()) return std::vector<Tool>{};
  const auto all = TRY(make_tools(settings_, {on_index_, &models_}));
  std::vector<Tool> tools;
  for (const std::string& name : definition.tools) {
    const auto found =
        std::ranges::find_if(all, [&](const Tool& tool) { return tool.spec.name == name; });
    if (found == all.end()) {
      const ToolSwitch* setting = find_switch(name);
      return fail(ErrorCode::invalid_argument,
                  fmt::format("the agent {} uses {}. {}", definition.name, name,
                              setting != nullptr ? setting->how_to_turn_on : ""));
    }
    tools.push_back(*found);
  }
  return tools;
}

Result<ChosenAgent> KnownAgents::make(const AgentDefinition& definition) const {
  auto tools = TRY(tools_for(definition));
  ChosenAgent chosen;
  chosen.model = is_said_for_this_run(settings_, keys::kModel)
                     ? settings_.model()
                     : definition.model.value_or(settings_.model());
  chosen.own = {definition.permissions, definition.values};
  chosen.specialists = definition.specialists;
  Agent& agent = chosen.agent = agent_without_tools(definition);
  if (agent.debug) agent.debug = settings_.debug(agent.name, definition.values);
  agent.model = models_.get(chosen.model);
  agent.tools = std::move(tools);
  agent.sampling.reasoning =
      preferred(settings_, keys::kReasoning, settings_.reasoning(), definition.reasoning);
  if (const auto most =
          preferred(settings_, keys::kMaxTokens, settings_.max_tokens(), definition.max_tokens)) {
    agent.sampling.max_tokens = *most;
  }
  agent.context_tokens = preferred(settings_, keys::kContextTokens, settings_.context_tokens(),
                                   definition.context_tokens);
  agent.limits = settings_.limits(agent.limits);
  if (const auto most = preferred(settings_, keys::kMaxIterations, settings_.max_iterations(),
                                  definition.max_iterations)) {
    agent.limits.max_iterations = *most;
  }
  if (!definition.vendor_tools || is_said_for_this_run(settings_, keys::kVendorTools)) {
    agent.sampling.vendor_tools.clear();
    for (const std::string& name : settings_.list(keys::kVendorTools)) {
      agent.sampling.vendor_tools.emplace_back(name);
    }
  }
  for (const Json& tool : agent.sampling.vendor_tools) {
    for (std::string& secret : secret_members(tool)) settings_.redactor().learn(std::move(secret));
  }
  add_session_search(agent, settings_);
  return chosen;
}

Result<ChosenAgent> KnownAgents::choose(std::string_view name) const {
  if (const AgentFile* file = find_file(name)) {
    if (file->obstacle.empty()) return make(*file->definition);
    const ErrorCode code =
        file->definition ? ErrorCode::permission_denied : ErrorCode::invalid_argument;
    return fail(code, file->definition
                          ? fmt::format("the agent {} does not run: {}", file->name, file->obstacle)
                          : file->obstacle);
  }
  if (is_shipped(name)) {
    auto shipped =
        TRY(make_agent(name, settings_, models_.get(settings_.model()), {on_index_, &models_}));
    return ChosenAgent{.agent = std::move(shipped.agent),
                       .model = settings_.model(),
                       .specialists = std::move(shipped.specialists),
                       .notes = std::move(shipped.notes)};
  }
  if (name == kMcpCaller) {
    return fail(ErrorCode::invalid_argument,
                "its calls were made by a client over MCP, and no agent drives it: there is "
                "nothing to go on with");
  }
  if (auto file = is_a_file(name, settings_.base_path())) return std::unexpected(std::move(*file));
  const auto known = names();
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  std::string suggestion = did_you_mean(name, candidates);
  if (suggestion.empty()) suggestion = fmt::format("; there is {}", fmt::join(candidates, ", "));
  return fail(ErrorCode::not_found, fmt::format("unknown agent '{}'{}", name, suggestion));
}

}  // namespace wright::app
