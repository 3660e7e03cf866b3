#include "mcp/authorization.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cctype>

#include "core/base64.h"
#include "core/percent.h"
#include "core/sha256.h"
#include "core/text.h"

namespace wright::mcp {
namespace {

std::string path_of(std::string_view url) {
  const std::size_t begin = url.find('/', url.find("://") + 3);
  if (begin == std::string_view::npos) return "";
  std::string_view path = url.substr(begin);
  path = path.substr(0, path.find_first_of("?#"));
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

std::vector<std::string> texts_at(const JsonObject& object, std::string_view key) {
  std::vector<std::string> texts;
  const Json* value = object.if_contains(key);
  if (value == nullptr || !value->is_array()) return texts;
  for (const Json& each : value->get_array()) {
    if (each.is_string()) texts.emplace_back(each.get_string());
  }
  return texts;
}

bool flag_at(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

bool has(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

std::unexpected<Error> odd(std::string_view what) {
  return fail(ErrorCode::authentication, std::string(what));
}

std::string form_text(const Form& form) {
  std::string text;
  for (const auto& [name, value] : form) {
    if (value.empty()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : "&", percent_encoded(name),
                        percent_encoded(value));
  }
  return text;
}

// The value of a parameter in a query; absent where it is not there.
std::optional<std::string> parameter_in(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.substr(0, pair.find('=')) != name) continue;
    std::string value(pair.size() > name.size() ? pair.substr(name.size() + 1) : "");
    std::ranges::replace(value, '+', ' ');
    return percent_decoded(value);
  }
  return std::nullopt;
}

void add_words(std::string_view text, std::vector<std::string>& words) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!word.empty() && !has(words, word)) words.emplace_back(word);
  }
}

// A name that only begins like an address may be anybody's.
bool is_loopback(std::string_view origin) {
  std::string_view host = origin.substr(std::min(origin.size(), origin.find("://") + 3));
  const std::size_t colon = host.find(':', host.starts_with('[') ? host.find(']') : 0);
  if (colon != std::string_view::npos) {
    if (!std::ranges::all_of(host.substr(colon + 1), is_digit)) return false;
    host = host.substr(0, colon);
  }
  if (host == "localhost" || host == "[::1]") return true;
  in_addr address{};
  return host.starts_with("127.") && ::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

}  // namespace

Challenge challenge_in(std::string_view text) {
  Challenge challenge;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t equals = text.find('=', at);
    if (equals == std::string_view::npos) break;
    std::size_t begin = equals;
    while (begin > at && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 ||
                          text[begin - 1] == '_' || text[begin - 1] == '-')) {
      --begin;
    }
    const std::string name = lower(text.substr(begin, equals - begin));
    std::string value;
    at = equals + 1;
    if (at < text.size() && text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        value += text[at];
      }
      ++at;
    } else {
      const std::size_t end = std::min(text.size(), text.find_first_of(", \t", at));
      value = text.substr(at, end - at);
      at = end;
    }
    if (name == "resource_metadata") challenge.resource_metadata = std::move(value);
    if (name == "scope") challenge.scope = std::move(value);
    if (name == "error") challenge.error = std::move(value);
  }
  return challenge;
}

std::string origin_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return "";
  const std::size_t end = url.find_first_of("/?#", scheme + 3);
  const std::string_view origin = url.substr(0, end);
  // A name before @ is no part of where it leads.
  if (origin.size() == scheme + 3 || origin.find('@') != std::string_view::npos) return "";
  return lower(origin);
}

bool is_safe_address(std::string_view url, std::string_view server) {
  const std::string origin = origin_of(url);
  if (origin.starts_with("https://")) return true;
  return origin.starts_with("http://") && is_loopback(origin) && is_loopback(origin_of(server));
}

std::vector<std::string> resource_metadata_addresses(std::string_view server) {
  constexpr std::string_view kWellKnown = "/.well-known/oauth-protected-resource";
  const std::string origin = origin_of(server);
  const std::string path = path_of(server);
  std::vector<std::string> addresses;
  if (!path.empty()) addresses.push_back(fmt::format("{}{}{}", origin, kWellKnown, path));
  addresses.push_back(fmt::format("{}{}", origin, kWellKnown));
  return addresses;
}

Result<ProtectedResource> protected_resource_from(const Json& document, std::string_view server) {
  const JsonObject* object = document.if_object();
  if (object == nullptr) return odd("the description of the server's protection is no object");
  ProtectedResource resource{.resource = text_in(*object, "resource"),
                             .authorization_servers = texts_at(*object, "authorization_servers"),
                             .scopes = texts_at(*object, "scopes_supported")};
  const std::string own = path_of(server);
  const std::string said = path_of(resource.resource);
  const bool is_ours = origin_of(resource.resource) == origin_of(server) && own.starts_with(said) &&
                       (own.size() == said.size() || own[said.size()] == '/');
  if (!is_ours) {
    return odd(fmt::format("the server says that it is {}, which is not the address it is asked at",
                           resource.resource.empty() ? "nothing" : resource.resource));
  }
  if (resource.authorization_servers.empty()) {
    return odd("the server does not say who authorizes its users");
  }
  return resource;
}

std::vector<std::string> authorization_server_addresses(std::string_view issuer) {
  constexpr std::string_view kOAuth = "/.well-known/oauth-authorization-server";
  constexpr std::string_view kOpenId = "/.well-known/openid-configuration";
  const std::string origin = origin_of(issuer);
  const std::string path = path_of(issuer);
  std::vector<std::string> addresses{fmt::format("{}{}{}", origin, kOAuth, path),
                                     fmt::format("{}{}{}", origin, kOpenId, path)};
  if (!path.empty()) addresses.push_back(fmt::format("{}{}{}", origin, path, kOpenId));
  return addresses;
}

Result<AuthorizationServer> authorization_server_from(const Json& document,
                                                      std::string_view issuer) {
  const JsonObject* object = document.if_object();
  if (object == nullptr) return odd("the description of the authorization server is no object");
  AuthorizationServer server{
      .issuer = text_in(*object, "issuer"),
      .authorization_endpoint = text_in(*object, "authorization_endpoint"),
      .token_endpoint = text_in(*object, "token_endpoint"),
      .registration_endpoint = text_in(*object, "registration_endpoint"),
      .scopes = texts_at(*object, "scopes_supported"),
      .client_methods = texts_at(*object, "token_endpoint_auth_methods_supported"),
      .takes_metadata_documents = flag_at(*object, "client_id_metadata_document_supported"),
      .names_itself = flag_at(*object, "authorization_response_iss_parameter_supported")};
  if (server.issuer != issuer) {
    return odd(fmt::format("the authorization server {} says that it is {}", issuer,
                           server.issuer.empty() ? "nobody" : server.issuer));
  }
  for (const std::string& endpoint : {server.authorization_endpoint, server.token_endpoint}) {
    if (!is_safe_address(endpoint, issuer)) {
      return odd(
          fmt::format("the authorization server {} has no safe endpoint: '{}'", issuer, endpoint));
    }
  }
  if (!server.registration_endpoint.empty() &&
      !is_safe_address(server.registration_endpoint, issuer)) {
    return odd(fmt::format("registering at {} is not safe", server.registration_endpoint));
  }
  if (!has(texts_at(*object, "code_challenge_methods_supported"), "S256")) {
    return odd(fmt::format("the authorization server {} does not promise PKCE (S256)", issuer));
  }
  return server;
}

AuthorizationServer usual_authorization_server(std::string_view origin) {
  return {.issuer = std::string(origin),
          .authorization_endpoint = fmt::format("{}/authorize", origin),
          .token_endpoint = fmt::format("{}/token", origin),
          .registration_endpoint = fmt::format("{}/register", origin)};
}

JsonObject registration_for(const AuthorizationServer& server, std::string_view redirect_uri) {
  const auto& methods = server.client_methods;
  const bool needs_secret = !methods.empty() && !has(methods, "none");
  const std::string_view method = !needs_secret                         ? "none"
                                  : has(methods, "client_secret_basic") ? "client_secret_basic"
                                                                        : "client_secret_post";
  JsonObject registration{{"client_name", "Wright"},
                          {"application_type", "native"},
                          {"redirect_uris", JsonArray{redirect_uri}},
                          {"grant_types", JsonArray{"authorization_code", "refresh_token"}},
                          {"response_types", JsonArray{"code"}},
                          {"token_endpoint_auth_method", method}};
  return registration;
}

Result<OAuthClient> client_from(const Json& registered) {
  const JsonObject* object = registered.if_object();
  OAuthClient client;
  if (object != nullptr) {
    client = {text_in(*object, "client_id"), text_in(*object, "client_secret"),
              text_in(*object, "token_endpoint_auth_method")};
  }
  if (client.id.empty()) return odd("the authorization server registers nobody");
  return client;
}

Proof proof_from(std::string_view random_bytes) {
  Proof proof{.verifier = base64url_of(random_bytes)};
  proof.challenge = base64url_of(bytes_of(sha256(proof.verifier)));
  return proof;
}

std::string scopes_to_ask_for(std::string_view challenged, std::string_view granted,
                              const ProtectedResource& resource,
                              const AuthorizationServer& server) {
  constexpr std::string_view kRefreshing = "offline_access";
  std::vector<std::string> scopes;
  add_words(granted, scopes);
  add_words(challenged, scopes);
  if (challenged.empty()) {
    for (const std::string& scope : resource.scopes) add_words(scope, scopes);
  }
  if (!scopes.empty() && has(server.scopes, kRefreshing)) add_words(kRefreshing, scopes);
  return fmt::format("{}", fmt::join(scopes, " "));
}

std::string authorization_address(const AuthorizationServer& server, const OAuthClient& client,
                                  const AuthorizationRequest& request) {
  const bool has_query = server.authorization_endpoint.find('?') != std::string::npos;
  return fmt::format("{}{}{}", server.authorization_endpoint, has_query ? "&" : "?",
                     form_text({{"response_type", "code"},
                                {"client_id", client.id},
                                {"redirect_uri", request.redirect_uri},
                                {"code_challenge", request.proof.challenge},
                                {"code_challenge_method", "S256"},
                                {"state", request.state},
                                {"scope", request.scope},
                                {"resource", request.resource}}));
}

Result<std::string> code_in(std::string_view query, const AuthorizationServer& server,
                            const AuthorizationRequest& request) {
  const auto state = parameter_in(query, "state");
  if (!state || !equal_in_constant_time(*state, request.state)) {
    return odd("what came back is no answer to this login; begin again");
  }
  const auto issuer = parameter_in(query, "iss");
  if (issuer ? *issuer != server.issuer : server.names_itself) {
    return odd(fmt::format("what came back does not come from {}", server.issuer));
  }
  if (const auto error = parameter_in(query, "error")) {
    const auto why = parameter_in(query, "error_description");
    return odd(fmt::format("the authorization server refuses: {}{}", *error,
                           why ? fmt::format(" ({})", *why) : ""));
  }
  const auto code = parameter_in(query, "code");
  if (!code || code->empty()) return odd("what came back has no code");
  return *code;
}

TokenRequest token_request(const AuthorizationServer& server, const OAuthClient& client,
                           Form form) {
  std::string method = client.method;
  if (client.secret.empty()) {
    method = "none";
  } else if (method.empty() || method == "none") {
    const auto& known = server.client_methods;
    const bool takes_basic = known.empty() || has(known, "client_secret_basic");
    method = takes_basic ? "client_secret_basic" : "client_secret_post";
  }
  TokenRequest request;
  if (method == "client_secret_basic") {
    request.authorization = "Basic " + base64_of(fmt::format("{}:{}", percent_encoded(client.id),
                                                             percent_encoded(client.secret)));
  } else {
    form.emplace_back("client_id", client.id);
    if (method == "client_secret_post") form.emplace_back("client_secret", client.secret);
  }
  request.body = form_text(form);
  return request;
}

Result<Grant> grant_from(const Json& answer, std::string_view asked) {
  const JsonObject* object = answer.if_object();
  if (object == nullptr) return odd("the authorization server's answer is no object");
  Grant grant{.access_token = text_in(*object, "access_token"),
              .refresh_token = text_in(*object, "refresh_token"),
              .scope = text_in(*object, "scope")};
  const bool is_usable = !grant.access_token.empty() &&
                         std::ranges::none_of(grant.access_token, [](unsigned char byte) {
                           return byte <= 0x20 || byte >= 0x7f;
                         });
  if (!is_usable) return odd("the authorization server's answer has no token that can be sent");
  if (const std::string type = lower(text_in(*object, "token_type")); type != "bearer") {
    return odd(fmt::format("the authorization server gives a token of the type '{}', not Bearer",
                           to_valid_utf8(type)));
  }
  if (grant.scope.empty()) grant.scope = asked;
  if (const Json* seconds = object->if_contains("expires_in"); seconds != nullptr) {
    if (seconds->is_int64()) grant.expires_in_s = seconds->get_int64();
  }
  return grant;
}

}  // namespace wright::mcp
