#include "providers/batches.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/percent.h"
#include "core/text.h"
#include "core/try.h"
#include "providers/gemini_batches.h"
#include "providers/model_list.h"
#include "providers/platform_address.h"
#include "providers/provider_errors.h"
#include "providers/response_json.h"

namespace wright::providers {
namespace {

constexpr std::size_t kMostRequests = 50'000;
constexpr std::size_t kLargestBatch = std::size_t{190} << 20;
constexpr std::size_t kLongestId = 64;
constexpr std::string_view kBoundary = "wright-batch-7f3a9c51e8d24b06";

bool is_anthropic(const Endpoint& endpoint) {
  return endpoint.protocol() == Protocol::anthropic_messages;
}

bool is_openai(const Endpoint& endpoint) {
  return endpoint.protocol() == Protocol::openai_chat ||
         endpoint.protocol() == Protocol::openai_responses;
}

bool is_gemini(const Endpoint& endpoint) {
  return endpoint.protocol() == Protocol::gemini_generate;
}

// Mistral's form: jobs, with names of its own for nearly all.
bool has_jobs(const Endpoint& endpoint) {
  return endpoint.vendor.batches == "jobs";
}

bool is_azure(const Endpoint& endpoint) {
  return endpoint.vendor.platform == Platform::azure;
}

bool is_plain_id(std::string_view id) {
  return !id.empty() && id.size() <= 2 * kLongestId && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

// What can be a part of an address by itself.
bool is_name_of_file(std::string_view id) {
  const bool is_one_part =
      std::ranges::all_of(id, [](char c) { return c > ' ' && c <= '~' && c != '/' && c != '\\'; });
  return is_one_part && id.size() <= 2 * kLongestId && id.find_first_not_of('.') != id.npos;
}

std::string address(const Endpoint& endpoint, std::string_view path) {
  return addressed({.url = fmt::format("{}{}", endpoint.vendor.base_url, path)}, endpoint).url;
}

std::string batches_address(const Endpoint& endpoint, std::string_view path = {}) {
  const std::string_view batches = is_anthropic(endpoint) ? "/messages/batches"
                                   : has_jobs(endpoint)   ? "/batch/jobs"
                                                          : "/batches";
  return address(endpoint, fmt::format("{}{}", batches, path));
}

// The path of one request, as the file of a batch names it.
std::string_view path_of(const Endpoint& endpoint) {
  if (endpoint.protocol() == Protocol::openai_responses) return "/v1/responses";
  return is_azure(endpoint) ? "/chat/completions" : "/v1/chat/completions";
}

// As it would be sent alone.
Result<HttpRequest> alone(const Endpoint& endpoint, const BatchRequest& request) {
  return encode(endpoint,
                Request{.messages = request.messages,
                        .system = request.system,
                        .model = endpoint.model.name,
                        .sampling = &request.sampling},
                Delivery::whole);
}

void set_header(HttpRequest& request, std::string_view name, std::string value) {
  std::erase_if(request.headers, [&](const HttpHeader& each) {
    return find_header({each}, name) == each.value && !each.value.empty();
  });
  request.headers.push_back({std::string(name), std::move(value)});
}

Result<void> check_size(std::size_t bytes) {
  if (bytes <= kLargestBatch) return {};
  return fail(ErrorCode::limit_reached,
              fmt::format("The batch is larger than {} MB. Split it", kLargestBatch >> 20));
}

std::int64_t sum_of(const Json* counts, std::initializer_list<std::string_view> keys) {
  std::int64_t sum = 0;
  for (const std::string_view key : keys) sum += count_field(counts, key);
  return sum;
}

DecodedBatch anthropic_batch(const Endpoint& endpoint, const Json& batch) {
  const std::string id = valid_text(text_field(&batch, "id"));
  const Json* counts = field(&batch, "request_counts");
  DecodedBatch decoded{.state = {.id = fmt::format("{}:{}", endpoint.vendor.name, id),
                                 .status = valid_text(text_field(&batch, "processing_status")),
                                 .total = sum_of(counts, {"processing", "succeeded", "errored",
                                                          "canceled", "expired"}),
                                 .answered = count_field(counts, "succeeded"),
                                 .failed = sum_of(counts, {"errored", "canceled", "expired"})}};
  if (decoded.state.status == "ended") {
    decoded.state.phase = BatchState::Phase::ended;
    decoded.result_urls.push_back(batches_address(endpoint, fmt::format("/{}/results", id)));
  }
  return decoded;
}

void add_files(DecodedBatch& decoded, const Endpoint& endpoint, const Json& batch,
               std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const std::string_view file = text_field(&batch, key);
    if (file.empty()) continue;
    if (is_name_of_file(file)) {
      decoded.result_urls.push_back(
          address(endpoint, fmt::format("/files/{}/content", percent_encoded(file))));
    } else {
      decoded.refused_file = valid_text(file);
    }
  }
}

DecodedBatch openai_batch(const Endpoint& endpoint, const Json& batch) {
  const Json* counts = field(&batch, "request_counts");
  DecodedBatch decoded{.state = {.id = fmt::format("{}:{}", endpoint.vendor.name,
                                                   valid_text(text_field(&batch, "id"))),
                                 .status = lower(valid_text(text_field(&batch, "status"))),
                                 .total = count_field(counts, "total"),
                                 .answered = count_field(counts, "completed"),
                                 .failed = count_field(counts, "failed")}};
  constexpr std::array<std::string_view, 4> kEnds{"completed", "failed", "expired", "cancelled"};
  if (std::ranges::find(kEnds, decoded.state.status) == kEnds.end()) return decoded;
  decoded.state.phase = BatchState::Phase::ended;
  add_files(decoded, endpoint, batch, {"output_file_id", "error_file_id"});
  return decoded;
}

DecodedBatch mistral_batch(const Endpoint& endpoint, const Json& job) {
  DecodedBatch decoded{.state = {.id = fmt::format("{}:{}", endpoint.vendor.name,
                                                   valid_text(text_field(&job, "id"))),
                                 .status = valid_text(text_field(&job, "status")),
                                 .total = count_field(&job, "total_requests"),
                                 .answered = count_field(&job, "succeeded_requests"),
                                 .failed = count_field(&job, "failed_requests")}};
  constexpr std::array<std::string_view, 4> kEnds{"SUCCESS", "FAILED", "TIMEOUT_EXCEEDED",
                                                  "CANCELLED"};
  if (std::ranges::find(kEnds, decoded.state.status) == kEnds.end()) return decoded;
  decoded.state.phase = BatchState::Phase::ended;
  add_files(decoded, endpoint, job, {"output_file", "error_file"});
  return decoded;
}

Result<DecodedBatch> batch_in(const Endpoint& endpoint, const Json& batch) {
  const std::string_view id =
      is_gemini(endpoint) ? gemini_batch_id(batch) : text_field(&batch, "id");
  if (!is_plain_id(id)) {
    return std::unexpected(malformed_answer(endpoint, "a batch without an id"));
  }
  if (is_gemini(endpoint)) return gemini_batch(endpoint, batch);
  if (has_jobs(endpoint)) return mistral_batch(endpoint, batch);
  return is_anthropic(endpoint) ? anthropic_batch(endpoint, batch) : openai_batch(endpoint, batch);
}

Result<Json> document_in(const Endpoint& endpoint, std::string_view body) {
  auto document = parse_json(body);
  if (!document) return std::unexpected(malformed_answer(endpoint, document.error().message));
  return std::move(*document);
}

}  // namespace

Result<void> check_batch(const Endpoint& endpoint, std::span<const BatchRequest> requests) {
  const bool is_cloud =
      endpoint.vendor.platform == Platform::google || endpoint.vendor.platform == Platform::aws;
  const bool is_known = is_anthropic(endpoint) || is_openai(endpoint) || is_gemini(endpoint);
  if (is_cloud || !is_known) {
    return fail(
        ErrorCode::unsupported,
        fmt::format(
            "{} has no batches that are known here. OpenAI, Azure OpenAI, Anthropic, Gemini "
            "and Mistral have",
            endpoint.vendor.title.empty() ? endpoint.vendor.name : endpoint.vendor.title));
  }
  if (requests.empty()) return fail(ErrorCode::invalid_argument, "The batch has no requests");
  if (requests.size() > kMostRequests) {
    return fail(ErrorCode::limit_reached,
                fmt::format("A batch has at most {} requests, not {}. Split it", kMostRequests,
                            requests.size()));
  }
  std::set<std::string_view> ids;
  for (const BatchRequest& request : requests) {
    if (!is_plain_id(request.id) || request.id.size() > kLongestId) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The id '{}' must be 1 to {} letters, digits, '-' and '_'",
                              std::string(utf8_prefix(to_valid_utf8(request.id), 80)), kLongestId));
    }
    if (!ids.insert(request.id).second) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The id '{}' is there twice", request.id));
    }
  }
  return {};
}

Result<std::optional<HttpRequest>> encode_batch_file(const Endpoint& endpoint,
                                                     std::span<const BatchRequest> requests) {
  if (is_anthropic(endpoint) || is_gemini(endpoint)) return std::nullopt;
  std::string lines;
  HttpRequest upload;
  for (const BatchRequest& request : requests) {
    auto one = TRY(alone(endpoint, request));
    lines += has_jobs(endpoint)
                 ? fmt::format(R"({{"custom_id":"{}","body":{}}})", request.id, one.body)
                 : fmt::format(R"({{"custom_id":"{}","method":"POST","url":"{}","body":{}}})",
                               request.id, path_of(endpoint), one.body);
    lines += '\n';
    TRY(check_size(lines.size()));
    if (upload.headers.empty()) upload.headers = std::move(one.headers);
  }
  if (lines.contains(kBoundary)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("A request holds the words '{}', which separate the parts of an upload",
                            kBoundary));
  }
  upload.url = address(endpoint, "/files");
  upload.body = fmt::format(
      "--{0}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n"
      "--{0}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"batch.jsonl\"\r\n"
      "Content-Type: application/jsonl\r\n\r\n{1}\r\n--{0}--\r\n",
      kBoundary, lines);
  set_header(upload, "content-type", fmt::format("multipart/form-data; boundary={}", kBoundary));
  return upload;
}

Result<UploadedFile> decode_batch_file(const Endpoint& endpoint, std::string_view body) {
  const auto document = TRY(document_in(endpoint, body));
  const std::string_view id = text_field(&document, "id");
  if (!is_plain_id(id)) {
    return std::unexpected(malformed_answer(endpoint, "an uploaded file without an id"));
  }
  const std::string status = lower(text_field(&document, "status"));
  if (status == "error" || status == "failed") {
    return fail(ErrorCode::invalid_argument, "The vendor could not read the file of requests");
  }
  return UploadedFile{std::string(id), status != "pending" && status != "running"};
}

Result<HttpRequest> encode_file_question(const Endpoint& endpoint, std::string_view file) {
  auto request = TRY(encode_model_list(endpoint, {}));
  request.url = address(endpoint, fmt::format("/files/{}", file));
  return request;
}

Result<HttpRequest> encode_batch(const Endpoint& endpoint, std::span<const BatchRequest> requests,
                                 std::string_view file) {
  HttpRequest batch = TRY(alone(endpoint, requests.front()));
  if (is_gemini(endpoint)) {
    std::vector<std::string> bodies;
    for (const BatchRequest& request : requests) {
      auto one = TRY(alone(endpoint, request));
      bodies.push_back(std::move(one.body));
    }
    return gemini_batch_request(endpoint, std::move(batch), requests, bodies);
  }
  batch.url = batches_address(endpoint);
  if (has_jobs(endpoint)) {
    batch.body = to_text(JsonObject{{"input_files", JsonArray{Json(file)}},
                                    {"model", endpoint.model.name},
                                    {"endpoint", path_of(endpoint)}});
    return batch;
  }
  if (!is_anthropic(endpoint)) {
    batch.body = to_text(JsonObject{
        {"input_file_id", file}, {"endpoint", path_of(endpoint)}, {"completion_window", "24h"}});
    return batch;
  }
  std::string body = R"({"requests":[)";
  for (const BatchRequest& request : requests) {
    const auto one = TRY(alone(endpoint, request));
    if (body.back() == '}') body += ',';
    body += fmt::format(R"({{"custom_id":"{}","params":{}}})", request.id, one.body);
    TRY(check_size(body.size()));
  }
  batch.body = body + "]}";
  return batch;
}

Result<HttpRequest> encode_batch_question(const Endpoint& endpoint, BatchQuestion question,
                                          std::string_view id) {
  if (question != BatchQuestion::list && !is_plain_id(id)) {
    return fail(ErrorCode::invalid_argument, "The id of a batch is letters, digits, '-' and '_'");
  }
  auto request = TRY(encode_model_list(endpoint, {}));
  switch (question) {
    case BatchQuestion::state:
      request.url = batches_address(endpoint, fmt::format("/{}", id));
      break;
    case BatchQuestion::list:
      request.url = batches_address(endpoint, is_gemini(endpoint)  ? "?pageSize=100"
                                              : has_jobs(endpoint) ? "?page_size=100"
                                                                   : "?limit=100");
      break;
    case BatchQuestion::cancel:
      request.url = batches_address(
          endpoint, fmt::format("/{}{}cancel", id, is_gemini(endpoint) ? ":" : "/"));
      request.method = "POST";
      break;
  }
  return request;
}

bool tells_of_cancelled(const Endpoint& endpoint) {
  return !is_gemini(endpoint);
}

Result<DecodedBatch> decode_batch(const Endpoint& endpoint, std::string_view body) {
  const auto document = TRY(document_in(endpoint, body));
  return batch_in(endpoint, document);
}

Result<std::vector<DecodedBatch>> decode_batch_list(const Endpoint& endpoint,
                                                    std::string_view body) {
  const auto document = TRY(document_in(endpoint, body));
  const JsonArray* list = array_in(field(&document, is_gemini(endpoint) ? "operations" : "data"));
  // Who has none leaves the list out.
  const bool may_be_absent = is_gemini(endpoint) || has_jobs(endpoint);
  if (list == nullptr && may_be_absent && document.is_object()) return std::vector<DecodedBatch>();
  if (list == nullptr) {
    return std::unexpected(malformed_answer(endpoint, "a list of batches without data"));
  }
  std::vector<DecodedBatch> batches;
  for (const Json& each : *list) {
    auto batch = TRY(batch_in(endpoint, each));
    batches.push_back(std::move(batch));
  }
  return batches;
}

Result<HttpRequest> encode_batch_results(const Endpoint& endpoint, std::string_view url) {
  auto request = TRY(encode_model_list(endpoint, {}));
  request.url = url;
  return request;
}

Result<DecodedBatchResult> decode_batch_result(const Endpoint& endpoint, std::string_view line) {
  const auto document = TRY(document_in(endpoint, line));
  if (is_gemini(endpoint)) return gemini_batch_result(document);
  DecodedBatchResult decoded{.id = valid_text(text_field(&document, "custom_id"))};
  const Json* body = nullptr;
  if (is_anthropic(endpoint)) {
    const Json* result = field(&document, "result");
    const std::string_view type = text_field(result, "type");
    body = field(result, type == "succeeded" ? "message" : "error");
    decoded.head.status = type == "succeeded" ? 200 : 400;
    if (body == nullptr) decoded.problem = valid_text(type);
  } else {
    const Json* response = field(&document, "response");
    body = field(response, "body");
    decoded.head.status = static_cast<int>(count_field(response, "status_code"));
    if (object_in(body) == nullptr) {
      body = nullptr;
      const Json* error = field(&document, "error");
      decoded.problem = valid_text(text_field(error, "message"));
      if (decoded.problem.empty()) decoded.problem = valid_text(text_field(error, "code"));
    }
  }
  if (body == nullptr) {
    if (decoded.problem.empty()) decoded.problem = "there is neither a response nor an error";
    return decoded;
  }
  decoded.model = valid_text(text_field(body, "model"));
  decoded.body = to_text(*body);
  return decoded;
}

}  // namespace wright::providers
