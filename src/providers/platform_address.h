// Where a platform wants a protocol's request: Azure runs OpenAI's protocols at addresses of its
// own, with the key in a header of its own.
#pragma once

#include "wright/provider.h"

namespace wright::providers {

// The encoded request as the endpoint's platform wants it. Pure; other platforms' requests are left
// as they are.
HttpRequest addressed(HttpRequest request, const Endpoint& endpoint);

}  // namespace wright::providers
