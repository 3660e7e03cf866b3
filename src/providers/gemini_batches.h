// Batches as Gemini has them: operations, whose requests and results stand in them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "providers/batches.h"

namespace wright::providers {

// "abc" of {"name": "batches/abc"}.
std::string_view gemini_batch_id(const Json& operation);
DecodedBatch gemini_batch(const Endpoint& endpoint, const Json& operation);

// `bodies` are the requests as they would be sent alone, `one` has the headers.
Result<HttpRequest> gemini_batch_request(const Endpoint& endpoint, HttpRequest one,
                                         std::span<const BatchRequest> requests,
                                         std::span<const std::string> bodies);
DecodedBatchResult gemini_batch_result(const Json& line);

}  // namespace wright::providers
