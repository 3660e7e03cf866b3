// `wright agents`: who there is and with which tools; one in full; a new file; trust in a file.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "app/commands/commands.h"
#include "app/settings/agent_template.h"
#include "app/settings/agent_trust.h"
#include "app/settings/file_output.h"
#include "app/settings/paths.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/transcript.h"
#include "app/wiring/known_agents.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/shipped.h"
#include "core/permission_names.h"
#include "core/sampling_json.h"

namespace wright::app {
namespace {

constexpr std::string_view kShipped = "shipped";

// One agent as it is shown, wherever it comes from.
struct ListedAgent {
  std::string name;
  std::string source;             // "shipped", or a path
  const AgentFile* file;          // null for a shipped one
  Result<ChosenAgent> described;  // what it is, whether it may run or not
  std::string obstacle;           // why it does not run
};

std::vector<std::string> tool_names_of(const Agent& agent) {
  std::vector<std::string> names;
  for (const Tool& tool : agent.tools) names.push_back(tool.spec.name);
  return names;
}

JsonArray array_of(const std::vector<std::string>& names) {
  JsonArray array;
  for (const std::string& name : names) array.emplace_back(name);
  return array;
}

ListedAgent listed(const AgentFile& file, const KnownAgents& agents) {
  Result<ChosenAgent> described =
      file.definition ? agents.make(*file.definition)
                      : Result<ChosenAgent>(std::unexpected(file.definition.error()));
  std::string obstacle = file.obstacle;
  if (obstacle.empty() && !described) obstacle = described.error().message;
  return {file.name, file.path.string(), &file, std::move(described), std::move(obstacle)};
}

ListedAgent listed(std::string_view shipped, const KnownAgents& agents) {
  auto described = agents.choose(shipped);
  std::string obstacle = described ? "" : described.error().message;
  return {std::string(shipped), std::string(kShipped), nullptr, std::move(described),
          std::move(obstacle)};
}

std::vector<ListedAgent> all_of(const KnownAgents& agents) {
  std::vector<ListedAgent> all;
  for (const std::string_view name : agent_names()) all.push_back(listed(name, agents));
  for (const AgentFile& file : agents.files()) all.push_back(listed(file, agents));
  return all;
}

JsonObject agent_json(const ListedAgent& listed) {
  JsonObject json{{"name", listed.name}, {"source", to_valid_utf8(listed.source)}};
  const AgentDefinition* definition =
      listed.file != nullptr && listed.file->definition ? &*listed.file->definition : nullptr;
  if (listed.described) {
    const Agent& agent = listed.described->agent;
    json["description"] = agent.description;
    json["domain"] = agent.domain.empty() ? Json(nullptr) : Json(agent.domain);
    json["metadata"] = agent.metadata;
    json["model"] = model_label(agent.model.provider(), agent.model.name());
    json["max_iterations"] = agent.limits.max_iterations;
    json["tools"] = array_of(tool_names_of(agent));
    json["specialists"] = array_of(listed.described->specialists);
    json["labels"] = array_of(labels_for(agent));
    json["enabled"] = definition == nullptr || definition->is_enabled;
    json["primary"] = definition != nullptr && definition->is_primary;
  }
  if (!listed.obstacle.empty()) json["error"] = to_valid_utf8(listed.obstacle);
  return json;
}

// Without the exponent that JSON's own text has for fractions.
std::string number_or_json(const Json& value) {
  return value.is_double() ? fmt::format("{:g}", value.get_double()) : to_text(value);
}

class Facts {
 public:
  explicit Facts(const Terminal& terminal) : terminal_(terminal) {}

  void title(std::string_view name, std::string_view aside) {
    text_ += painted(on_one_line(name), Colour::bold, terminal_);
    if (!aside.empty()) {
      text_ += painted(fmt::format("  {}", on_one_line(aside)), Colour::dim, terminal_);
    }
    text_ += '\n';
  }
  void prose(std::string_view text, Colour colour = Colour::none) {
    const std::string fitted = indented(fitted_prose(sanitised(text), 2, terminal_), 2);
    text_ += painted(fitted, colour, terminal_) + "\n";
  }
  void fact(std::string_view label, std::string_view value) {
    if (value.empty()) return;
    text_ += fmt::format("  {}  {}\n", painted(padded(label, 11), Colour::dim, terminal_),
                         on_one_line(value));
  }
  std::string text() && { return std::move(text_); }

 private:
  const Terminal& terminal_;
  std::string text_;
};

void describe(const ListedAgent& listed, Facts& facts) {
  const ChosenAgent& chosen = *listed.described;
  const Agent& agent = chosen.agent;
  if (!agent.description.empty()) facts.prose(on_one_line(agent.description));
  facts.fact("domain", agent.domain);
  facts.fact("tools", fmt::format("{}", fmt::join(tool_names_of(agent), ", ")));
  facts.fact("specialists", fmt::format("{}", fmt::join(chosen.specialists, ", ")));
  facts.fact("labels", fmt::format("{}", fmt::join(labels_for(agent), ", ")));
  facts.fact("model", model_label(agent.model.provider(), agent.model.name()));
  facts.fact("turns", fmt::format("at most {}", agent.limits.max_iterations));
}

std::string agent_text(const ListedAgent& listed, CommandContext context) {
  Facts facts(context.console.output());
  std::string aside;
  if (listed.file != nullptr) aside = shorten_home(listed.source, context.environment);
  if (listed.file != nullptr && listed.file->definition && listed.file->definition->is_primary) {
    aside += ", primary";
  }
  facts.title(listed.name, aside);
  if (listed.described) describe(listed, facts);
  if (!listed.obstacle.empty()) facts.prose(listed.obstacle, Colour::red);
  return std::move(facts).text();
}

// All of one agent; what a person should know before they trust it.
std::string whole_text(const ListedAgent& listed, CommandContext context) {
  Facts facts(context.console.output());
  facts.title(listed.name, {});
  facts.fact("source", listed.file == nullptr ? listed.source
                                              : shorten_home(listed.source, context.environment));
  if (!listed.obstacle.empty()) facts.prose(listed.obstacle, Colour::red);
  if (!listed.described) return std::move(facts).text();
  describe(listed, facts);
  const Sampling& sampling = listed.described->agent.sampling;
  facts.fact("max tokens", fmt::format("{}", sampling.max_tokens));
  for (const auto& [key, value] : sampling_json(sampling)) {
    facts.fact(key, value.is_string() ? std::string(value.get_string()) : number_or_json(value));
  }
  for (const auto& [key, value] : listed.described->own.values) {
    if (!key.starts_with("tool_execution.")) continue;
    std::visit([&](auto is) { facts.fact("calls", fmt::format("{} = {}", key, is)); }, value);
  }
  if (!listed.described->agent.metadata.is_null()) {
    facts.fact("metadata", to_text(listed.described->agent.metadata));
  }
  if (const auto& debug = listed.described->agent.debug) {
    facts.fact("debug", debug->wants_feedback() ? "on" : "off");
  }
  for (const auto& rule : listed.described->own.permissions) {
    facts.fact("permission", fmt::format("{} {}", enum_name(rule.permission), rule.tool));
  }
  facts.fact("instructions", " ");
  facts.prose(listed.described->agent.instructions);
  return std::move(facts).text();
}

JsonObject whole_json(const ListedAgent& listed) {
  JsonObject json = agent_json(listed);
  if (!listed.described) return json;
  const Sampling& sampling = listed.described->agent.sampling;
  JsonObject parameters = sampling_json(sampling);
  parameters["max_tokens"] = sampling.max_tokens;
  JsonObject tool_execution;
  for (const auto& [key, value] : listed.described->own.values) {
    if (!key.starts_with(kToolExecution)) continue;
    const std::string name = key.substr(kToolExecution.size() + 1);
    std::visit([&](auto is) { tool_execution[name] = is; }, value);
  }
  JsonArray rules;
  for (const auto& rule : listed.described->own.permissions) {
    rules.push_back({{"tool", rule.tool}, {"permission", enum_name(rule.permission)}});
  }
  json["parameters"] = std::move(parameters);
  json["permissions"] = std::move(rules);
  json["tool_execution"] = std::move(tool_execution);
  json["instructions"] = listed.described->agent.instructions;
  return json;
}

// What the commands stand on; absent after a complaint.
struct Ground {
  Settings settings;
  Models models;
};
std::optional<Ground> ground_or_complain(const SettingFlags& flags, CommandContext context) {
  auto settings = settings_or_complain(flags, context);
  if (!settings) return std::nullopt;
  auto models = make_models(*settings, flags, context.environment);
  if (!models) {
    context.console.complain(models.error().message, "See `wright help models`.");
    return std::nullopt;
  }
  return Ground{std::move(*settings), std::move(*models)};
}

ExitCode usage_error(std::string_view message, std::string_view advice, CommandContext context) {
  context.console.complain(message, advice);
  return ExitCode::usage;
}

constexpr std::string_view kSeeAgents = "`wright agents` lists the agents.";

}  // namespace

ExitCode execute(const ListAgentsCommand& command, CommandContext context) {
  const auto ground = ground_or_complain(command.settings, context);
  if (!ground) return ExitCode::usage;
  const KnownAgents agents(ground->settings, ground->models, context.environment);
  JsonArray array;
  std::string text;
  for (const ListedAgent& each : all_of(agents)) {
    array.push_back(agent_json(each));
    text += fmt::format("{}{}", text.empty() ? "" : "\n", agent_text(each, context));
  }
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(array) + "\n");
  } else {
    context.console.print_fitted(text);
  }
  return ExitCode::ok;
}

ExitCode execute(const ShowAgentCommand& command, CommandContext context) {
  const auto ground = ground_or_complain(command.settings, context);
  if (!ground) return ExitCode::usage;
  const KnownAgents agents(ground->settings, ground->models, context.environment);
  const AgentFile* file = agents.find_file(command.name);
  if (file == nullptr && !is_shipped(command.name)) {
    return usage_error(agents.choose(command.name).error().message, kSeeAgents, context);
  }
  const ListedAgent found =
      file != nullptr ? listed(*file, agents) : listed(canonical_agent_name(command.name), agents);
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(whole_json(found)) + "\n");
  } else {
    context.console.print(whole_text(found, context));
  }
  return ExitCode::ok;
}

ExitCode execute(const NewAgentCommand& command, CommandContext context) {
  const auto ground = ground_or_complain(command.settings, context);
  if (!ground) return ExitCode::usage;
  if (const std::string problem = problem_with_agent_name(command.name); !problem.empty()) {
    return usage_error(fmt::format("the agent's name {}", problem), {}, context);
  }
  const KnownAgents agents(ground->settings, ground->models, context.environment);
  const std::string name = canonical_agent_name(command.name);
  const auto names = agents.names();
  if (std::ranges::find(names, name) != names.end()) {
    return usage_error(fmt::format("there is an agent '{}' already", name), kSeeAgents, context);
  }
  const auto folder = command.place == AgentPlace::project
                          ? project_agents_folder(ground->settings.base_path())
                          : user_agents_folder(context.environment);
  if (folder.empty()) {
    return usage_error("there is no home folder to write it to", "Set HOME or XDG_CONFIG_HOME.",
                       context);
  }
  const auto path = folder / (name + ".toml");
  const auto written =
      create_private_file(path, agent_definition_template(name, wright::app::tool_names()));
  if (!written) {
    context.console.complain(written.error().message);
    return written.error().code == ErrorCode::already_exists ? ExitCode::usage : ExitCode::failed;
  }
  context.console.print_foreign(path.string() + "\n");
  return ExitCode::ok;
}

ExitCode execute(const TrustAgentCommand& command, CommandContext context) {
  const auto ground = ground_or_complain(command.settings, context);
  if (!ground) return ExitCode::usage;
  const KnownAgents agents(ground->settings, ground->models, context.environment);
  const AgentFile* file = agents.find_file(command.name);
  if (file == nullptr) {
    const auto chosen = agents.choose(command.name);
    return chosen ? usage_error(fmt::format("{} is shipped with wright; it needs no trust",
                                            chosen->agent.name),
                                {}, context)
                  : usage_error(chosen.error().message, kSeeAgents, context);
  }
  if (!file->definition) return usage_error(file->definition.error().message, {}, context);
  if (file->origin == AgentOrigin::user) {
    return usage_error(fmt::format("{} is your own file; it needs no trust", file->path.string()),
                       {}, context);
  }
  auto trusted = TrustedAgents::load(trusted_agents_file(context.environment));
  if (trusted) {
    if (auto added = trusted->add(file->path, file->content); !added) {
      trusted = std::unexpected(std::move(added).error());
    }
  }
  if (!trusted) {
    context.console.complain(trusted.error().message);
    return ExitCode::failed;
  }
  context.console.print_foreign(
      fmt::format("{} is trusted as it is now: {}\n", file->name, file->path.string()));
  return ExitCode::ok;
}

}  // namespace wright::app
