// What proves to a vendor who asks, and how a request carries it: a hook between the encoder and
// the transport. It is pure: the clock and the secrets come in as values.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include "wright/provider.h"

namespace wright::providers {

using Moment = std::chrono::sys_seconds;

struct Token {
  std::string text = {};
  bool operator==(const Token&) const = default;
};

struct AwsKeys {
  std::string access_key_id = {};
  std::string secret_access_key = {};
  std::string session_token = {};  // empty for keys that do not expire
  bool operator==(const AwsKeys&) const = default;
};

struct Credential {
  std::variant<Token, AwsKeys> proof = {};
  std::optional<Moment> expires = {};
  bool operator==(const Credential&) const = default;
};

// The request as its vendor accepts it. A token goes into `Authorization: Bearer`, whatever key the
// encoder wrote; AWS keys sign the request. Fails where the platform cannot use the credential.
Result<HttpRequest> authorised(HttpRequest request, const Endpoint& endpoint,
                               const Credential& credential, Moment now);

}  // namespace wright::providers
