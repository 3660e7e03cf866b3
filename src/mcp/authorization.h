// What a server tells about who may use it (RFC 9728), what its authorization server tells about
// itself (RFC 8414, OpenID Connect Discovery), and what a client asks of it by OAuth 2.1. Texts in,
// texts out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcp/json_rpc.h"

namespace wright::mcp {

// "Bearer resource_metadata="…", scope="…", error="…"" of the header WWW-Authenticate.
struct Challenge {
  std::string resource_metadata = {};
  std::string scope = {};
  std::string error = {};
};
Challenge challenge_in(std::string_view www_authenticate);

// "https://example.com" of "https://example.com/mcp"; empty where it is no address.
std::string origin_of(std::string_view url);
// Whether secrets may go there: by TLS, or to this machine where the server itself is on it.
bool is_safe_address(std::string_view url, std::string_view server);

// The server as a resource that tokens are for.
struct ProtectedResource {
  std::string resource = {};
  std::vector<std::string> authorization_servers = {};
  std::vector<std::string> scopes = {};
};
// Where it is described, the most particular first.
std::vector<std::string> resource_metadata_addresses(std::string_view server);
// Refused where the description is one of another resource.
Result<ProtectedResource> protected_resource_from(const Json& document, std::string_view server);

struct AuthorizationServer {
  std::string issuer = {};
  std::string authorization_endpoint = {};
  std::string token_endpoint = {};
  std::string registration_endpoint = {};  // empty: nobody can register
  std::vector<std::string> scopes = {};
  std::vector<std::string> client_methods = {};  // token_endpoint_auth_methods_supported
  bool takes_metadata_documents = false;         // an address as the client's id
  bool names_itself = false;                     // `iss` in what it redirects to
};
std::vector<std::string> authorization_server_addresses(std::string_view issuer);
// Refused where the issuer is another, or PKCE with S256 is not promised.
Result<AuthorizationServer> authorization_server_from(const Json& document,
                                                      std::string_view issuer);
// Of servers that describe nothing (2025-03-26).
AuthorizationServer usual_authorization_server(std::string_view origin);

// We, as the authorization server knows us.
struct OAuthClient {
  std::string id = {};
  std::string secret = {};
  std::string method = {};  // client_secret_basic, client_secret_post, none; empty: what fits
};
JsonObject registration_for(const AuthorizationServer& server, std::string_view redirect_uri);
Result<OAuthClient> client_from(const Json& registered);

// A word that nobody guesses, and what stands for it in the open.
struct Proof {
  std::string verifier = {};
  std::string challenge = {};
};
Proof proof_from(std::string_view random_bytes);

// Which scopes to ask for: those of the challenge with those that were granted before, or else all
// that the resource has. Empty: none is named.
std::string scopes_to_ask_for(std::string_view challenged, std::string_view granted,
                              const ProtectedResource& resource, const AuthorizationServer& server);

struct AuthorizationRequest {
  std::string redirect_uri = {};
  std::string state = {};
  std::string scope = {};
  std::string resource = {};
  Proof proof = {};
};
std::string authorization_address(const AuthorizationServer& server, const OAuthClient& client,
                                  const AuthorizationRequest& request);
// The code in the query of the address that the person was sent back to. Refused where it is not
// the answer to this request, or not of this server.
Result<std::string> code_in(std::string_view query, const AuthorizationServer& server,
                            const AuthorizationRequest& request);

// A request to the token endpoint: its body, and the value of Authorization, where there is one.
struct TokenRequest {
  std::string body = {};
  std::string authorization = {};
};
using Form = std::vector<std::pair<std::string, std::string>>;
TokenRequest token_request(const AuthorizationServer& server, const OAuthClient& client, Form form);

// What was granted.
struct Grant {
  std::string access_token = {};
  std::string refresh_token = {};
  std::string scope = {};
  std::int64_t expires_in_s = 0;  // 0: not said
};
// `asked` is the scope that was asked for, which an answer need not repeat.
Result<Grant> grant_from(const Json& answer, std::string_view asked);

}  // namespace wright::mcp
