#include "server/dashboard_routes.h"

#include <algorithm>
#include <string>

#include "server/embedded.h"

namespace wright::server {
namespace {

// Nothing from elsewhere, nothing inline, and no text that becomes a script.
constexpr std::string_view kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";

}  // namespace

bool is_prompt(const http::Request& request) {
  const std::string_view path = request.path;
  return path == "/healthz" || path == "/readyz" || path == "/metrics" || path == "/favicon.ico" ||
         std::ranges::find(dashboard_files(), path, &EmbeddedFile::path) != dashboard_files().end();
}

std::vector<Route> dashboard_routes() {
  std::vector<Route> routes;
  for (const EmbeddedFile& file : dashboard_files()) {
    const auto answer = [&file](Call&) -> Answer {
      return http::Response{.headers = {{"Content-Type", std::string(file.type)},
                                        {"Cache-Control", "no-cache"},
                                        {"Content-Security-Policy", std::string(kContentPolicy)},
                                        {"Cross-Origin-Opener-Policy", "same-origin"}},
                            .body = std::string(file.content)};
    };
    routes.push_back({"GET", std::string(file.path), Access::anybody, Scope::read, answer});
  }
  // Browsers ask for it by themselves.
  routes.push_back({"GET", "/favicon.ico", Access::anybody, Scope::read,
                    [](Call&) -> Answer { return http::Response{.status = 204}; }});
  return routes;
}

}  // namespace wright::server
