#include "server/idempotency.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <utility>

#include "core/sha256.h"
#include "core/try.h"
#include "server/tokens.h"

namespace wright::server {
namespace {

constexpr const char* kIdempotencyKind = "idempotency";
constexpr std::int64_t kAnswerKeptMs = std::int64_t{24} * 60 * 60 * 1000;
constexpr std::int64_t kUnderWayMs = 60'000;  // no request takes longer
constexpr std::uint64_t kAnswersBetweenCleaning = 100;

Json kept_response(const http::Response& response) {
  JsonArray headers;
  for (const auto& header : response.headers) {
    headers.push_back(JsonArray{Json(header.name), Json(header.value)});
  }
  return {{"status", response.status}, {"headers", std::move(headers)}, {"body", response.body}};
}

// As it was stored by this or another version; nothing where it cannot be read.
std::optional<http::Response> response_kept_in(const Json& json) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) return std::nullopt;
  const Json* status = object->if_contains("status");
  const Json* body = object->if_contains("body");
  const Json* headers = object->if_contains("headers");
  if (status == nullptr || !status->is_int64() || body == nullptr || !body->is_string() ||
      headers == nullptr || !headers->is_array()) {
    return std::nullopt;
  }
  http::Response response{.status = static_cast<int>(status->get_int64()),
                          .body = std::string(body->get_string())};
  for (const Json& header : headers->get_array()) {
    const JsonArray* pair = header.if_array();
    if (pair == nullptr || pair->size() != 2 || !(*pair)[0].is_string() ||
        !(*pair)[1].is_string()) {
      continue;
    }
    response.headers.push_back(
        {std::string((*pair)[0].get_string()), std::string((*pair)[1].get_string())});
  }
  return response;
}

}  // namespace

Answer IdempotentAnswers::once(const Call& call, const std::function<Answer()>& answer) {
  const std::string given(call.request.header("Idempotency-Key"));
  if (given.empty()) return answer();
  // A name may have been given to a token of another tenant since.
  const std::string tenant = call.caller.tenant ? "\n" + *call.caller.tenant : "";
  const std::string key = sha256_hex(call.caller.name + tenant + "\n" + given);
  const std::string request = sha256_hex(call.request.target + "\n" + call.request.body);
  const std::int64_t now = system_clock_ms();
  std::vector<Write> writes;
  // Those that are too old: this one, and now and then all of them.
  RemoveRecords old{.kind = kIdempotencyKind, .due_before = now};
  if (count_++ % kAnswersBetweenCleaning != 0) old.key = key;
  writes.emplace_back(std::move(old));
  writes.emplace_back(
      PutRecord{kIdempotencyKind,
                key,
                JsonObject{{"request", request}, {"began_at", now}, {"response", nullptr}},
                now + kAnswerKeptMs,
                {}});
  const auto claimed = store_.apply(writes);
  if (!claimed && claimed.error().code == ErrorCode::already_exists) return repeat(key, request);
  if (!claimed) return std::unexpected(claimed.error());
  // However it ends: a key is under way only as long as somebody works on it.
  Answer answered = std::nullopt;
  try {
    answered = answer();
  } catch (...) {
    forget(key);
    throw;
  }
  // The store may have taken what it could not say: only who looks can know.
  if (!answered && answered.error().code == ErrorCode::storage) return answered;
  if (!answered || !*answered) {
    forget(key);
    return answered;
  }
  // What was done is done: where this cannot be kept, the answer is given all the same.
  (void)store_.apply_one(PutRecord{
      kIdempotencyKind, key,
      JsonObject{{"request", request}, {"began_at", now}, {"response", kept_response(**answered)}},
      now + kAnswerKeptMs, 1});
  return answered;
}

Answer IdempotentAnswers::repeat(const std::string& key, const std::string& request) {
  const auto found = TRY(store_.get_records({.kind = kIdempotencyKind, .key = key, .limit = 1}));
  const JsonObject* known = found.empty() ? nullptr : found.front().value.if_object();
  if (known == nullptr) {
    return fail(ErrorCode::unavailable,
                "The first request with this key has just failed: try again");
  }
  const Json* first = known->if_contains("request");
  if (first == nullptr || *first != Json(request)) {
    return fail(ErrorCode::unsupported,
                "This Idempotency-Key stands for another request: take a new one");
  }
  const Json* response = known->if_contains("response");
  if (auto again = response == nullptr ? std::nullopt : response_kept_in(*response)) {
    again->headers.push_back({"Idempotent-Replay", "true"});
    return std::move(*again);
  }
  const Json* began = known->if_contains("began_at");
  const bool is_old = began == nullptr || !began->is_int64() ||
                      began->get_int64() + kUnderWayMs < system_clock_ms();
  return fail(ErrorCode::already_exists,
              is_old ? "The server that took the first request with this key ended before it had "
                       "answered: look whether its session is there, and take a new key if not"
                     : "The first request with this key is still under way");
}

void IdempotentAnswers::forget(const std::string& key) {
  (void)store_.apply_one(RemoveRecords{.kind = kIdempotencyKind, .key = key});
}

}  // namespace wright::server
