// Batches of OpenAI (also at Azure), Anthropic, Gemini and Mistral: from requests to what is sent,
// and from what comes back to states and results. Pure, like this whole folder.
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

// OpenAI and Mistral take a file of requests first; empty for Anthropic and Gemini, which take them
// with the batch.
Result<std::optional<HttpRequest>> encode_batch_file(const Endpoint& endpoint,
                                                     std::span<const BatchRequest> requests);
struct UploadedFile {
  std::string id = {};
  bool is_ready = true;  // otherwise the vendor still reads it, and takes no batch of it
};
Result<UploadedFile> decode_batch_file(const Endpoint& endpoint, std::string_view body);
// Asks how far the vendor is with it.
Result<HttpRequest> encode_file_question(const Endpoint& endpoint, std::string_view file);
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
  std::string result_lines = {};  // where they came with the state
  std::string refused_file = {};  // of results, with an id that cannot be asked for
};
// Whether a vendor answers the wish to cancel with the batch; otherwise its state must be asked
// for.
bool tells_of_cancelled(const Endpoint& endpoint);
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
