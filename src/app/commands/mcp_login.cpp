// `wright mcp login` and `wright mcp logout`: tokens of servers that want to know who uses them.
#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "app/commands/commands.h"
#include "app/terminal/browser.h"
#include "app/terminal/interruption.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/mcp_wiring.h"
#include "core/nearest.h"
#include "core/try.h"
#include "http_server/server.h"

namespace wright::app {
namespace {

constexpr std::chrono::minutes kLoginTime{10};
constexpr const char* kCallback = "/callback";

// Where the browser is sent back to: a server of this machine, for as long as the login takes.
class Redirection {
 public:
  static Result<std::unique_ptr<Redirection>> open(int port) {
    auto redirection = std::make_unique<Redirection>();
    redirection->server_ = TRY(
        http::Server::open({.listen = {fmt::format("127.0.0.1:{}", port)}, .handler_threads = 1},
                           [there = redirection.get()](const http::Request& request,
                                                       const http::Responder& responder) {
                             there->take(request, responder);
                           }));
    return redirection;
  }

  std::string uri() const {
    return fmt::format("http://{}{}", server_->addresses().front(), kCallback);
  }

  Result<std::string> await(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const bool has_come = changed_.wait_for(lock, stop, kLoginTime, [this] { return !!query_; });
    if (has_come) return *query_;
    return fail(stop.stop_requested() ? ErrorCode::cancelled : ErrorCode::timeout,
                "nobody came back from the browser");
  }

 private:
  void take(const http::Request& request, const http::Responder& responder) {
    const bool is_it = request.path == kCallback && request.parameter("state").has_value();
    responder.send({.status = is_it ? 200 : 404,
                    .headers = {{"Content-Type", "text/plain; charset=utf-8"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cache-Control", "no-store"}},
                    .body = is_it ? "You can close this page, and go on at the terminal.\n"
                                  : "There is nothing here.\n"});
    if (!is_it) return;
    const std::lock_guard lock(mutex_);
    if (!query_) query_ = request.query;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<std::string> query_;
  std::unique_ptr<http::Server> server_;  // first to go: it calls the above
};

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
  const auto redirection = TRY(Redirection::open(server.oauth.redirect_port));
  mcp_client::Browser browser{.redirect_uri = redirection->uri()};
  browser.visit = [&](const std::string& address,
                      const std::stop_token& stopping) -> Result<std::string> {
    context.console.note(
        fmt::format("Agree in a browser on this machine:\n\n  {}\n\n", on_one_line(address)));
    // Nobody needs to know whether that worked: the address is printed, too.
    if (command.browser == UseBrowser::yes && has_screen(context.environment)) {
      (void)open_in_browser(address);
    }
    return redirection->await(stopping);
  };
  const auto authorizer = make_authorizer(server, context.environment, std::move(browser));
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
    context.console.complain(on_one_line(count.error().message));
    return ExitCode::failed;
  }
  context.console.print(fmt::format("{} knows you: {} tools\n", command.name, *count));
  return ExitCode::ok;
}

ExitCode execute(const LogoutMcpCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto server = server_to_log_in(*settings, command.name);
  const auto done = server ? make_authorizer(*server, context.environment, std::nullopt)->log_out()
                           : Result<void>(std::unexpected(server.error()));
  if (!done) {
    context.console.complain(on_one_line(done.error().message));
    return ExitCode::failed;
  }
  context.console.note(fmt::format("The token for {} is removed.\n", command.name));
  return ExitCode::ok;
}

}  // namespace wright::app
