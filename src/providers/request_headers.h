// The headers of a request to a vendor.
#pragma once

#include <vector>

#include "wright/provider.h"

namespace wright::providers {

// `own` are the protocol's, which the vendor's row may replace by headers of the same name.
// Headers without a value (a missing key) are left out.
std::vector<HttpHeader> request_headers(const Endpoint& endpoint, std::vector<HttpHeader> own);

// "authorization: Bearer …"; without a value where there is no key.
HttpHeader bearer(const Endpoint& endpoint);

}  // namespace wright::providers
