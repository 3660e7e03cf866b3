// What strangers say of who may use a server: the header of a refusal, an address, the query that a
// browser comes back with, and documents, a line each. Whatever they are: no crash, no secret for
// an address that is not safe, and no server or code that is not the one that was asked.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/authorization.h"

namespace {

using namespace wright;
using namespace wright::mcp;

constexpr std::string_view kServer = "https://example.com/mcp";
constexpr std::string_view kIssuer = "https://login.example.com/tenant";

void expect(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::string_view> lines_in(std::string_view bytes) {
  std::vector<std::string_view> lines;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.size(), bytes.find('\n'));
    lines.push_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(bytes.size(), end + 1));
  }
  return lines;
}

void take_address(std::string_view address) {
  const std::string origin = origin_of(address);
  expect(origin.empty() || address.starts_with(origin.substr(0, origin.find(':'))) ||
         origin.find("://") != std::string::npos);
  if (is_safe_address(address, kServer)) expect(origin.starts_with("https://"));
  for (const std::string& each : resource_metadata_addresses(address)) (void)origin_of(each);
  for (const std::string& each : authorization_server_addresses(address)) (void)origin_of(each);
}

void take_server(const AuthorizationServer& server) {
  const AuthorizationRequest request{.redirect_uri = "http://127.0.0.1:1/callback",
                                     .state = "state",
                                     .scope = "a b",
                                     .resource = std::string(kServer),
                                     .proof = proof_from("0123456789")};
  const std::string address = authorization_address(server, {.id = "client & id"}, request);
  expect(address.find_first_of(" \r\n") == std::string::npos ||
         server.authorization_endpoint.find_first_of(" \r\n") != std::string::npos);
  const auto asked =
      token_request(server, {.id = "client", .secret = "a secret"}, {{"code", "a&b=c\r\n"}});
  expect(asked.body.find_first_of("\r\n") == std::string::npos);
  expect(asked.authorization.find_first_of("\r\n") == std::string::npos);
  (void)to_text(registration_for(server, request.redirect_uri));
}

void take_query(std::string_view query) {
  const AuthorizationServer server{.issuer = std::string(kIssuer), .names_itself = true};
  const AuthorizationRequest request{.state = "the-state-of-this-request"};
  const auto code = code_in(query, server, request);
  if (!code) return;
  // Nobody gets that far without knowing it, in whatever way it is written.
  expect(!code->empty());
  expect(query.find("state") != std::string_view::npos ||
         query.find('%') != std::string_view::npos);
}

void take_document(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return;
  ProtectedResource resource;
  if (auto found = protected_resource_from(*json, kServer)) {
    expect(!found->authorization_servers.empty());
    expect(origin_of(found->resource) == origin_of(kServer));
    resource = std::move(*found);
  }
  if (const auto server = authorization_server_from(*json, kIssuer)) {
    expect(server->issuer == kIssuer);
    take_server(*server);
    (void)scopes_to_ask_for("a", "b a", resource, *server);
  }
  if (const auto client = client_from(*json)) expect(!client->id.empty());
  if (const auto grant = grant_from(*json, "asked")) {
    expect(!grant->access_token.empty());
    expect(grant->access_token.find_first_of("\r\n") == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  for (const std::string_view line : lines_in(bytes)) {
    const Challenge challenge = challenge_in(line);
    take_address(challenge.resource_metadata);
    take_address(line);
    take_query(line);
    take_document(line);
    take_server(usual_authorization_server(origin_of(line)));
    (void)scopes_to_ask_for(challenge.scope, line, {}, {});
  }
  return 0;
}
