// `wright mcp`: the servers that the configuration names, whether they work, and Wright as a
// server.
#include <fmt/format.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "app/commands/commands.h"
#include "app/commands/serve.h"
#include "app/terminal/log_output.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/answers_without_keys.h"
#include "app/wiring/mcp_endpoint.h"
#include "app/wiring/mcp_offering.h"
#include "app/wiring/mcp_wiring.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/session_store.h"
#include "core/nearest.h"
#include "mcp_server/stdio_server.h"
#include "wright/detail/version.h"
#include "wright/driver.h"

namespace wright::app {
namespace {

Json server_json(const McpServer& server) {
  JsonArray command;
  for (const std::string& word : server.shown_command) command.emplace_back(word);
  JsonArray agents;
  for (const std::string& agent : server.agents) agents.emplace_back(agent);
  return {{"name", server.name},
          {"command", std::move(command)},
          {"url", server.url.empty() ? "" : server.shown},
          {"agents", std::move(agents)},
          {"enabled", server.is_enabled}};
}

// Null after a complaint.
const McpServer* server_or_complain(const std::vector<McpServer>& servers, std::string_view name,
                                    Console& console) {
  std::vector<std::string_view> names;
  for (const McpServer& server : servers) {
    if (server.name == name) return &server;
    names.push_back(server.name);
  }
  console.complain(fmt::format("unknown MCP server '{}'{}", name, did_you_mean(name, names)),
                   "`wright mcp` lists the servers, `wright mcp add` adds one.");
  return nullptr;
}

struct TestedServer {
  mcp::ServerView server = {};
  mcp_client::ServerTools tools = {};
  std::size_t resources = 0;
  std::size_t prompts = 0;
};

Result<TestedServer> tested(const McpServer& configured, const Settings& settings,
                            CommandContext context) {
  const auto connection = make_connection(configured, settings, context.environment);
  if (!connection) return std::unexpected(connection.error());
  auto server = (*connection)->open();
  if (!server) return std::unexpected(server.error());
  TestedServer found{.server = *server};
  auto tools = mcp_client::server_tools(*connection, tools_options(configured));
  if (!tools) return std::unexpected(tools.error());
  found.tools = std::move(*tools);
  const mcp_client::WaitOptions wait{.timeout = configured.timeout};
  if (server->has("resources")) {
    const auto listed = (*connection)->list("resources/list", "resources", wait);
    if (!listed) return std::unexpected(listed.error());
    found.resources = listed->size();
  }
  if (server->has("prompts")) {
    const auto listed = (*connection)->list("prompts/list", "prompts", wait);
    if (!listed) return std::unexpected(listed.error());
    found.prompts = listed->size();
  }
  const Redactor& redactor = settings.redactor();
  for (std::string* said : {&found.server.peer.name, &found.server.peer.version}) {
    *said = redactor.redacted(*said);
  }
  for (std::string& note : found.tools.notes) note = redactor.redacted(note);
  return found;
}

Json tested_json(const TestedServer& found) {
  JsonArray tools;
  for (const Tool& tool : found.tools.tools) {
    tools.push_back({{"name", tool.spec.name},
                     {"effect", to_string(tool.spec.options.effect)},
                     {"destructive", found.tools.destructive.contains(tool.spec.name)}});
  }
  JsonArray notes;
  for (const std::string& note : found.tools.notes) notes.emplace_back(note);
  return {{"server", found.server.peer.name}, {"server_version", found.server.peer.version},
          {"revision", found.server.version}, {"tools", std::move(tools)},
          {"resources", found.resources},     {"prompts", found.prompts},
          {"notes", std::move(notes)}};
}

}  // namespace

ExitCode execute(const ListMcpCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto servers = settings->mcp_servers();
  if (command.output == OutputFormat::json) {
    JsonArray list;
    for (const McpServer& server : servers) list.push_back(server_json(server));
    context.console.print_json(to_pretty_text(list) + "\n");
    return ExitCode::ok;
  }
  if (servers.empty()) {
    context.console.note("No MCP servers. `wright mcp add NAME COMMAND…` adds one.\n");
    return ExitCode::ok;
  }
  std::string text;
  for (const McpServer& server : servers) {
    text += fmt::format("{}  {}{}\n", painted(server.name, Colour::bold, context.console.output()),
                        on_one_line(server.shown), server.is_enabled ? "" : "  (off)");
  }
  context.console.print_fitted(text);
  return ExitCode::ok;
}

ExitCode execute(const TestMcpCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto servers = settings->mcp_servers();
  const McpServer* server = server_or_complain(servers, command.name, context.console);
  if (server == nullptr) return ExitCode::usage;
  const auto found = tested(*server, *settings, context);
  if (!found) {
    const Redactor redactor(hidden_for(*server));
    context.console.complain(
        redactor.redacted(found.error().message),
        fmt::format("{}: {}", server->url.empty() ? "It is started as" : "It is at",
                    on_one_line(server->shown)));
    return ExitCode::failed;
  }
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(tested_json(*found)) + "\n");
    return ExitCode::ok;
  }
  const Terminal& terminal = context.console.output();
  std::string text =
      fmt::format("{} works: {} {}, revision {}\n", painted(server->name, Colour::bold, terminal),
                  on_one_line(found->server.peer.name), on_one_line(found->server.peer.version),
                  found->server.version);
  for (const Tool& tool : found->tools.tools) {
    const bool destroys = found->tools.destructive.contains(tool.spec.name);
    text += fmt::format("  {}  {}{}\n", tool.spec.name,
                        painted(to_string(tool.spec.options.effect), Colour::dim, terminal),
                        destroys ? painted(", may destroy", Colour::yellow, terminal) : "");
  }
  if (found->resources > 0) text += fmt::format("  {} resources\n", found->resources);
  if (found->prompts > 0) text += fmt::format("  {} prompts\n", found->prompts);
  context.console.print_fitted(text);
  for (const std::string& note : found->tools.notes) context.console.remark(on_one_line(note));
  return ExitCode::ok;
}

McpOffer offer_of(const OfferedOverMcp& offered) {
  const auto listed = [](const std::optional<std::string>& names) {
    std::optional<std::vector<std::string>> list;
    if (!names) return list;
    list.emplace();
    if (*names == "none") return list;
    for (const std::string_view name : names_in(*names)) list->emplace_back(name);
    return list;
  };
  return {.tools = listed(offered.tools),
          .agents = listed(offered.agents),
          .has_sessions = offered.sessions == OfferedSessions::all};
}

ExitCode execute(const ServeMcpCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto logger =
      make_logger(*settings, [&](std::string_view line) { context.console.note(line); });
  if (!logger) {
    context.console.complain(logger.error().message);
    return ExitCode::usage;
  }
  auto store = open_store(*settings);
  if (!store) {
    context.console.complain(store.error().message);
    return ExitCode::failed;
  }
  *store = answers_without_keys(std::move(*store), known_keys(*settings, context.environment));
  if (const auto ended = end_dead_runners(**store); !ended) {
    context.console.complain(ended.error().message);
    return ExitCode::failed;
  }
  auto offering = make_offering(offer_of(command.offered), *settings, context, *logger, **store);
  if (!offering) {
    context.console.complain(offering.error().message);
    return ExitCode::usage;
  }
  const auto host = std::make_shared<const mcp_server::Host>(std::move(*offering));
  mcp_server::serve_stdio(host, {.input = STDIN_FILENO,
                                 .output = STDOUT_FILENO,
                                 .self = {"wright", "Wright", WRIGHT_VERSION},
                                 // A process that is its client's alone needs no other
                                 // instance to know it.
                                 .state_key = random_key()});
  return ExitCode::ok;
}

}  // namespace wright::app
