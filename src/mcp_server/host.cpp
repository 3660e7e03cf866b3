#include "mcp_server/host.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "mcp/content.h"
#include "mcp_server/agent_calls.h"
#include "mcp_server/agent_tasks.h"
#include "mcp_server/prompts.h"
#include "mcp_server/session_resources.h"
#include "mcp_server/tool_calls.h"

namespace wright::mcp_server {
namespace {

JsonObject agent_json(const OfferedAgent& agent) {
  const JsonObject input{
      {"type", "object"},
      {"properties",
       JsonObject{{"prompt", JsonObject{{"type", "string"},
                                        {"description", "What the agent is to do"},
                                        {"minLength", 1}}},
                  {"session_id",
                   JsonObject{{"type", "integer"},
                              {"description",
                               "A session of this agent to go on with, as an earlier call named "
                               "it; without it a new one begins"}}}}},
      {"required", JsonArray{"prompt"}},
      {"additionalProperties", false}};
  const JsonObject output{
      {"type", "object"},
      {"properties", JsonObject{{"answer", JsonObject{{"type", "string"}}},
                                {"session_id", JsonObject{{"type", "integer"}}}}},
      {"required", JsonArray{"answer", "session_id"}}};
  return {{"name", agent.tool},
          {"description", agent.description},
          {"inputSchema", input},
          {"outputSchema", output},
          {"annotations", JsonObject{{"readOnlyHint", false}, {"openWorldHint", true}}}};
}

}  // namespace

void BegunSessions::add(std::string_view principal, SessionId session) {
  const std::lock_guard lock(mutex_);
  sessions_.emplace(principal, session);
}

bool BegunSessions::contains(std::string_view principal, SessionId session) const {
  const std::lock_guard lock(mutex_);
  return sessions_.contains({std::string(principal), session});
}

Host::Host(Offering offering)
    : offering_(std::move(offering)),
      record_(std::make_unique<CallRecord>(offering_.store, offering_.caller->name)) {
  if (offering_.store == nullptr) {
    offering_.agents.clear();
    offering_.shows_sessions = false;
  }
  for (const Tool& tool : offering_.caller->tools) tools_.emplace_back(mcp::tool_json(tool.spec));
  tools_as_tasks_ = tools_;
  for (const OfferedAgent& agent : offering_.agents) {
    JsonObject json = agent_json(agent);
    tools_.emplace_back(json);
    json["execution"] = JsonObject{{"taskSupport", "optional"}};
    tools_as_tasks_.emplace_back(std::move(json));
  }
  if (!offering_.agents.empty()) {
    tasks_ = std::make_unique<AgentTasks>(*offering_.store, offering_.agents, offering_.observer,
                                          offering_.tracing, offering_.dashboard);
  }
}

Host::~Host() = default;

mcp::ServerOffer Host::offer(mcp::Peer self, std::string state_key) const {
  return {.self = std::move(self),
          .instructions = offering_.agents.empty()
                              ? ""
                              : "Tools whose names begin with ask_ are agents: they work on their "
                                "own with tools and a model, may take minutes, and may ask you.",
          .has_tools = !tools_.empty(),
          .has_resources = offering_.shows_sessions,
          .has_prompts = !offering_.agents.empty(),
          .has_completions = offering_.shows_sessions,
          .has_tasks = !offering_.agents.empty(),
          .has_news = false,  // nobody here hears of sessions that others begin
          .ttl_ms = 60'000,
          .state_key = std::move(state_key)};
}

bool Host::is_quick(const mcp::Work& work) const {
  return work.method == "tools/list" || work.method.starts_with("prompts/");
}

namespace {

// Whether a call of an agent becomes a task: the client asks for one (2025-11-25), or knows them
// (2026-07-28).
bool is_task(const mcp::Work& work) {
  const bool is_wanted = work.client->version == mcp::kNewestLegacyVersion &&
                         mcp::object_in(work.params, "task") != nullptr;
  return is_wanted || work.client->knows_tasks();
}

}  // namespace

bool Host::is_slow(const mcp::Work& work) const {
  if (work.method == "tasks/result") return true;
  return work.method == "tools/call" && !is_task(work) &&
         std::ranges::find(offering_.agents, mcp::text_in(work.params, "name"),
                           &OfferedAgent::tool) != offering_.agents.end();
}

mcp::WorkOutcome Host::call_tool(const mcp::Work& work, const WorkControls& controls) const {
  const std::string name = mcp::text_in(work.params, "name");
  const auto agent = std::ranges::find(offering_.agents, name, &OfferedAgent::tool);
  if (agent != offering_.agents.end()) {
    const AgentSessions sessions{*offering_.store, *begun_, offering_.observer, offering_.tracing,
                                 offering_.shows_sessions,
                                 offering_.dashboard ? offering_.dashboard() : std::string()};
    if (is_task(work)) return tasks_->begin(*agent, sessions, work);
    return call_agent(*agent, sessions, work, controls);
  }
  if (find_tool(offering_.caller->tools, name) == nullptr) {
    return mcp::Problem{mcp::code::kInvalidParams,
                        fmt::format("Unknown tool: {}", to_valid_utf8(name.substr(0, 200)))};
  }
  // A server without tasks passes over what it is told of them.
  if (tasks_ && work.client->version == mcp::kNewestLegacyVersion && work.params.contains("task")) {
    return mcp::Problem{mcp::code::kMethodNotFound, "this tool is not called as a task"};
  }
  return call_own_tool(*offering_.caller, *record_, work, controls);
}

mcp::WorkOutcome Host::perform(const mcp::Work& work, const WorkControls& controls) const {
  if (work.method == "tools/call") return call_tool(work, controls);
  const bool has_cursor = work.params.contains("cursor");
  if (work.method == "tools/list" || work.method == "prompts/list") {
    // There is one page of each.
    if (has_cursor) return mcp::Problem{mcp::code::kInvalidParams, "there is no such page"};
    if (work.method == "tools/list") {
      const bool has_tasks = work.client->version == mcp::kNewestLegacyVersion;
      return mcp::Finished{{{"tools", has_tasks ? tools_as_tasks_ : tools_}}};
    }
    return list_prompts(offering_.agents);
  }
  if (work.method.starts_with("tasks/")) return tasks_->perform(work, controls);
  if (work.method == "prompts/get") return get_prompt(offering_.agents, work.params);
  if (!offering_.shows_sessions) {
    return mcp::Problem{mcp::code::kMethodNotFound, "there are no resources here"};
  }
  if (work.method == "resources/list") return list_sessions(*offering_.store, work.params);
  if (work.method == "resources/templates/list") return list_session_templates();
  if (work.method == "resources/read") return read_session(*offering_.store, work.params);
  return complete(*offering_.store, offering_.agents, work.params);
}

}  // namespace wright::mcp_server
