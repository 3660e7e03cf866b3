#include "server/webhook_outbox.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/try.h"
#include "server/event_hub.h"
#include "server/tokens.h"

namespace wright::server {
namespace {

constexpr std::string_view kCursorKind = "webhook_cursor";
constexpr std::string_view kToldKind = "webhook_told";
constexpr std::size_t kEventsOfAPage = 500;
constexpr std::size_t kMostInMemory = 1'000;  // events; the store has them
constexpr std::chrono::milliseconds kPauseAfterTrouble{1'000};
// How long it is remembered that an event was told: longer than any server that shares the store
// can be behind.
constexpr std::int64_t kRememberedMs = std::int64_t{7} * 24 * 60 * 60 * 1000;

bool is_told_of(const StoredEvent& event) {
  return event.type == "run_ended" || event.type == "run_waiting";
}

const Json* member_of(const Json& json, std::string_view key) {
  const JsonObject* object = json.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

Json copy_of(const Json& json, std::string_view key) {
  const Json* found = member_of(json, key);
  return found == nullptr ? Json(nullptr) : *found;
}

// What was said stays where it is: it may be secret.
Json message_of(const StoredEvent& event, const Session& session) {
  JsonObject data{{"session_id", session.id}, {"agent", session.agent_name}};
  const bool is_waiting = event.type == "run_waiting";
  if (is_waiting) {
    JsonArray waits;
    if (const Json* list = member_of(event.data, "waits"); list != nullptr && list->is_array()) {
      for (const Json& wait : list->get_array()) {
        waits.push_back({{"id", copy_of(wait, "wait_id")},
                         {"session_id", copy_of(wait, "session_id")},
                         {"kind", copy_of(wait, "kind")},
                         {"tool", copy_of(wait, "name")}});
      }
    }
    data["waits"] = std::move(waits);
  } else {
    data["phase"] = copy_of(event.data, "phase");
    const Json error = copy_of(event.data, "error");
    data["error"] = error.is_null() ? Json(nullptr) : copy_of(error, "code");
  }
  return {{"type", is_waiting ? "session.waiting" : "session.ended"},
          {"timestamp", event.at},
          {"data", std::move(data)}};
}

}  // namespace

std::string webhook_kind(const std::string& url) {
  return "webhook " + url;
}

WebhookOutbox::WebhookOutbox(Store& store, std::vector<std::string> urls,
                             std::function<void()> on_added)
    : store_(store), on_added_(std::move(on_added)) {
  for (std::string& url : urls) cursors_.push_back({.url = std::move(url)});
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void WebhookOutbox::tell(std::span<const StoredEvent> events) {
  const std::lock_guard lock(mutex_);
  for (const StoredEvent& event : events) {
    if (is_told_of(event)) waiting_.push_back(event);
  }
  if (waiting_.empty()) return;
  if (waiting_.size() > kMostInMemory) {
    waiting_.clear();
    is_behind_ = true;
  }
  changed_.notify_all();
}

void WebhookOutbox::look_again() {
  const std::lock_guard lock(mutex_);
  is_behind_ = true;
  changed_.notify_all();
}

bool WebhookOutbox::is_idle() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && !is_behind_ && !is_busy_;
}

void WebhookOutbox::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait(lock, stop, [&] { return is_behind_ || !waiting_.empty(); });
    if (stop.stop_requested()) return;
    const bool was_behind = std::exchange(is_behind_, false);
    const std::vector<StoredEvent> events = std::exchange(waiting_, {});
    is_busy_ = true;
    lock.unlock();
    Result<void> done;
    if (was_behind) done = catch_up(stop);
    for (const StoredEvent& event : events) {
      if (done) done = take(event);
    }
    lock.lock();
    is_busy_ = false;
    if (done) continue;
    is_behind_ = true;  // whatever was not taken is read again
    changed_.wait_for(lock, stop, kPauseAfterTrouble, [] { return false; });
  }
}

Result<void> WebhookOutbox::read_cursor(Cursor& cursor) {
  const auto found =
      TRY(store_.get_records({.kind = std::string(kCursorKind), .key = cursor.url, .limit = 1}));
  if (found.empty()) return {};
  cursor.version = found.front().version;
  if (found.front().value.is_int64()) cursor.after = found.front().value.get_int64();
  return {};
}

Result<void> WebhookOutbox::catch_up(const std::stop_token& stop) {
  std::optional<EventSequence> first;
  for (Cursor& cursor : cursors_) {
    TRY(read_cursor(cursor));
    // Nobody wants to hear of what happened before there was a URL.
    if (cursor.version == 0) TRY(move(cursor, newest_event(store_, cursor.after)));
    first = std::min(first.value_or(cursor.after), cursor.after);
  }
  known_ = first.value_or(0);
  while (!stop.stop_requested()) {
    const auto events = TRY(store_.get_events({.after = known_, .limit = kEventsOfAPage}));
    for (const StoredEvent& event : events) {
      if (is_told_of(event)) TRY(take(event));
    }
    if (events.empty()) return {};
    known_ = events.back().sequence;
    // So that the next process need not read them again.
    for (Cursor& cursor : cursors_) TRY(move(cursor, known_));
  }
  return {};
}

Result<void> WebhookOutbox::take(const StoredEvent& event) {
  if (event.sequence <= known_) return {};
  const auto session = store_.get_session(event.session_id);
  if (!session && session.error().code != ErrorCode::not_found) {
    return std::unexpected(session.error());
  }
  if (session && !session->parent_session_id) {
    const Json message = message_of(event, *session);
    for (Cursor& cursor : cursors_) TRY(add(cursor, event.sequence, message));
    on_added_();
  }
  known_ = event.sequence;
  return {};
}

// Once, whoever else tries: the records and how far the URL was told change together.
Result<void> WebhookOutbox::add(Cursor& cursor, EventSequence sequence, const Json& message) {
  constexpr int kAttempts = 10;
  const std::string key = std::to_string(sequence);
  const std::int64_t now = system_clock_ms();
  for (int attempt = 0; sequence > cursor.after; ++attempt) {
    const std::vector<Write> writes{
        PutRecord{std::string(kToldKind), cursor.url + " " + key, nullptr, now + kRememberedMs, {}},
        PutRecord{webhook_kind(cursor.url),
                  key,
                  JsonObject{{"id", "msg_" + random_token().substr(0, 32)},
                             {"body", to_text(message)},
                             {"attempts", 0}},
                  now,
                  {}},
        PutRecord{std::string(kCursorKind), cursor.url, sequence, 0, cursor.version},
        RemoveRecords{.kind = std::string(kToldKind), .due_before = now}};
    const auto applied = store_.apply(writes);
    if (applied) {
      cursor.after = sequence;
      ++cursor.version;
      return {};
    }
    // Another server that shares the store was faster.
    if (applied.error().code == ErrorCode::already_exists) return move(cursor, sequence);
    if (applied.error().code != ErrorCode::unavailable || attempt == kAttempts) {
      return std::unexpected(applied.error());
    }
    TRY(read_cursor(cursor));
  }
  return {};
}

Result<void> WebhookOutbox::move(Cursor& cursor, EventSequence sequence) {
  constexpr int kAttempts = 10;
  for (int attempt = 0; cursor.version == 0 || sequence > cursor.after; ++attempt) {
    PutRecord write{std::string(kCursorKind), cursor.url, sequence, 0, {}};
    if (cursor.version > 0) write.version = cursor.version;
    const auto applied = store_.apply_one(std::move(write));
    if (applied) {
      cursor.after = sequence;
      ++cursor.version;
      return {};
    }
    const bool is_conflict = applied.error().code == ErrorCode::unavailable ||
                             applied.error().code == ErrorCode::already_exists;
    if (!is_conflict || attempt == kAttempts) return std::unexpected(applied.error());
    TRY(read_cursor(cursor));
  }
  return {};
}

}  // namespace wright::server
