#include "providers/gemini_batches.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/percent.h"
#include "providers/response_json.h"

namespace wright::providers {
namespace {

constexpr std::size_t kLargestInline = std::size_t{19} << 20;  // the vendor takes 20 MB
constexpr std::string_view kBatches = "batches/";
constexpr std::string_view kFiles = "files/";

// 64-bit numbers are texts there.
std::int64_t long_field(const Json* json, std::string_view key) {
  const std::string_view text = text_field(json, key);
  if (text.empty()) return count_field(json, key);
  std::int64_t count = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  return problem == std::errc() && end == text.data() + text.size() && count > 0 ? count : 0;
}

// https://host/v1beta is for calls; files are at https://host/download/v1beta.
std::string download_url(std::string_view base, std::string_view file) {
  const std::size_t version = base.rfind('/');
  return fmt::format("{}/download{}/{}:download?alt=media", base.substr(0, version),
                     base.substr(std::min(version, base.size())), percent_encoded(file, "/"));
}

// What the operation came to: in its response, or, as some versions have it, in its metadata.
const Json* output_of(const Json& operation) {
  const Json* response = field(&operation, "response");
  return response != nullptr ? response : field(field(&operation, "metadata"), "output");
}

}  // namespace

std::string_view gemini_batch_id(const Json& operation) {
  std::string_view name = text_field(&operation, "name");
  if (name.starts_with(kBatches)) name.remove_prefix(kBatches.size());
  return name;
}

DecodedBatch gemini_batch(const Endpoint& endpoint, const Json& operation) {
  const Json* metadata = field(&operation, "metadata");
  const Json* counts = field(metadata, "batchStats");
  DecodedBatch decoded{
      .state = {.id = fmt::format("{}:{}", endpoint.vendor.name, gemini_batch_id(operation)),
                .status = valid_text(text_field(metadata, "state")),
                .total = long_field(counts, "requestCount"),
                .answered = long_field(counts, "successfulRequestCount"),
                .failed = long_field(counts, "failedRequestCount")}};
  constexpr std::array<std::string_view, 4> kEnds{"BATCH_STATE_SUCCEEDED", "BATCH_STATE_FAILED",
                                                  "BATCH_STATE_CANCELLED", "BATCH_STATE_EXPIRED"};
  if (std::ranges::find(kEnds, decoded.state.status) == kEnds.end()) return decoded;
  decoded.state.phase = BatchState::Phase::ended;
  if (const auto why = text_field(field(&operation, "error"), "message"); !why.empty()) {
    decoded.state.status += fmt::format(" ({})", valid_text(why));
  }
  const Json* output = output_of(operation);
  if (const auto file = text_field(output, "responsesFile"); file.starts_with(kFiles)) {
    decoded.result_urls.push_back(download_url(endpoint.vendor.base_url, file));
  }
  const JsonArray* lines = array_in(field(field(output, "inlinedResponses"), "inlinedResponses"));
  for (std::size_t i = 0; lines != nullptr && i < lines->size(); ++i) {
    decoded.result_lines += to_text((*lines)[i]) + '\n';
  }
  return decoded;
}

Result<HttpRequest> gemini_batch_request(const Endpoint& endpoint, HttpRequest one,
                                         std::span<const BatchRequest> requests,
                                         std::span<const std::string> bodies) {
  std::string body = R"({"batch":{"displayName":"wright","inputConfig":{"requests":{"requests":[)";
  for (std::size_t i = 0; i < requests.size(); ++i) {
    body += fmt::format(R"({}{{"request":{},"metadata":{{"key":"{}"}}}})", i == 0 ? "" : ",",
                        bodies[i], requests[i].id);
    if (body.size() > kLargestInline) {
      return fail(ErrorCode::limit_reached,
                  fmt::format("The batch is larger than {} MB, which is what {} takes. Split it",
                              kLargestInline >> 20, endpoint.vendor.title));
    }
  }
  one.body = body + "]}}}}";
  one.url = fmt::format("{}/models/{}:batchGenerateContent", endpoint.vendor.base_url,
                        percent_encoded(endpoint.model.name));
  return one;
}

DecodedBatchResult gemini_batch_result(const Json& line) {
  DecodedBatchResult decoded{.id = valid_text(text_field(field(&line, "metadata"), "key"))};
  if (decoded.id.empty()) decoded.id = valid_text(text_field(&line, "key"));
  if (const Json* response = field(&line, "response"); object_in(response) != nullptr) {
    decoded.head.status = 200;
    decoded.model = valid_text(text_field(response, "modelVersion"));
    decoded.body = to_text(*response);
    return decoded;
  }
  const Json* error = field(&line, "error");
  if (object_in(error) == nullptr) {
    decoded.problem = "there is neither a response nor an error";
    return decoded;
  }
  // The code is one of HTTP or one of its remote calls, which are below 20.
  constexpr std::int64_t kLeastStatus = 400;
  const std::int64_t code = count_field(error, "code");
  decoded.head.status = static_cast<int>(code >= kLeastStatus && code < 600 ? code : kLeastStatus);
  decoded.body = to_text(JsonObject{{"error", *error}});
  return decoded;
}

}  // namespace wright::providers
