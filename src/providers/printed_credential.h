// Credentials as programs and servers print them. Pure.
#pragma once

#include <string_view>

#include "providers/credential.h"

namespace wright::providers {

// What a command or a token endpoint answered:
//
//   a line                              a token or a key
//   {"AccessKeyId", "SecretAccessKey", "SessionToken"?, "Expiration"?}    AWS (credential_process)
//   {"access_token" or "accessToken" or "token", …}     OAuth, `az account get-access-token`, …
//   {"status": {"token", "expirationTimestamp"}}        Kubernetes' exec plugins
//
// The expiry is "expires_in" (seconds from now), "expires_on" (seconds since 1970), an ISO time
// ("Expiration", "expiration", "expires_at", "expiry", "expirationTimestamp"), or that of a token
// which is a JWT itself. The error says what is wrong and never quotes the answer.
Result<Credential> credential_from(std::string_view printed, Moment now);

// "2026-11-16T12:00:00Z", with a fraction, or an offset in place of the Z.
std::optional<Moment> moment_from_iso(std::string_view text);

}  // namespace wright::providers
