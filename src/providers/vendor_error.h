// What a vendor says about a failure, read from a body of any shape: gateways pass on the errors of
// the vendors behind them, so no protocol's own shape can be relied on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wright/json.h"

namespace wright::providers {

struct VendorError {
  std::string code = {};     // "rate_limit_exceeded", "overloaded_error", "RESOURCE_EXHAUSTED", …
  std::string message = {};  // valid UTF-8; empty: the body says nothing readable
  int status = 0;            // where the body names an HTTP status of its own
  std::optional<std::int64_t> retry_after_ms = {};
};

// The text of an HTML page is extracted; bytes that are not text are skipped.
VendorError read_vendor_error(std::string_view body);

// Of an event in a stream, or of a document: nothing when it reports no error.
std::optional<VendorError> vendor_error_in(const Json& document);

// Text in one line, without characters that only control how it is shown: a vendor's words stand in
// messages for people.
std::string one_line(std::string_view text);

}  // namespace wright::providers
