// AWS's AssumeRoleWithWebIdentity: the token of a pod or a workflow becomes keys of a role. Pure:
// the token and the clock come in as values.
#pragma once

#include <string>
#include <string_view>

#include "providers/credential.h"

namespace wright::providers {

struct WebIdentity {
  std::string role = {};          // its ARN
  std::string session_name = {};  // empty: one of ours
  std::string token = {};         // a JWT
  std::string region = {};        // empty: AWS's address for all regions
  std::string endpoint = {};      // in place of AWS's own; empty: none
};

// The request, which carries no signature: the token is the proof.
Result<HttpRequest> web_identity_request(const WebIdentity& identity, Moment now);

// The keys in the response, which is JSON or XML.
Result<Credential> web_identity_keys(std::string_view body, Moment now);

// What a response without keys says: "InvalidIdentityToken: …". Empty: nothing readable.
std::string web_identity_refusal(std::string_view body);

}  // namespace wright::providers
