// Gets tokens for one server, by OAuth 2.1: finds out who authorizes its users, logs a person in
// through a browser, and refreshes what has run out. Tokens go to the server that they are for, and
// to nobody else.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "mcp/authorization.h"
#include "mcp_client/token_file.h"
#include "net/http_client.h"
#include "wright/log.h"

namespace wright::mcp_client {

// How a person agrees: at an address in a browser, which is sent back to `redirect_uri`.
struct Browser {
  std::string redirect_uri = {};
  // The query of the address that it was sent back to. What comes back without this `state`
  // answers something else, or is nobody's answer.
  std::function<Result<std::string>(const std::string& address, const std::string& state,
                                    const std::stop_token& stop)>
      visit = {};
};

struct AuthorizerOptions {
  std::string name = {};  // of the server, for people
  std::string url = {};
  std::filesystem::path file = {};              // empty: nothing outlives the process
  std::optional<mcp::OAuthClient> client = {};  // that was registered by hand
  std::string metadata_document = {};           // an https address that describes us
  std::string scope = {};                       // instead of what the server asks for
  std::optional<Browser> browser = {};          // none: nobody can be asked to log in
  Redactor redactor = {};                       // learns the tokens
};

// From any thread but the client's own.
class Authorizer {
 public:
  Authorizer(AuthorizerOptions options, std::shared_ptr<net::HttpClient> client);

  // What to send; empty: there is none. Never waits for a person.
  std::string token();

  // The server has refused `refused`, which may be empty, and said why. There is a new token then,
  // or an error that says what to do.
  Result<void> renew(const std::string& refused, const mcp::Challenge& challenge,
                     const std::stop_token& stop);

  // Logs in whatever there is already.
  Result<void> log_in(const std::stop_token& stop);
  Result<void> log_out();

 private:
  void take(std::string token);
  struct Found {
    mcp::ProtectedResource resource = {};
    mcp::AuthorizationServer server = {};
  };
  Result<Found> discover(const mcp::Challenge& challenge, const std::stop_token& stop);
  // Absent where it does not describe itself.
  Result<std::optional<mcp::AuthorizationServer>> described(const std::string& issuer,
                                                            const std::stop_token& stop);
  Result<mcp::OAuthClient> client_for(const mcp::AuthorizationServer& server,
                                      const std::optional<KeptToken>& kept,
                                      const std::stop_token& stop);
  Result<KeptToken> authorize(const mcp::Challenge& challenge, const std::optional<KeptToken>& kept,
                              const std::stop_token& stop);
  Result<void> log_in_anew(const mcp::Challenge& challenge, const std::optional<KeptToken>& kept,
                           const std::stop_token& stop);
  Result<KeptToken> refresh(KeptToken kept, const std::stop_token& stop);
  Result<mcp::Grant> ask_for_token(const mcp::AuthorizationServer& server,
                                   const mcp::OAuthClient& client, mcp::Form form,
                                   std::string_view scope, const std::stop_token& stop);
  // Absent for status 4xx.
  Result<std::optional<Json>> document_at(const std::string& address, const std::stop_token& stop);

  const AuthorizerOptions options_;
  const std::shared_ptr<net::HttpClient> client_;
  TokenFile file_;
  std::mutex renewing_;    // one at a time
  std::string refreshed_;  // the last one that came by refreshing
  std::mutex mutex_;
  std::optional<std::string> token_;  // absent: the file was not looked at
};

}  // namespace wright::mcp_client
