#include "app/wiring/mcp_endpoint.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "app/settings/file_output.h"
#include "core/base64.h"
#include "core/try.h"
#include "mcp_server/http_adapter.h"
#include "server/problem.h"
#include "wright/detail/version.h"

namespace wright::app {
namespace {

constexpr std::size_t kKeyLength = 43;  // 32 bytes in base64url

mcp_server::EndpointOptions endpoint_options(const mcp_server::Host& host, std::string key,
                                             mcp_server::BeginSpan begin_span) {
  auto offer = host.offer({"wright", "Wright", WRIGHT_VERSION}, std::move(key));
  offer.has_lasting_connections = false;
  return {.offer = std::make_shared<mcp::ServerOffer>(std::move(offer)),
          .perform =
              [&host](const mcp::Work& work, const mcp_server::WorkControls& controls) {
                return host.perform(work, controls);
              },
          .is_slow = [&host](const mcp::Work& work) { return host.is_slow(work); },
          .is_quick = [&host](const mcp::Work& work) { return host.is_quick(work); },
          .hosts = {},  // the guard has looked at them
          .begin_span = std::move(begin_span)};
}

// Clients that get status 401 look for documents of an authorization server, which there is not:
// tokens are made with `wright token`. They want to be told so in JSON.
server::Answer no_authorization_server(server::Call&) {
  return server::json_response({{"error", "not_found"},
                                {"error_description",
                                 "There is no authorization server: `wright token add NAME --scope "
                                 "run` makes a token"}},
                               404);
}

}  // namespace

McpEndpoint::McpEndpoint(mcp_server::Offering offering, std::string key,
                         mcp_server::BeginSpan begin_span)
    : host_(std::move(offering)),
      endpoint_(endpoint_options(host_, std::move(key), std::move(begin_span))) {}

std::vector<server::Route> McpEndpoint::routes() {
  using server::Access;
  using server::Scope;
  const auto answer = [this](server::Call& call) -> server::Answer {
    const server::Scopes& scopes = call.caller.scopes;
    mcp_server::answer_over_http(
        endpoint_, std::move(call.request), call.responder,
        {.principal = call.caller.name,
         .rights = {server::allows(scopes, Scope::run), server::allows(scopes, Scope::answer)},
         .is_admitted = call.caller.is_admitted});
    return std::nullopt;
  };
  std::vector<server::Route> routes;
  // The endpoint says what is understood.
  for (const char* method : {"POST", "GET", "DELETE"}) {
    routes.push_back({method, "/mcp", Access::known, Scope::read, answer});
  }
  for (const char* pattern : {"/.well-known/{name}", "/.well-known/{name}/{path}"}) {
    routes.push_back({"GET", pattern, Access::anybody, Scope::read, no_authorization_server});
  }
  routes.push_back({"POST", "/register", Access::anybody, Scope::read, no_authorization_server});
  return routes;
}

std::string random_key() {
  std::random_device device;
  std::string bytes;
  for (int i = 0; i < 8; ++i) {
    const auto word = static_cast<std::uint32_t>(device());
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((word >> shift) & 255U);
  }
  return base64url_of(bytes);
}

Result<std::string> shared_key(const std::filesystem::path& file) {
  const auto read = [&] {
    std::ifstream stream(file);
    std::string text;
    std::getline(stream, text);
    return text;
  };
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    // Whole or not at all: another process may do the same.
    const std::string beside = fmt::format("{}.{}", file.string(), ::getpid());
    std::filesystem::remove(beside, ignored);
    TRY(create_private_file(beside, random_key() + "\n"));
    const bool is_there = ::link(beside.c_str(), file.c_str()) == 0 || errno == EEXIST;
    ::unlink(beside.c_str());
    if (!is_there) return fail(ErrorCode::storage, fmt::format("Cannot write {}", file.string()));
  }
  std::string key = read();
  if (key.size() != kKeyLength) {
    return fail(ErrorCode::storage,
                fmt::format("{} has no key: remove it, and a new one is made", file.string()));
  }
  return key;
}

}  // namespace wright::app
