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

// A body that comes from something else than the API: "a web page". `words` are the first of it.
Error not_an_answer(const Endpoint& endpoint, std::string_view what, std::string_view words);

// A response that is larger than any answer: it ends the exchange, and is not tried again.
Error endless_answer(const Endpoint& endpoint, std::size_t limit);

// A response that ended as it should and says nothing.
Error empty_answer(const Endpoint& endpoint);

// Marks an error as one that will not get better by trying again.
Error as_final(Error error);

}  // namespace wright::providers
