#include "server/repeatable_request.h"

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/passing_errors.h"
#include "core/sha256.h"
#include "core/try.h"
#include "server/tokens.h"

namespace wright::server {
namespace {

constexpr const char* kRequestKind = "request";
constexpr std::int64_t kKeptMs = std::int64_t{24} * 60 * 60 * 1000;
constexpr std::int64_t kTakenUpMs = 60'000;  // what a server needs at most to begin a session
// Of the libraries of OpenAI and Anthropic: "0" with the first attempt.
constexpr std::string_view kCountHeader = "X-Stainless-Retry-Count";

Json json_of(const BegunRequest& request) {
  return {{"session_id", request.session_id},
          {"after", request.after},
          {"inputs", static_cast<std::int64_t>(request.inputs)},
          {"mark", request.mark},
          {"usage_before", to_json(request.usage_before)}};
}

// As this version wrote it; nothing where it cannot be read.
std::optional<BegunRequest> begun_from(const Json& json) {
  const JsonObject* object = json.if_object();
  const auto number = [&](std::string_view name) -> std::optional<std::int64_t> {
    const Json* value = object->if_contains(name);
    if (value == nullptr || !value->is_int64() || value->get_int64() < 0) return std::nullopt;
    return value->get_int64();
  };
  if (object == nullptr) return std::nullopt;
  const auto session_id = number("session_id");
  const auto after = number("after");
  const auto inputs = number("inputs");
  const Json* mark = object->if_contains("mark");
  const Json* usage = object->if_contains("usage_before");
  if (!session_id || !after || !inputs || mark == nullptr || !mark->is_string() ||
      usage == nullptr) {
    return std::nullopt;
  }
  const auto usage_before = usage_from_json(*usage);
  if (!usage_before) return std::nullopt;
  return BegunRequest{.session_id = *session_id,
                      .after = *after,
                      .inputs = static_cast<std::size_t>(*inputs),
                      .mark = std::string(mark->get_string()),
                      .usage_before = *usage_before};
}

bool may_have_changed_something(const StoredCall& call, std::span<const Tool> tools) {
  const bool has_run = call.status == CallStatus::executing ||
                       call.status == CallStatus::completed || call.status == CallStatus::unknown ||
                       call.execution_time_ms.has_value();
  if (!has_run) return false;
  const Tool* tool = find_tool(tools, call.tool_name);
  if (tool == nullptr || tool->specialist) return true;
  if (tool->spec.options.effect == Effect::read) return false;
  if (!tool->only_reads) return true;
  const auto arguments = parse_json(call.request);
  return !arguments || !tool->only_reads(*arguments);
}

}  // namespace

RepeatableRequest::RepeatableRequest(const Call& call) {
  const std::string_view given = call.request.header("Idempotency-Key");
  const std::string_view count = call.request.header(kCountHeader);
  if (given.empty() && count.empty()) return;
  content_ = sha256_hex(call.request.target + "\n" + call.request.body);
  token_ = random_token();
  has_own_key_ = !given.empty();
  is_first_ = given.empty() && count == "0";
  // A name may have been given to a token of another tenant since.
  const std::string tenant = call.caller.tenant ? "\n" + *call.caller.tenant : "";
  key_ = sha256_hex(call.caller.name + tenant + "\n" +
                    (given.empty() ? content_ : "key " + std::string(given)));
}

PutRecord RepeatableRequest::record(const Json& begun) const {
  const std::int64_t now = system_clock_ms();
  return {
      .kind = kRequestKind,
      .key = key_,
      .value =
          JsonObject{{"content", content_}, {"token", token_}, {"came_at", now}, {"begun", begun}},
      .due_at = now + kKeptMs};
}

Result<std::optional<BegunRequest>> RepeatableRequest::claim(Store& store) {
  if (key_.empty()) return std::nullopt;
  if (is_first_) {
    auto found = TRY(store.get_records({.kind = kRequestKind, .key = key_, .limit = 1}));
    if (!found.empty()) replaced_ = std::move(found.front());
    TRY(claim_anew(store));
    return std::nullopt;
  }
  const std::vector<Write> writes{
      RemoveRecords{.kind = kRequestKind, .key = key_, .due_before = system_clock_ms()},
      record(nullptr)};
  const auto claimed = store.apply(writes);
  if (claimed) return std::nullopt;
  if (claimed.error().code != ErrorCode::already_exists) return std::unexpected(claimed.error());
  return earlier(store);
}

Result<void> RepeatableRequest::claim_anew(Store& store) const {
  if (key_.empty()) return {};
  std::vector<Write> writes{RemoveRecords{.kind = kRequestKind, .key = key_}, record(nullptr)};
  // Now and then, those that are too old.
  if (token_.starts_with("00")) {
    writes.emplace_back(RemoveRecords{.kind = kRequestKind, .due_before = system_clock_ms()});
  }
  TRY(store.apply(writes));
  return {};
}

Result<std::optional<BegunRequest>> RepeatableRequest::earlier(Store& store) const {
  const auto found = TRY(store.get_records({.kind = kRequestKind, .key = key_, .limit = 1}));
  const JsonObject* known = found.empty() ? nullptr : found.front().value.if_object();
  const auto still_begins = [] {
    return fail(ErrorCode::already_exists, "The first of these requests is still being taken up");
  };
  if (known == nullptr) return still_begins();
  const Json* content = known->if_contains("content");
  if (content == nullptr || *content != Json(content_)) {
    return fail(ErrorCode::unsupported,
                "This Idempotency-Key stands for another request: take a new one");
  }
  const Json* begun = known->if_contains("begun");
  if (auto request = begun == nullptr ? std::nullopt : begun_from(*begun)) return request;
  const Json* came = known->if_contains("came_at");
  const bool is_fresh =
      came != nullptr && came->is_int64() && came->get_int64() + kTakenUpMs > system_clock_ms();
  if (is_fresh) return still_begins();
  return fail(ErrorCode::unsupported,
              "The server that took the first of these requests ended before it had begun, or "
              "could not say whether it had: look whether there is a session of it, and send a "
              "new request if not");
}

Result<void> RepeatableRequest::has_begun(Store& store, const BegunRequest& request) const {
  if (key_.empty()) return {};
  PutRecord put = record(json_of(request));
  put.session_id = request.session_id;
  const std::vector<Write> writes{RemoveRecords{.kind = kRequestKind, .key = key_}, std::move(put)};
  TRY(store.apply(writes));
  return {};
}

void RepeatableRequest::forget(Store& store) {
  if (key_.empty()) return;
  const auto found = store.get_records({.kind = kRequestKind, .key = key_, .limit = 1});
  if (!found || found->empty()) return;
  const JsonObject* known = found->front().value.if_object();
  const Json* token = known == nullptr ? nullptr : known->if_contains("token");
  if (token == nullptr || *token != Json(token_)) return;
  std::vector<Write> writes{
      RemoveRecords{.kind = kRequestKind, .key = key_, .version = found->front().version}};
  const bool is_removed = store.apply(writes).has_value();
  if (!is_removed || !replaced_) return;
  (void)store.apply_one(PutRecord{.kind = kRequestKind,
                                  .key = key_,
                                  .value = std::move(replaced_->value),
                                  .due_at = replaced_->due_at,
                                  .session_id = replaced_->session_id});
}

Result<bool> has_acted(Store& store, SessionId id, MessageId since, std::span<const Tool> tools) {
  const auto calls = TRY(store.get_tool_calls(id, {}));
  return std::ranges::any_of(calls, [&](const StoredCall& call) {
    const bool is_older = call.message_id && *call.message_id <= since;
    return !is_older && may_have_changed_something(call, tools);
  });
}

bool is_passing(const Error& error) {
  return may_pass(error.code) || error.code == ErrorCode::storage;
}

int status_that_nobody_repeats(int status) {
  constexpr int kFailedDependency = 424;
  const bool is_repeated = status == 408 || status == 409 || status == 429 || status >= 500;
  return is_repeated ? kFailedDependency : status;
}

}  // namespace wright::server
