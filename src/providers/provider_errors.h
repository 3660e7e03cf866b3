// From a vendor's failure to an Error: which of our codes it is, the vendor's own words, and what
// to do about it. The endpoint's key never gets into it.
#pragma once

#include "providers/vendor_error.h"
#include "wright/provider.h"

namespace wright::providers {

// A failure that was told inside an answer with status 200.
Error error_in_answer(const Endpoint& endpoint, const VendorError& told);

// An answer that ended early. `what` says where: "before the answer was complete".
Error cut_answer(const Endpoint& endpoint, std::string_view what);

// An answer that is not what its protocol says. `problem` is for people: "Invalid JSON: …".
Error malformed_answer(const Endpoint& endpoint, std::string_view problem);

}  // namespace wright::providers
