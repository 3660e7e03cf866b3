#include "server/health.h"

#include <fmt/format.h>

#include <future>
#include <utility>

#include "core/try.h"
#include "server/problem.h"
#include "server/service.h"

namespace wright::server {
namespace {

http::Response plain_text(std::string text, int status = 200) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}},
          .body = std::move(text)};
}

}  // namespace

Health::Health(HealthOptions options)
    : options_(std::move(options)),
      store_figures_(options_.store, options_.store_gauges, options_.times) {}

http::Response Health::alive() const {
  return plain_text("ok\n");
}

http::Response Health::ready() {
  if (const auto trouble = store_figures_.trouble()) return plain_text(*trouble + "\n", 503);
  return plain_text("ready\n");
}

http::Response Health::figures() {
  std::vector<Gauge> gauges = options_.gauges ? options_.gauges() : std::vector<Gauge>();
  for (Gauge& gauge : store_figures_.gauges()) gauges.push_back(std::move(gauge));
  http::Response response = plain_text(options_.metrics ? options_.metrics->text(gauges) : "");
  response.headers.front().value = "text/plain; version=0.0.4; charset=utf-8";
  return response;
}

Result<std::unique_ptr<HealthServer>> HealthServer::open(std::vector<std::string> listen,
                                                         std::vector<std::string> hosts,
                                                         Tokens& tokens, HealthOptions options) {
  std::unique_ptr<HealthServer> server(new HealthServer(std::move(options)));
  // Nobody is answered before the guard is there, which wants the real ports.
  std::promise<void> is_guarded;
  server->http_ =
      TRY(http::Server::open({.listen = std::move(listen), .is_prompt = is_prompt},
                             [self = server.get(), ready = is_guarded.get_future().share()](
                                 const http::Request& request, const http::Responder& responder) {
                               ready.wait();
                               responder.send(self->answer(request));
                             }));
  for (std::string& host : hosts_of(server->http_->addresses())) hosts.push_back(std::move(host));
  server->guard_ = std::make_unique<Guard>(GuardOptions{.hosts = std::move(hosts)}, tokens);
  is_guarded.set_value();
  return server;
}

http::Response HealthServer::answer(const http::Request& request) {
  const bool is_probe = request.path == "/healthz" || request.path == "/readyz";
  const auto caller = guard_->admit(request, is_probe ? Access::probe : Access::known);
  const auto refuse = [&](ErrorCode code, std::string why) {
    return error_response(request.path, Error{code, std::move(why)});
  };
  if (!caller) return error_response(request.path, caller.error());
  if (!is_probe && request.path != "/metrics") {
    return refuse(ErrorCode::not_found, fmt::format("There is nothing at {}", request.path));
  }
  if (request.method != "GET" && request.method != "HEAD") {
    http::Response response = json_response(
        {{"type", "about:blank"}, {"title", "method not allowed"}, {"status", 405}}, 405);
    response.headers.push_back({"Allow", "GET"});
    return response;
  }
  if (request.path == "/healthz") return health_.alive();
  if (request.path == "/readyz") return health_.ready();
  if (!allows(caller->scopes, Scope::read)) {
    return refuse(ErrorCode::permission_denied, "This token lacks the scope 'read'");
  }
  if (caller->tenant) {
    return refuse(ErrorCode::permission_denied,
                  "This tells of all tenants, and this token is for one of them");
  }
  return health_.figures();
}

}  // namespace wright::server
