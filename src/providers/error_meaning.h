// What a vendor's failure means, from its status, its code and its words. Vendors use the same
// status for different things (429 for a busy minute and for an empty account), so the narrower
// clues come first.
#pragma once

#include "providers/vendor_error.h"
#include "wright/error.h"

namespace wright::providers {

enum class Meaning : std::uint8_t {
  authentication,
  permission,
  no_credit,
  model_not_found,
  not_found,
  rate_limited,
  overloaded,
  context_too_long,
  too_large,
  content_filtered,
  broken_call,  // the model wrote a call that its vendor could not read
  invalid_request,
  moved,
  unavailable,
  unknown,
};

// `status` is 0 for a failure reported inside a response.
Meaning meaning_of(int status, const VendorError& error);

ErrorCode code_of(Meaning meaning);

}  // namespace wright::providers
