// `wright mcp login` and `wright mcp logout`: tokens of servers that want to know who uses them.
#include <fmt/format.h>

#include <optional>

#include "app/commands/commands.h"
#include "app/commands/login_redirection.h"
#include "app/terminal/browser.h"
#include "app/terminal/interruption.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/mcp_wiring.h"
#include "core/nearest.h"
#include "core/try.h"

namespace wright::app {
namespace {

// The server of that name, when it is one that can be logged in to.
Result<McpServer> server_to_log_in(const Settings& settings, std::string_view name) {
  std::vector<std::string_view> names;
  const auto servers = settings.mcp_servers();
  for (const McpServer& server : servers) {
    names.push_back(server.name);
    if (server.name != name) continue;
    if (!server.url.empty()) return server;
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is a program: only servers with a url ask who you are", name));
  }
  return fail(ErrorCode::not_found,
              fmt::format("unknown MCP server '{}'{}", name, did_you_mean(name, names)));
}

Result<std::size_t> logged_in(const LoginMcpCommand& command, const Settings& settings,
                              CommandContext context, const std::stop_token& stop) {
  const McpServer server = TRY(server_to_log_in(settings, command.name));
  const auto redirection = TRY(LoginRedirection::open(server.oauth.redirect_port));
  mcp_client::Browser browser{.redirect_uri = redirection->uri()};
  browser.visit = [&](const std::string& address, const std::string& state,
                      const std::stop_token& stopping) -> Result<std::string> {
    redirection->expect(state);
    context.console.note(
        fmt::format("Agree in a browser on this machine:\n\n  {}\n\n", on_one_line(address)));
    // Nobody needs to know whether that worked: the address is printed, too.
    if (command.browser == UseBrowser::yes && has_screen(context.environment)) {
      (void)open_in_browser(address);
    }
    return redirection->await(stopping);
  };
  const auto authorizer =
      make_authorizer(server, settings, context.environment, std::move(browser));
  TRY(authorizer->log_in(stop));
  const auto connection = TRY(make_connection(server, settings, context.environment));
  const auto tools = TRY(mcp_client::server_tools(connection, tools_options(server), stop));
  return tools.tools.size();
}

}  // namespace

ExitCode execute(const LoginMcpCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  Interruption interruption;
  interruption.watch({});
  const auto count = logged_in(command, *settings, context, interruption.token());
  if (!count) {
    context.console.complain(on_one_line(settings->redactor().redacted(count.error().message)));
    return ExitCode::failed;
  }
  context.console.print(fmt::format("{} knows you: {} tools\n", command.name, *count));
  return ExitCode::ok;
}

ExitCode execute(const LogoutMcpCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto server = server_to_log_in(*settings, command.name);
  const auto done =
      server ? make_authorizer(*server, *settings, context.environment, std::nullopt)->log_out()
             : Result<void>(std::unexpected(server.error()));
  if (!done) {
    context.console.complain(on_one_line(settings->redactor().redacted(done.error().message)));
    return ExitCode::failed;
  }
  context.console.note(fmt::format("The token for {} is removed.\n", command.name));
  return ExitCode::ok;
}

}  // namespace wright::app
