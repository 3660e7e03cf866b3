// Batches of OpenAI and Anthropic: from requests to what is sent, and from what comes back to
// states and results. Pure, like this whole folder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wright/provider.h"

namespace wright::providers {

// Refuses what a vendor would: none or too many requests, ids that are twice there or not allowed,
// and vendors without batches.
Result<void> check_batch(const Endpoint& endpoint, std::span<const BatchRequest> requests);

// OpenAI takes a file of requests first; empty for Anthropic, which takes them with the batch.
Result<std::optional<HttpRequest>> encode_batch_file(const Endpoint& endpoint,
                                                     std::span<const BatchRequest> requests);
Result<std::string> decode_batch_file(const Endpoint& endpoint, std::string_view body);
// `file` is the id of that file.
Result<HttpRequest> encode_batch(const Endpoint& endpoint, std::span<const BatchRequest> requests,
                                 std::string_view file);

// Of a batch: its state, its end, or the newest of them.
enum class BatchQuestion : std::uint8_t { state, cancel, list };
Result<HttpRequest> encode_batch_question(const Endpoint& endpoint, BatchQuestion question,
                                          std::string_view id);

// A batch as its vendor tells of it, and where its results are.
struct DecodedBatch {
  BatchState state = {};
  std::vector<std::string> result_urls = {};
};
Result<DecodedBatch> decode_batch(const Endpoint& endpoint, std::string_view body);
Result<std::vector<DecodedBatch>> decode_batch_list(const Endpoint& endpoint,
                                                    std::string_view body);
Result<HttpRequest> encode_batch_results(const Endpoint& endpoint, std::string_view url);

// One line of results.
struct DecodedBatchResult {
  std::string id = {};     // of the request
  std::string model = {};  // that answered; empty for an error
  HttpResponseHead head = {};
  std::string body = {};     // as if it had been the response to a request of its own
  std::string problem = {};  // there is neither: expired, cancelled
};
Result<DecodedBatchResult> decode_batch_result(const Endpoint& endpoint, std::string_view line);

}  // namespace wright::providers
