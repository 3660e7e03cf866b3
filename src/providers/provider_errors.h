// From a vendor's failure to an Error: our code, the vendor's own words, and what to do about it.
// It never contains the endpoint's key.
#pragma once

#include "providers/vendor_error.h"
#include "wright/provider.h"

namespace wright::providers {

// A failure reported inside a response with status 200.
Error error_in_answer(const Endpoint& endpoint, const VendorError& error);

// A response that ended early. `what` says where: "before it was complete".
Error cut_answer(const Endpoint& endpoint, std::string_view what);

// A response that violates its protocol. `problem` is for people: "Invalid JSON: …".
Error malformed_answer(const Endpoint& endpoint, std::string_view problem);

}  // namespace wright::providers
