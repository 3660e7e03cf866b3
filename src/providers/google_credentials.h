// Google's credential files and what they are exchanged for. Pure: the file's text and the clock
// come in as values.
#pragma once

#include <string>
#include <string_view>

#include "providers/credential.h"

namespace wright::providers {

// A service account's key, what `gcloud auth application-default login` leaves behind, or a file
// that says how another provider's token is exchanged (workload identity federation).
struct GoogleCredentials {
  enum class Kind : std::uint8_t { service_account, authorized_user, external_account };
  Kind kind = Kind::service_account;
  std::string project = {};  // empty: the file does not say
  std::string token_url = {};
  // Of a service account:
  std::string email = {};
  std::string private_key = {};  // PEM
  std::string private_key_id = {};
  // Of a user:
  std::string client_id = {};
  std::string client_secret = {};
  std::string refresh_token = {};
  // Of another provider's identity:
  std::string audience = {};
  std::string subject_token_type = {};
  std::string subject_token_file = {};
  std::string subject_token_field = {};  // where the file is JSON; empty: it is the token
  std::string impersonation_url = {};    // of a service account; empty: the identity itself
};

// Other kinds of files are refused with the command that can be used in their place.
Result<GoogleCredentials> google_credentials_from(std::string_view json);

// The request that asks for an access token for Google Cloud: RFC 7523 with a JWT signed by the
// service account, a user's refresh token, or RFC 8693 with another provider's token, which is what
// `subject` (the text of subject_token_file) holds. `credential_from` reads the response.
Result<HttpRequest> google_token_request(const GoogleCredentials& credentials, Moment now,
                                         std::string_view subject = {});

// The request that makes the token of a federated identity one of a service account.
HttpRequest impersonation_request(const GoogleCredentials& credentials, std::string_view token);

// header.claims.signature, signed with RS256 (RFC 7515).
Result<std::string> signed_jwt(const JsonObject& header, const JsonObject& claims,
                               std::string_view private_key_pem);

}  // namespace wright::providers
