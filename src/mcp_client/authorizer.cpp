#include "mcp_client/authorizer.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <random>

#include "core/base64.h"
#include "core/try.h"
#include "net/whole_response.h"

namespace wright::mcp_client {
namespace {

constexpr std::size_t kLongestDocument = 1 << 20;
constexpr HttpTimeouts kShortly{.connect = std::chrono::seconds(10),
                                .first_byte = std::chrono::seconds(20),
                                .idle = std::chrono::seconds(20),
                                .total = std::chrono::seconds(30)};

std::string random_bytes() {
  std::random_device device;
  std::string bytes;
  for (int i = 0; i < 8; ++i) {
    const auto word = static_cast<std::uint32_t>(device());
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((word >> shift) & 255U);
  }
  return bytes;
}

std::size_t document_limit(const HttpResponseHead&) {
  return kLongestDocument;
}

std::string refusal_in(const net::WholeResponse& response) {
  const auto json = parse_json(response.body);
  const JsonObject* object = json ? json->if_object() : nullptr;
  std::string why = object != nullptr ? mcp::text_in(*object, "error") : "";
  if (object != nullptr && object->contains("error_description")) {
    why += fmt::format("{}{}", why.empty() ? "" : ": ", mcp::text_in(*object, "error_description"));
  }
  return to_valid_utf8(why.empty() ? fmt::format("HTTP status {}", response.head.status) : why);
}

}  // namespace

Authorizer::Authorizer(AuthorizerOptions options, std::shared_ptr<net::HttpClient> client)
    : options_(std::move(options)), client_(std::move(client)), file_(options_.file) {}

std::string Authorizer::token() {
  const std::lock_guard lock(mutex_);
  if (!token_) {
    const auto kept = file_.find(options_.url);
    token_ = kept && *kept ? (*kept)->grant.access_token : "";
    options_.redactor.learn(*token_);
  }
  return *token_;
}

void Authorizer::take(std::string token) {
  const std::lock_guard lock(mutex_);
  options_.redactor.learn(token);
  token_ = std::move(token);
}

Result<void> Authorizer::renew(const std::string& refused, const mcp::Challenge& challenge,
                               const std::stop_token& stop) {
  const std::lock_guard lock(renewing_);
  // Somebody else of this process was faster.
  if (const std::string known = token(); known != refused && !known.empty()) return {};
  std::optional<KeptToken> before;
  std::optional<std::string> now;
  TRY(file_.change(
      options_.url, [&](const std::optional<KeptToken>& kept) -> Result<std::optional<KeptToken>> {
        before = kept;
        if (!kept) return kept;
        const std::string& token = kept->grant.access_token;
        if (token != refused && !token.empty()) {  // another process was
          now = token;
          return kept;
        }
        if (challenge.error == "insufficient_scope") {
          // The next login asks for it, whoever makes it.
          KeptToken wanting = *kept;
          wanting.grant.scope = mcp::scopes_to_ask_for(challenge.scope, kept->grant.scope, {}, {});
          return wanting;
        }
        const bool can_refresh = !kept->grant.refresh_token.empty() && refused != refreshed_;
        if (!can_refresh) return kept;
        auto again = refresh(*kept, stop);
        if (!again) {
          // Who is not known there any more has to log in.
          if (again.error().code == ErrorCode::authentication) return kept;
          return std::unexpected(again.error());
        }
        now = refreshed_ = again->grant.access_token;
        return std::move(*again);
      }));
  if (now) {
    take(std::move(*now));
    return {};
  }
  return log_in_anew(challenge, before, stop);
}

// Takes a person's time, in which no other process is kept waiting.
Result<void> Authorizer::log_in_anew(const mcp::Challenge& challenge,
                                     const std::optional<KeptToken>& kept,
                                     const std::stop_token& stop) {
  const auto got = TRY(authorize(challenge, kept, stop));
  TRY(file_.change(
      options_.url,
      [&](const std::optional<KeptToken>&) -> Result<std::optional<KeptToken>> { return got; }));
  take(got.grant.access_token);
  return {};
}

Result<void> Authorizer::log_in(const std::stop_token& stop) {
  // What the server says to those it does not know.
  HttpRequest request{.url = options_.url,
                      .headers = {{"Content-Type", "application/json"},
                                  {"Accept", "application/json, text/event-stream"}},
                      .body = R"({"jsonrpc":"2.0","id":1,"method":"ping"})"};
  const auto response =
      TRY(net::ask_and_wait(*client_, std::move(request), kShortly, document_limit, stop));
  const auto challenge = mcp::challenge_in(find_header(response.head.headers, "WWW-Authenticate"));
  const std::lock_guard lock(renewing_);
  const auto kept = TRY(file_.find(options_.url));
  return log_in_anew(challenge, kept, stop);
}

Result<void> Authorizer::log_out() {
  const std::lock_guard lock(renewing_);
  take("");
  return file_.change(options_.url,
                      [](const std::optional<KeptToken>&) -> Result<std::optional<KeptToken>> {
                        return std::nullopt;
                      });
}

Result<std::optional<Json>> Authorizer::document_at(const std::string& address,
                                                    const std::stop_token& stop) {
  if (!mcp::is_safe_address(address, options_.url)) {
    return fail(ErrorCode::authentication,
                fmt::format("the server {} names an address that is not safe: {}", options_.name,
                            to_valid_utf8(address)));
  }
  HttpRequest request{.url = address, .headers = {{"Accept", "application/json"}}};
  request.method = "GET";
  const auto response =
      TRY(net::ask_and_wait(*client_, std::move(request), kShortly, document_limit, stop));
  if (response.head.status >= 400 && response.head.status < 500) return std::nullopt;
  if (response.head.status != 200 || response.is_cut) {
    return fail(ErrorCode::unavailable,
                fmt::format("{} answers with HTTP status {}", address, response.head.status));
  }
  return TRY(parse_json(response.body));
}

Result<std::optional<mcp::AuthorizationServer>> Authorizer::described(const std::string& issuer,
                                                                      const std::stop_token& stop) {
  for (const std::string& address : mcp::authorization_server_addresses(issuer)) {
    const auto document = TRY(document_at(address, stop));
    if (document) return mcp::authorization_server_from(*document, issuer);
  }
  return std::nullopt;
}

Result<Authorizer::Found> Authorizer::discover(const mcp::Challenge& challenge,
                                               const std::stop_token& stop) {
  std::vector<std::string> addresses = mcp::resource_metadata_addresses(options_.url);
  if (!challenge.resource_metadata.empty()) addresses = {challenge.resource_metadata};
  for (const std::string& address : addresses) {
    const auto document = TRY(document_at(address, stop));
    if (!document) continue;
    auto resource = TRY(mcp::protected_resource_from(*document, options_.url));
    const std::string issuer = resource.authorization_servers.front();
    auto server = TRY(described(issuer, stop));
    if (server) return Found{std::move(resource), std::move(*server)};
    return fail(ErrorCode::authentication,
                fmt::format("the authorization server {} does not describe itself", issuer));
  }
  // Servers of 2025-03-26 authorize by themselves.
  const std::string origin = mcp::origin_of(options_.url);
  const auto server = TRY(described(origin, stop));
  return Found{{.resource = options_.url},
               server ? *server : mcp::usual_authorization_server(origin)};
}

// By hand, by an address that describes us, or by registering: in this order.
Result<mcp::OAuthClient> Authorizer::client_for(const mcp::AuthorizationServer& server,
                                                const std::optional<KeptToken>& kept,
                                                const std::stop_token& stop) {
  if (options_.client) return *options_.client;
  if (server.takes_metadata_documents && !options_.metadata_document.empty()) {
    return mcp::OAuthClient{.id = options_.metadata_document, .method = "none"};
  }
  const std::string& redirect_uri = options_.browser->redirect_uri;
  if (kept && kept->issuer == server.issuer && kept->redirect_uri == redirect_uri &&
      !kept->client.id.empty()) {
    return kept->client;
  }
  if (server.registration_endpoint.empty()) {
    return fail(ErrorCode::authentication,
                fmt::format("{} does not let programs register: register one there by hand, and "
                            "set oauth = {{ client_id = \"…\" }} for the MCP server {}",
                            server.issuer, options_.name));
  }
  HttpRequest request{
      .url = server.registration_endpoint,
      .headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}},
      .body = to_text(mcp::registration_for(server, redirect_uri))};
  const auto response =
      TRY(net::ask_and_wait(*client_, std::move(request), kShortly, document_limit, stop));
  if (response.head.status != 201 && response.head.status != 200) {
    return fail(ErrorCode::authentication, fmt::format("{} does not register this program: {}",
                                                       server.issuer, refusal_in(response)));
  }
  const auto registered = TRY(parse_json(response.body));
  return mcp::client_from(registered);
}

Result<mcp::Grant> Authorizer::ask_for_token(const mcp::AuthorizationServer& server,
                                             const mcp::OAuthClient& client, mcp::Form form,
                                             std::string_view scope, const std::stop_token& stop) {
  auto asked = mcp::token_request(server, client, std::move(form));
  HttpRequest request{.url = server.token_endpoint,
                      .headers = {{"Content-Type", "application/x-www-form-urlencoded"},
                                  {"Accept", "application/json"}},
                      .body = std::move(asked.body)};
  if (!asked.authorization.empty()) {
    request.headers.push_back({"Authorization", std::move(asked.authorization)});
  }
  const auto response =
      TRY(net::ask_and_wait(*client_, std::move(request), kShortly, document_limit, stop));
  if (response.head.status >= 500) {
    return fail(ErrorCode::unavailable, fmt::format("{} gives no token: HTTP status {}",
                                                    server.issuer, response.head.status));
  }
  if (response.head.status != 200) {
    return fail(ErrorCode::authentication,
                fmt::format("{} gives no token: {}", server.issuer, refusal_in(response)));
  }
  const auto answer = TRY(parse_json(response.body));
  return mcp::grant_from(answer, scope);
}

Result<KeptToken> Authorizer::authorize(const mcp::Challenge& challenge,
                                        const std::optional<KeptToken>& kept,
                                        const std::stop_token& stop) {
  if (!options_.browser) {
    return fail(
        ErrorCode::authentication,
        fmt::format("it wants to know who you are. Log in: wright mcp login {}", options_.name));
  }
  const auto found = TRY(discover(challenge, stop));
  const auto client = TRY(client_for(found.server, kept, stop));
  const bool is_same_issuer = kept && kept->issuer == found.server.issuer;
  const std::string_view granted = is_same_issuer ? kept->grant.scope : std::string_view();
  const bool is_configured = !options_.scope.empty() && challenge.error != "insufficient_scope";
  mcp::AuthorizationRequest request{
      .redirect_uri = options_.browser->redirect_uri,
      .state = base64url_of(random_bytes()),
      .scope = mcp::scopes_to_ask_for(is_configured ? options_.scope : challenge.scope, granted,
                                      found.resource, found.server),
      .resource = found.resource.resource,
      .proof = mcp::proof_from(random_bytes())};
  const auto query = TRY(options_.browser->visit(
      mcp::authorization_address(found.server, client, request), request.state, stop));
  const auto code = TRY(mcp::code_in(query, found.server, request));
  auto grant = TRY(ask_for_token(found.server, client,
                                 {{"grant_type", "authorization_code"},
                                  {"code", code},
                                  {"redirect_uri", request.redirect_uri},
                                  {"code_verifier", request.proof.verifier},
                                  {"resource", request.resource}},
                                 request.scope, stop));
  return KeptToken{.grant = std::move(grant),
                   .resource = request.resource,
                   .issuer = found.server.issuer,
                   .token_endpoint = found.server.token_endpoint,
                   .client = client,
                   .redirect_uri = request.redirect_uri};
}

Result<KeptToken> Authorizer::refresh(KeptToken kept, const std::stop_token& stop) {
  const mcp::AuthorizationServer server{.issuer = kept.issuer,
                                        .token_endpoint = kept.token_endpoint};
  auto grant = TRY(ask_for_token(server, kept.client,
                                 {{"grant_type", "refresh_token"},
                                  {"refresh_token", kept.grant.refresh_token},
                                  {"resource", kept.resource}},
                                 kept.grant.scope, stop));
  // One that is not replaced stays good.
  if (grant.refresh_token.empty()) grant.refresh_token = kept.grant.refresh_token;
  kept.grant = std::move(grant);
  return kept;
}

}  // namespace wright::mcp_client
