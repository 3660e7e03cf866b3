// The options of commands about agents, tools, servers and settings.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

#include "app/commands/shared_options.h"

namespace wright::app {
namespace {

constexpr std::string_view kToolName = "the tool's name";
constexpr std::string_view kServerName = "the server's name";

// `prefix` is what the flags begin with, `where` what their descriptions do.
void add_offered(CLI::App& app, const std::string& prefix, const std::string& where,
                 OfferedOverMcp& offered) {
  add_text(app, (prefix + "tools").c_str(), offered.tools, "NAMES",
           (where + "which tools, as patterns: grep,read_*; none. Without it: those that only read")
               .c_str());
  add_text(app, (prefix + "agents").c_str(), offered.agents, "NAMES",
           (where + "which agents, or none. Without it: all that can run").c_str());
  app.add_flag_callback(
      prefix + "sessions", [&offered] { offered.sessions = OfferedSessions::all; },
      where + "also past sessions, as resources");
}

}  // namespace

LineCheck describe(CLI::App& app, ListAgentsCommand& command) {
  add_json(app, command.output, "Print a JSON array");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ShowAgentCommand& command) {
  app.add_option("NAME", command.name, "Which agent; see `wright agents`");
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.name, kAgentName);
}

LineCheck describe(CLI::App& app, NewAgentCommand& command) {
  app.add_option("NAME", command.name, "Its name: letters, digits and -");
  app.add_flag_callback(
      "--project", [&command] { command.place = AgentPlace::project; },
      "Below .wright/agents of the base folder instead of your own folder");
  add_all_settings(app, command.settings);
  return needs(command.name, kAgentName);
}

LineCheck describe(CLI::App& app, TrustAgentCommand& command) {
  app.add_option("NAME", command.name, "Which agent of the project");
  add_all_settings(app, command.settings);
  return needs(command.name, kAgentName);
}

LineCheck describe(CLI::App& app, ListToolsCommand& command) {
  add_json(app, command.output, "Print a JSON array with the schemas");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ShowToolCommand& command) {
  app.add_option("NAME", command.name, "Which tool; see `wright tools`");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.name, kToolName);
}

LineCheck describe(CLI::App& app, CallToolCommand& command) {
  app.add_option("NAME", command.name, "Which tool; see `wright tools`");
  app.add_option("ARGUMENTS", command.arguments, "A JSON object; - reads standard input");
  add_json(app, command.output, "Print one JSON object: result, what a model reads, duration");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.name, kToolName);
}

LineCheck describe(CLI::App& app, ListMcpCommand& command) {
  add_json(app, command.output, "Print a JSON array");
  add_config_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ServeMcpCommand& command) {
  add_offered(app, "--", "Offer: ", command.offered);
  add_all_settings(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, TestMcpCommand& command) {
  app.add_option("NAME", command.name, "Which server; see `wright mcp`");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.name, kServerName);
}

LineCheck describe(CLI::App& app, AddMcpCommand& command) {
  app.add_option("NAME", command.name, "Its name: letters, digits and -");
  app.add_option("TARGET", command.target, "The program and its arguments, or an address");
  add_repeated(app, "-e,--env", command.variables, "NAME=VALUE", "A variable for the program");
  add_repeated(app, "--header", command.headers, "NAME=VALUE", "A header for the address");
  add_config_option(app, command.settings);
  return [&command] {
    if (command.name.empty()) return missing(kServerName);
    return command.target.empty() ? missing("the program, or the address,") : std::string();
  };
}

LineCheck describe(CLI::App& app, LoginMcpCommand& command) {
  app.add_option("NAME", command.name, "Which server; see `wright mcp`");
  app.add_flag_callback(
      "--no-browser", [&command] { command.browser = UseBrowser::no; },
      "Only print the address to agree at");
  add_config_option(app, command.settings);
  return needs(command.name, kServerName);
}

LineCheck describe(CLI::App& app, LogoutMcpCommand& command) {
  app.add_option("NAME", command.name, "Which server; see `wright mcp`");
  add_config_option(app, command.settings);
  return needs(command.name, kServerName);
}

LineCheck describe(CLI::App& app, RemoveMcpCommand& command) {
  app.add_option("NAME", command.name, "Which server; see `wright mcp`");
  add_config_option(app, command.settings);
  return needs(command.name, kServerName);
}

LineCheck describe(CLI::App& app, ShowConfigCommand& command) {
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ConfigPathCommand& command) {
  add_config_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, InitConfigCommand& command) {
  add_config_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ListModelsCommand& command) {
  app.add_option("VENDOR", command.vendor, "Only this one");
  app.add_flag_callback(
      "--compare", [&command] { command.what = ListModelsCommand::What::differences; },
      "Ask the vendors that have a key for their models, and show what differs");
  add_json(app, command.output, "Print a JSON array");
  add_config_option(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, DoctorCommand& command) {
  app.add_flag_callback(
      "--online", [&command] { command.reach = Reach::network; },
      "Ask every provider that has a key one small question");
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, ServeCommand& command) {
  add_repeated(app, "--listen", command.listen, "ADDRESS",
               "HOST:PORT or unix:PATH instead of 127.0.0.1:7411; may be given several times");
  add_repeated(app, "--host", command.hosts, "NAME",
               "A further name that it is reached by, as in the Host header");
  add_text(app, "--certificate", command.certificate, "FILE", "Speak TLS with this (PEM)");
  add_text(app, "--key", command.key, "FILE", "The certificate's key (PEM)");
  add_repeated(
      app, "--webhook", command.webhooks, "URL",
      "Tell this URL what waits for a person and what has ended; may be given several times");
  add_list(app, "--labels", command.labels, "LABELS",
           "What is there that sessions may ask for: gpu,repository=shop");
  app.add_option("--concurrency", command.concurrency,
                 "Sessions at a time, more are refused with status 429; 0 leaves all to "
                 "`wright worker` (without limit)")
      ->type_name("N")
      ->check(CLI::Range(0, 1'000'000));
  app.add_flag_callback(
      "--no-open", [&command] { command.browser = UseBrowser::no; },
      "Do not open the dashboard in a browser");
  add_offered(app, "--mcp-", "At /mcp: ", command.offered);
  add_all_settings(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return [&command] {
    return command.certificate.has_value() == command.key.has_value()
               ? std::string()
               : std::string("--certificate and --key belong together");
  };
}

LineCheck describe(CLI::App& app, ListTokensCommand& command) {
  add_json(app, command.output, "Print a JSON array");
  return {};
}

LineCheck describe(CLI::App& app, AddTokenCommand& command) {
  app.add_option("NAME", command.name, "What it is called, to find and remove it again");
  app.add_option("--scope", command.scope, "read, answer, run or admin; several with commas")
      ->type_name("SCOPE");
  add_text(app, "--tenant", command.tenant, "NAME",
           "It begins, sees and answers sessions for this tenant alone");
  return [&command] {
    if (command.name.empty()) return missing("the token's name");
    return command.scope.empty() ? missing("--scope") : std::string();
  };
}

LineCheck describe(CLI::App& app, RemoveTokenCommand& command) {
  app.add_option("NAME", command.name, "What it is called");
  return needs(command.name, "the token's name");
}

LineCheck describe(CLI::App& app, GetConfigCommand& command) {
  app.add_option("KEY", command.key, "Such as agent.model; `wright config` lists them");
  add_config_option(app, command.settings);
  return needs(command.key, "the key");
}

LineCheck describe(CLI::App& app, SetConfigCommand& command) {
  app.add_option("KEY", command.key, "Such as agent.model; `wright config` lists them");
  app.add_option("VALUE", command.value, "As --set takes it; lists with commas between");
  add_config_option(app, command.settings);
  return [&command]() -> std::string {
    if (command.key.empty()) return missing("the key");
    return command.value.empty() ? missing("the value") : "";
  };
}

LineCheck describe(CLI::App& app, InitCommand& command) {
  add_text(app, "--model", command.settings.model, "MODEL", "This one, instead of asking",
           kSettingsGroup);
  add_config_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, TrustCommand& command) {
  app.add_flag_callback(
      "-y,--yes", [&command] { command.confirmation = Confirmation::given; }, "Do not ask");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, CompletionsCommand& command) {
  app.add_option("SHELL", command.shell, "bash, zsh or fish");
  return needs(command.shell, "the shell: bash, zsh or fish");
}

}  // namespace wright::app
