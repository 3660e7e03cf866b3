#include "server/response_records.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "core/try.h"
#include "server/tenant_rule.h"
#include "server/tokens.h"

namespace wright::server {
namespace {

constexpr std::string_view kResponsePrefix = "resp_";
constexpr std::string_view kItemPrefix = "msg_";
constexpr const char* kResponseKind = "response";
constexpr std::size_t kMarkLength = 16;
constexpr std::size_t kMostResponses = 10'000;  // of a session that are looked at

std::string named_with(std::string_view prefix, const ResponseName& name) {
  if (name.mark.empty()) return fmt::format("{}{}", prefix, name.session_id);
  return fmt::format("{}{}_{}", prefix, name.session_id, name.mark);
}

std::optional<ResponseName> name_from_id(std::string_view id, std::string_view prefix) {
  if (!id.starts_with(prefix)) return std::nullopt;
  ResponseName name;
  const char* end = id.data() + id.size();
  const auto [at, error] = std::from_chars(id.data() + prefix.size(), end, name.session_id);
  if (error != std::errc()) return std::nullopt;
  if (at == end) return name;
  name.mark.assign(at + 1, end);
  const bool is_mark = *at == '_' && name.mark.size() == kMarkLength &&
                       name.mark.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_mark ? std::optional(name) : std::nullopt;
}

Json kept_json(const KeptResponse& kept) {
  JsonObject json{{"after", kept.after},
                  {"inputs", static_cast<std::int64_t>(kept.inputs)},
                  {"response", kept.response}};
  if (!kept.results.empty()) json["results"] = kept.results;
  if (kept.last) json["last"] = *kept.last;
  if (kept.is_deleted) json["is_deleted"] = true;
  return json;
}

std::optional<KeptResponse> kept_from(const Json& json) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) return std::nullopt;
  const Json* after = object->if_contains("after");
  const Json* inputs = object->if_contains("inputs");
  const Json* response = object->if_contains("response");
  if (after == nullptr || !after->is_int64() || inputs == nullptr || !inputs->is_int64() ||
      inputs->get_int64() < 0 || response == nullptr || !response->is_object()) {
    return std::nullopt;
  }
  KeptResponse kept{.after = after->get_int64(),
                    .inputs = static_cast<std::size_t>(inputs->get_int64()),
                    .response = *response};
  if (const Json* results = object->if_contains("results"); results && results->is_array()) {
    kept.results = results->get_array();
  }
  if (const Json* last = object->if_contains("last"); last && last->is_int64()) {
    kept.last = last->get_int64();
  }
  kept.is_deleted = object->contains("is_deleted");
  return kept;
}

Error no_response(const ResponseName& name) {
  return {ErrorCode::not_found, fmt::format("There is no response '{}'", response_id(name))};
}

// Where a response ends, and whether others have gone on from there or later.
struct ResponseEnd {
  MessageId last = 0;
  bool has_next = false;
};
Result<ResponseEnd> end_of(Store& store, const ResponseName& name, const KeptResponse& kept) {
  const MessageId newest = TRY(newest_message(store, name.session_id));
  const auto records = TRY(store.get_records(
      {.kind = kResponseKind, .session_id = name.session_id, .limit = kMostResponses}));
  std::vector<MessageId> begun;  // those that came after it, by the message before them
  for (const Record& record : records) {
    const auto other = kept_from(record.value);
    if (other && other->after > kept.after) begun.push_back(other->after);
  }
  // One that nobody saw end did so before the next began, else with the newest message.
  const MessageId first = begun.empty() ? newest : *std::ranges::min_element(begun);
  ResponseEnd end{.last = kept.last.value_or(std::min(first, newest))};
  // Its words may still be on their way to the store, but it is on record that it has begun.
  end.has_next = end.last != newest ||
                 std::ranges::any_of(begun, [&](MessageId after) { return after >= end.last; });
  return end;
}

}  // namespace

std::string response_id(const ResponseName& name) {
  return named_with(kResponsePrefix, name);
}

std::string message_item_id(const ResponseName& name) {
  return named_with(kItemPrefix, name);
}

std::optional<ResponseName> response_named(std::string_view id) {
  return name_from_id(id, kResponsePrefix);
}

std::optional<ResponseName> message_item_named(std::string_view id) {
  return name_from_id(id, kItemPrefix);
}

std::string new_response_mark() {
  return random_token().substr(0, kMarkLength);
}

Result<KeptResponse> kept_response(Store& store, const ResponseName& name,
                                   const std::optional<std::string>& tenant) {
  const auto session = session_for(store, name.session_id, tenant);
  if (!session && session.error().code == ErrorCode::not_found) {
    return std::unexpected(no_response(name));
  }
  if (!session) return std::unexpected(session.error());
  const auto found =
      TRY(store.get_records({.kind = kResponseKind, .key = response_id(name), .limit = 1}));
  const bool is_there = !found.empty() && found.front().session_id == name.session_id;
  auto kept = is_there ? kept_from(found.front().value) : std::nullopt;
  if (!kept || kept->is_deleted) return std::unexpected(no_response(name));
  kept->version = found.front().version;
  return std::move(*kept);
}

Result<void> keep_beginning(Store& store, const ResponseName& name, const KeptResponse& response) {
  TRY(store.apply_one(PutRecord{.kind = kResponseKind,
                                .key = response_id(name),
                                .value = kept_json(response),
                                .session_id = name.session_id}));
  return {};
}

void keep_end(Store& store, const ResponseName& name, const KeptResponse& response) {
  (void)store.apply_one(PutRecord{
      .kind = kResponseKind, .key = response_id(name), .value = kept_json(response), .version = 1});
}

void forget_beginning(Store& store, const ResponseName& name) {
  (void)store.apply_one(RemoveRecords{.kind = kResponseKind, .key = response_id(name)});
}

// A turn ends with words that call nothing. One that failed has none: then the next message that a
// person says begins another.
Result<OwnTurn> own_turn(Store& store, const ResponseName& name, const KeptResponse& kept) {
  const ResponseEnd end = TRY(end_of(store, name, kept));
  const auto messages = TRY(store.get_messages(name.session_id));
  OwnTurn turn;
  std::size_t brought = 0;
  bool was_user = false;
  for (const StoredMessage& each : messages) {
    if (each.id <= kept.after || each.id > end.last) continue;
    turn.has_begun = true;
    if (brought++ < kept.inputs) {
      was_user = each.message.is_from_user();
      continue;
    }
    if (each.message.is_from_user() && was_user) return turn;
    was_user = each.message.is_from_user();
    if (each.message.role == Role::assistant && each.message.tool_calls().empty()) {
      turn.answer = each.message.text();
      return turn;
    }
  }
  turn.is_newest = turn.has_begun && !end.has_next;
  return turn;
}

namespace {

// Whether a person has said something in the session that no request brought: in a chat, say.
Result<bool> has_words_of_others(Store& store, SessionId session_id,
                                 const std::vector<KeptResponse>& responses) {
  const auto messages = TRY(store.get_messages(session_id));
  std::vector<bool> was_brought(messages.size());
  for (const KeptResponse& response : responses) {
    const auto first = std::ranges::upper_bound(messages, response.after, {}, &StoredMessage::id);
    const auto begin = static_cast<std::size_t>(first - messages.begin());
    const std::size_t end = begin + std::min(response.inputs, messages.size() - begin);
    for (std::size_t i = begin; i < end; ++i) was_brought[i] = true;
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].message.is_from_user() && !was_brought[i]) return true;
  }
  return false;
}

}  // namespace

Result<void> delete_response(Store& store, const ResponseName& name,
                             const std::optional<std::string>& tenant) {
  KeptResponse kept = TRY(kept_response(store, name, tenant));
  const auto records = TRY(store.get_records(
      {.kind = kResponseKind, .session_id = name.session_id, .limit = kMostResponses}));
  bool began_with_one = false;
  bool is_last = records.size() < kMostResponses;
  std::vector<KeptResponse> all;
  for (const Record& record : records) {
    auto other = kept_from(record.value);
    if (!other) continue;
    began_with_one = began_with_one || other->after == 0;
    is_last = is_last && (other->is_deleted || record.key == response_id(name));
    all.push_back(std::move(*other));
  }
  if (began_with_one && is_last) {
    const bool has_others = TRY(has_words_of_others(store, name.session_id, all));
    if (!has_others) {
      TRY(store.apply_one(DeleteSession{.session_id = name.session_id, .unless_running = true}));
      return {};
    }
  }
  kept.is_deleted = true;
  kept.results.clear();
  kept.response = JsonObject();
  TRY(store.apply_one(PutRecord{.kind = kResponseKind,
                                .key = response_id(name),
                                .value = kept_json(kept),
                                .version = kept.version}));
  return {};
}

Result<MessageId> newest_message(Store& store, SessionId session_id) {
  const auto newest = TRY(store.get_messages(session_id, {.limit = 1, .keep = Page::Keep::last}));
  return newest.empty() ? 0 : newest.back().id;
}

Result<SessionId> session_to_go_on(Store& store, const ResponseName& name,
                                   const std::optional<std::string>& tenant) {
  if (name.mark.empty()) {
    TRY(session_for(store, name.session_id, tenant));
    return name.session_id;
  }
  const KeptResponse kept = TRY(kept_response(store, name, tenant));
  const ResponseEnd end = TRY(end_of(store, name, kept));
  if (!end.has_next) return name.session_id;
  return store.fork_session(name.session_id, end.last);
}

}  // namespace wright::server
