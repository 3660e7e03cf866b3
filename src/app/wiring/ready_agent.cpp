#include "app/wiring/ready_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/wiring/coding_settings.h"
#include "app/wiring/debug_wiring.h"
#include "app/wiring/mcp_wiring.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/rule_names.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/shipped.h"
#include "app/wiring/tool_execution.h"
#include "core/sampling_json.h"
#include "core/try.h"
#include "project/folder_notes.h"
#include "wright/agent.h"

namespace wright::app {
namespace {

// A name that means no model is a slip of the hand; a key that is missing is a run that fails.
std::optional<Error> problem_with_model(const std::string& id, const Models& models) {
  if (id == "offline" || id == "offline:planner") return std::nullopt;
  const auto endpoint = models.endpoint(id);
  if (endpoint || endpoint.error().code == ErrorCode::authentication) return std::nullopt;
  return endpoint.error();
}

// One that is at work above could not be called: it is left out without a word.
Result<ReadyAgent> with_specialists(ChosenAgent chosen, const KnownAgents& agents,
                                    std::vector<std::string> above) {
  above.push_back(chosen.agent.name);
  ReadyAgent ready{.chosen = std::move(chosen)};
  ready.notes = std::exchange(ready.chosen.notes, {});
  const auto most = static_cast<std::size_t>(ready.chosen.agent.limits.max_depth);
  for (const std::string& name : ready.chosen.specialists) {
    const bool is_above = std::ranges::find(above, canonical_agent_name(name)) != above.end();
    if (is_above || above.size() > most) continue;
    auto specialist = agents.choose(name);
    // A name that nobody has is a slip of the hand.
    if (!specialist && specialist.error().code == ErrorCode::not_found) {
      return fail(ErrorCode::not_found,
                  fmt::format("a specialist of {}: {}", above.back(), specialist.error().message));
    }
    if (!specialist) {
      ready.notes.push_back(fmt::format("{} goes without its specialist {}: {}", above.back(), name,
                                        specialist.error().message));
      continue;
    }
    auto below = TRY(with_specialists(std::move(*specialist), agents, above));
    std::ranges::move(below.notes, std::back_inserter(ready.notes));
    below.notes.clear();
    ready.specialists.push_back(std::move(below));
  }
  return ready;
}

// --- as it began ---------------------------------------------------------------------------------

bool is_said(const SettingFlags& flags, const ConfigKey& key) {
  if (key.full_name() == keys::kModel.full_name() && flags.model) return true;
  if (key.full_name() == keys::kMaxIterations.full_name() && flags.max_iterations) return true;
  return std::ranges::any_of(
      flags.set, [&](const std::string& each) { return each.starts_with(key.full_name() + "="); });
}

// What a session would have otherwise if it began now.
struct Changes {
  std::vector<std::string> kept;  // it goes on as it began
  std::vector<std::string> lost;  // it goes on without them
};

class AsItBegan {
 public:
  AsItBegan(const SettingFlags& said_now, const Models& models)
      : said_now_(said_now), models_(models) {}

  void apply(ReadyAgent& ready, const AgentAtBeginning& began) {
    Agent& agent = ready.chosen.agent;
    if (began.model && !is_said(said_now_, keys::kModel) && *began.model != ready.chosen.model) {
      changes_.kept.push_back(fmt::format("model of {} ({})", agent.name, ready.chosen.model));
      ready.chosen.model = *began.model;
      agent.model = models_.get(*began.model);
    }
    if (began.instructions && *began.instructions != agent.instructions) {
      changes_.kept.push_back(fmt::format("instructions of {}", agent.name));
      agent.instructions = *began.instructions;
    }
    keep(agent.limits.max_iterations, began.max_iterations, keys::kMaxIterations);
    keep(agent.sampling.max_tokens, began.max_tokens, keys::kMaxTokens);
    keep(agent.context_tokens, began.context_tokens, keys::kContextTokens);
    if (agent.context_tokens == 0) agent.context_tokens.reset();
    if (!began.tools) return;
    Sampling sampling = began.sampling;
    sampling.max_tokens = agent.sampling.max_tokens;
    sampling.vendor_tools =
        with_own_secrets(std::move(sampling.vendor_tools), agent.sampling.vendor_tools);
    if (is_said(said_now_, keys::kReasoning)) sampling.reasoning = agent.sampling.reasoning;
    agent.sampling = std::move(sampling);
    apply_tools(ready, began);
  }

  const Changes& changes() const { return changes_; }

 private:
  template <class Number>
  void keep(Number& value, const std::optional<int>& then, const ConfigKey& key) {
    if (then && !is_said(said_now_, key)) value = *then;
  }

  void apply_tools(ReadyAgent& ready, const AgentAtBeginning& began) {
    std::vector<Tool>& tools = ready.chosen.agent.tools;
    const auto name_of = [](const Tool& tool) -> const std::string& { return tool.spec.name; };
    for (const std::string& name : *began.tools) {
      if (std::ranges::find(tools, name, name_of) == tools.end()) changes_.lost.push_back(name);
    }
    std::erase_if(tools, [&](const Tool& tool) {
      const bool is_new = std::ranges::find(*began.tools, tool.spec.name) == began.tools->end();
      if (is_new) changes_.kept.push_back(fmt::format("also {}", tool.spec.name));
      return is_new;
    });
    const auto agent_of = [](const ReadyAgent& each) -> const std::string& {
      return each.chosen.agent.name;
    };
    std::erase_if(ready.specialists, [&](const ReadyAgent& each) {
      const bool is_new = std::ranges::find(began.specialists, agent_of(each),
                                            &AgentAtBeginning::name) == began.specialists.end();
      if (is_new) changes_.kept.push_back(fmt::format("also {}", agent_of(each)));
      return is_new;
    });
    for (const AgentAtBeginning& then : began.specialists) {
      const auto now = std::ranges::find(ready.specialists, then.name, agent_of);
      if (now == ready.specialists.end()) {
        changes_.lost.push_back(then.name);
      } else {
        apply(*now, then);
      }
    }
  }

  const SettingFlags& said_now_;
  const Models& models_;
  Changes changes_;
};

void go_on_as_begun(ReadyAgent& ready, const GoingOn& going_on, const Models& models) {
  AsItBegan as_it_began(going_on.said_now, models);
  as_it_began.apply(ready, going_on.began);
  const Changes& changes = as_it_began.changes();
  if (!changes.kept.empty()) {
    ready.notes.push_back(fmt::format(
        "{} has changed since this session began: {}. The session goes on as it "
        "began; --refresh takes {} as it is now.",
        ready.chosen.agent.name, fmt::join(changes.kept, ", "), ready.chosen.agent.name));
  }
  if (!changes.lost.empty()) {
    ready.notes.push_back(fmt::format("The session goes on without {}: {} had it and does not now.",
                                      fmt::join(changes.lost, ", "), ready.chosen.agent.name));
  }
}

// What servers bring in the middle of a session is asked about in the same way.
void ask_about_later_ones(Agent& agent, const Settings& settings) {
  if (!agent.tools_now) return;
  agent.tools_now = [settings = std::make_shared<const Settings>(settings),
                     now = std::move(agent.tools_now)](std::span<const Tool> tools) {
    auto changed = now(tools);
    if (!changed) return changed;
    for (Tool& tool : *changed) {
      if (!tool.spec.definition.empty()) ask_about_others(std::span(&tool, 1), *settings);
    }
    return changed;
  };
}

// The tools of MCP servers, for the agent and those below it.
void add_tools_of(ReadyAgent& ready, const Settings& settings, McpServers& servers,
                  std::vector<std::string>& notes) {
  std::vector<Tool>& tools = ready.chosen.agent.tools;
  const std::size_t own = tools.size();
  std::ranges::move(servers.add_tools(ready.chosen.agent), std::back_inserter(notes));
  if (ready.chosen.agent.name == kCodingAgent) {
    ask_about_others(std::span(tools).subspan(own), settings);
    ask_about_later_ones(ready.chosen.agent, settings);
  }
  for (ReadyAgent& below : ready.specialists) add_tools_of(below, settings, servers, notes);
}

// The agent and those below it.
void add_names_of(RuleNames& names, const ReadyAgent& ready) {
  names.add(ready.chosen.agent.tools);
  names.add_agent(ready.chosen.agent.name);
  for (const ReadyAgent& below : ready.specialists) add_names_of(names, below);
}

void add_notes_about_rules(ReadyAgent& ready, const Settings& settings, const KnownAgents& agents) {
  auto rules = settings.permissions();
  std::ranges::copy(ready.chosen.own.permissions, std::back_inserter(rules));
  if (rules.empty()) return;
  RuleNames names;
  add_names_of(names, ready);
  for (const AgentFile& file : agents.files()) names.add_agent(file.name);
  std::ranges::move(names.notes_about(rules), std::back_inserter(ready.notes));
}

}  // namespace

void add_server_tools(ReadyAgent& ready, const Settings& settings, McpServers& servers) {
  add_tools_of(ready, settings, servers, ready.notes);
  ready.servers = servers.connections(ready.chosen.agent.name);
  ready.models = servers.models();
  ready.live = servers.live();
}

std::expected<ReadyAgent, ExitCode> agent_or_complain(
    const std::string& name, const Settings& settings, const SettingFlags& flags,
    CommandContext context, const std::optional<GoingOn>& going_on, const std::stop_token& stop) {
  const auto models = make_models(settings, flags, context.environment, context.paces);
  if (!models) {
    context.console.complain(models.error().message, "See `wright help models`.");
    return std::unexpected(ExitCode::usage);
  }
  make_output_folder(settings);
  const auto on_index = std::make_shared<IndexListener>();
  const KnownAgents agents(settings, *models, context.environment,
                           [on_index](const IndexProgress& index) {
                             if (*on_index) (*on_index)(index);
                           });
  auto chosen = agents.choose(name);
  auto ready = chosen ? with_specialists(std::move(*chosen), agents)
                      : Result<ReadyAgent>(std::unexpected(std::move(chosen).error()));
  if (!ready) {
    context.console.complain(ready.error().message,
                             "`wright agents` lists the agents, `wright config` the settings.");
    return std::unexpected(ExitCode::usage);
  }
  McpServers servers(settings, context.environment, stop);
  add_server_tools(*ready, settings, servers);
  FoundHooks hooks = hooks_for(settings);
  hooks.keys = known_keys(settings, context.environment);
  ready->hooks = std::make_shared<const FoundHooks>(std::move(hooks));
  std::ranges::copy(ready->hooks->notes, std::back_inserter(ready->notes));
  add_notes_about_rules(*ready, settings, agents);
  if (going_on) go_on_as_begun(*ready, *going_on, *models);
  if (const auto error = problem_with_model(ready->chosen.model, *models)) {
    context.console.complain(error->message,
                             going_on ? "--model names another model for this session." : "");
    return std::unexpected(ExitCode::usage);
  }
  if (const auto needs = check_needs(name, settings); !needs) {
    context.console.complain(needs.error().message);
    return std::unexpected(ExitCode::usage);
  }
  ready->on_index = on_index;
  return std::move(*ready);
}

Result<ReadyAgent> with_specialists(ChosenAgent chosen, const KnownAgents& agents) {
  return with_specialists(std::move(chosen), agents, {});
}

Agent assembled(ReadyAgent ready, const SetUp& set_up) {
  Agent agent = std::move(ready.chosen.agent);
  if (set_up) set_up(agent, ready.chosen.own);
  for (ReadyAgent& specialist : ready.specialists) {
    agent.tools.push_back(delegate_to(assembled(std::move(specialist), set_up)));
  }
  return agent;
}

Agent finished(ReadyAgent ready, const Settings& settings, const Logger& logger,
               const std::function<void(Agent& agent)>& then) {
  const FoundHooks hooks = ready.hooks ? *ready.hooks : hooks_for(settings);
  const auto models = ready.models;
  const auto live = ready.live;
  return assembled(std::move(ready), [&](Agent& agent, const OwnSettings& own) {
    if (models) models->set(agent.name, agent.model, agent.limits);
    set_up_calls(agent, settings, logger, own);
    // Outside of what keeps results: a note is told once.
    if (agent.name == kCodingAgent) {
      agent.interceptors.insert(agent.interceptors.begin(),
                                project::folder_notes(file_access(settings)));
    }
    add_hooks(agent, hooks);
    if (!live.empty()) agent.interceptors.push_back(mcp_client::telling_what_has_gone(live));
    if (then) then(agent);
    if (!agent.debug) return;
    agent.debug = debug_of(agent, settings, std::nullopt);
    agent.debug->logger = logger;
  });
}

}  // namespace wright::app
