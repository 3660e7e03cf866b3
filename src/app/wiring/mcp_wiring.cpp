#include "app/wiring/mcp_wiring.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <iterator>
#include <thread>
#include <unordered_set>

#include "app/settings/paths.h"
#include "app/wiring/bash_settings.h"
#include "core/percent.h"
#include "core/try.h"
#include "mcp_client/http_channel.h"
#include "net/http_client.h"
#include "wright/detail/version.h"
#include "wright/log.h"

namespace wright::app {
mcp_client::ServerProgram program_of(const McpServer& server, const Settings& settings,
                                     const Environment& environment) {
  const std::filesystem::path base = absolute_base(settings);
  mcp_client::ServerProgram program{
      .command = server.command,
      .working_directory = server.working_directory.empty()
                               ? base
                               : base / std::filesystem::path(server.working_directory)};
  program.policy.mode = server.sandbox;
  program.policy.network = server.network;
  program.policy.environment = settings.command_environment();
  program.policy.temporary_root = settings.temporary_folder();
  program.environment = server.environment;
  if (server.sandbox == SandboxMode::off) {
    // What is not confined finds its own files where it always does.
    if (const auto home = environment.find_non_empty("HOME")) {
      program.environment.emplace("HOME", *home);
    }
    return program;
  }
  program.policy.read_paths = settings.readable();
  program.policy.read_paths.push_back(base);
  program.policy.write_paths = settings.writable();
  // In addition to what every sandbox protects.
  GuardedFiles guarded = guarded_files(settings);
  std::ranges::move(guarded.protected_paths, std::back_inserter(program.policy.protected_paths));
  program.policy.unreadable = std::move(guarded.unreadable);
  return program;
}

namespace {

mcp::ClientOptions client_options(const McpServer& server, const Settings& settings) {
  using Revisions = mcp::ClientOptions::Revisions;
  mcp::ClientOptions options{.self = {"wright", "Wright", WRIGHT_VERSION}, .has_tasks = true};
  options.capabilities = {
      {"elicitation", JsonObject{{"form", JsonObject{}}, {"url", JsonObject{}}}},
      {"roots", JsonObject{}},
      {"sampling", JsonObject{}}};
  options.roots = {{{"uri", "file://" + percent_encoded(absolute_base(settings).string(), "/")},
                    {"name", "base folder"}}};
  options.revisions = server.revisions == McpRevisions::legacy   ? Revisions::legacy
                      : server.revisions == McpRevisions::modern ? Revisions::modern
                                                                 : Revisions::automatic;
  return options;
}

}  // namespace

std::shared_ptr<mcp_client::Authorizer> make_authorizer(
    const McpServer& server, const Settings& settings, const Environment& environment,
    std::optional<mcp_client::Browser> browser) {
  mcp_client::AuthorizerOptions options{.name = server.name,
                                        .url = server.url,
                                        .metadata_document = server.oauth.client_metadata_url,
                                        .scope = server.oauth.scope,
                                        .browser = std::move(browser),
                                        .redactor = settings.redactor()};
  const auto beside = trusted_agents_file(environment);
  if (!beside.empty()) options.file = beside.parent_path() / "mcp_tokens.json";
  if (!server.oauth.client_id.empty()) {
    options.client = {server.oauth.client_id, server.oauth.client_secret, ""};
  }
  // One of its own: it is asked while the server's waits.
  return std::make_shared<mcp_client::Authorizer>(std::move(options),
                                                  std::make_shared<net::HttpClient>());
}

Result<std::shared_ptr<mcp_client::Connection>> make_connection(const McpServer& server,
                                                                const Settings& settings,
                                                                const Environment& environment,
                                                                const Logger& logger) {
  mcp_client::ConnectionOptions options{.name = server.name,
                                        .client = client_options(server, settings),
                                        .time_to_start = server.time_to_start,
                                        .logger = logger,
                                        .redactor = settings.redactor()};
  if (!server.url.empty()) {
    mcp_client::ServerAddress address{.url = server.url, .timeout = server.timeout};
    for (const auto& [name, value] : server.headers) address.headers.push_back({name, value});
    // Whoever sets the header knows who they are.
    if (find_header(address.headers, "Authorization").empty()) {
      address.authorizer = make_authorizer(server, settings, environment, std::nullopt);
    }
    options.make = [address, client = std::make_shared<net::HttpClient>()](
                       std::shared_ptr<mcp_client::ChannelListener> listener)
        -> Result<std::unique_ptr<mcp_client::Channel>> {
      return mcp_client::open_address(address, client, std::move(listener));
    };
    return std::make_shared<mcp_client::Connection>(std::move(options));
  }
  options.make = [program = program_of(server, settings, environment)](
                     std::shared_ptr<mcp_client::ChannelListener> listener) {
    return mcp_client::start_program(program, std::move(listener));
  };
  return std::make_shared<mcp_client::Connection>(std::move(options));
}

mcp_client::ServerToolsOptions tools_options(const McpServer& server) {
  return {.name = server.name,
          .patterns = server.tools,
          .effects = server.effects,
          .timeout = server.timeout};
}

std::vector<std::string> hidden_for(const McpServer& server) {
  std::vector<std::string> hidden = server.secrets;
  hidden.insert(hidden.end(), server.expanded.begin(), server.expanded.end());
  return hidden;
}

// All that are new, beside each other: each may take seconds.
void McpServers::connect(std::string_view agent) {
  std::vector<std::thread> threads;
  for (const McpServer& server : settings_.mcp_servers()) {
    if (!server.is_enabled || !server.is_for(agent) || known_.contains(server.name)) continue;
    Known& known = known_[server.name];
    threads.emplace_back([this, server, &known] {
      auto connection = make_connection(server, settings_, environment_);
      if (connection) known.connection = *connection;
      auto options = tools_options(server);
      options.models = models_;
      if (!connection) {
        known.tools = std::unexpected(connection.error());
        return;
      }
      known.live = std::make_shared<mcp_client::LiveTools>(*connection, std::move(options));
      known.tools = known.live->open(stop_);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::vector<std::string> McpServers::add_tools(Agent& agent) {
  connect(agent.name);
  std::vector<std::string> notes;
  std::vector<std::shared_ptr<mcp_client::LiveTools>> live;
  for (const McpServer& server : settings_.mcp_servers()) {
    if (!server.is_enabled || !server.is_for(agent.name)) continue;
    const auto& tools = known_.at(server.name).tools;
    const Redactor redactor(hidden_for(server));
    if (!tools) {
      notes.push_back(fmt::format("{} goes without the MCP server {}: {}", agent.name, server.name,
                                  redactor.redacted(tools.error().message)));
      continue;
    }
    for (const std::string& note : tools->notes) notes.push_back(redactor.redacted(note));
    std::unordered_set<std::string_view> names;
    for (const Tool& tool : agent.tools) names.insert(tool.spec.name);
    std::vector<Tool> added;
    for (const Tool& tool : tools->tools) {
      if (!names.contains(tool.spec.name)) added.push_back(tool);
    }
    agent.tools.insert(agent.tools.end(), added.begin(), added.end());
    live.push_back(known_.at(server.name).live);
  }
  if (!live.empty()) {
    agent.tools_now = [live = std::move(live)](std::span<const Tool> tools) {
      return mcp_client::tools_of_now(tools, live);
    };
  }
  return notes;
}

std::vector<std::shared_ptr<mcp_client::LiveTools>> McpServers::live() const {
  std::vector<std::shared_ptr<mcp_client::LiveTools>> found;
  for (const auto& [name, known] : known_) {
    if (known.tools) found.push_back(known.live);
  }
  return found;
}

std::vector<std::shared_ptr<mcp_client::Connection>> McpServers::connections(
    std::string_view agent) const {
  std::vector<std::shared_ptr<mcp_client::Connection>> found;
  for (const McpServer& server : settings_.mcp_servers()) {
    const auto known = known_.find(server.name);
    if (known == known_.end() || !server.is_for(agent) || !known->second.tools) continue;
    found.push_back(known->second.connection);
  }
  return found;
}

}  // namespace wright::app
