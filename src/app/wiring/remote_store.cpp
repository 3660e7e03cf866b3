#include "app/wiring/remote_store.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/wiring/remote_rows.h"
#include "core/percent.h"
#include "core/try.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostOfServerPage = 500;  // that a server gives

std::unexpected<Error> not_here(std::string_view what) {
  return fail(ErrorCode::unsupported,
              fmt::format("{} cannot be done through a server: do it where its store is", what));
}

// "?a=1&b=2"
class UrlQuery {
 public:
  void add(std::string_view name, std::string_view value) {
    text_ += fmt::format("{}{}={}", text_.empty() ? '?' : '&', name, percent_encoded(value));
  }
  void add(std::string_view name, std::optional<std::int64_t> value) {
    if (value) add(name, fmt::to_string(*value));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Result<const JsonArray*> list_in(const Json& json, std::string_view key) {
  const JsonObject* object = json.if_object();
  const Json* list = object != nullptr ? object->if_contains(key) : nullptr;
  if (list != nullptr && list->is_array()) return &list->get_array();
  return fail(ErrorCode::protocol, fmt::format("The server's answer has no list '{}'", key));
}

// Whoever asks on from the same row gets the same page, without end.
std::unexpected<Error> same_page() {
  return fail(ErrorCode::protocol, "The server gives the same page of a list again");
}

bool has_next(const Json& page) {
  const JsonObject* object = page.if_object();
  const Json* next = object != nullptr ? object->if_contains("next") : nullptr;
  return next != nullptr && !next->is_null();
}

// The first of the waits that the server cannot read, as a local store tells of it: it hides no
// other then (readable_waits()).
Result<void> check_damaged(const Json& json) {
  const Json* listed = json.is_object() ? json.get_object().if_contains("damaged") : nullptr;
  const JsonArray* damaged = listed != nullptr ? listed->if_array() : nullptr;
  if (damaged == nullptr || damaged->empty()) return {};
  const JsonObject* first = damaged->front().if_object();
  const auto member = [first](std::string_view key) -> const Json* {
    return first != nullptr ? first->if_contains(key) : nullptr;
  };
  const Json* problem = member("error");
  JsonObject where;
  for (const char* key : {"wait_id", "session_id"}) {
    if (const Json* id = member(key)) where[key] = *id;
  }
  return fail(ErrorCode::storage,
              problem != nullptr && problem->is_string()
                  ? std::string(problem->get_string())
                  : std::string("The server cannot read what waits: ask it for /api/v1/waits"),
              std::move(where));
}

template <class Row>
Result<std::vector<Row>> rows_in(const Json& json, std::string_view key,
                                 Result<Row> (*from)(const Json&)) {
  const auto list = TRY(list_in(json, key));
  std::vector<Row> rows;
  for (const Json& each : *list) {
    auto row = TRY(from(each));
    rows.push_back(std::move(row));
  }
  return rows;
}

class RemoteStore final : public Store {
 public:
  explicit RemoteStore(std::shared_ptr<RemoteApi> api) : api_(std::move(api)) {}

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    std::vector<Result<BatchIds>> results;
    for (const Batch& batch : batches) results.push_back(apply_batch(batch));
    return results;
  }

  Result<Session> get_session(SessionId id) override {
    const auto json = TRY(api_->get(fmt::format("/api/v1/sessions/{}?details=all", id)));
    return session_from(json);
  }

  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    if (filter.is_abandoned || filter.needs_driver || filter.ended_before) {
      return not_here("This search");
    }
    std::vector<Session> sessions;
    std::optional<SessionId> before = filter.before;
    while (sessions.size() < filter.limit) {
      UrlQuery query;
      query.add("details", "all");
      if (filter.agent_name) query.add("agent", *filter.agent_name);
      if (filter.status) query.add("status", to_string(*filter.status));
      if (!filter.text.empty()) query.add("search", filter.text);
      if (filter.is_root) query.add("root", "true");
      if (filter.tenant) query.add("tenant", *filter.tenant);
      if (filter.started_since > 0) query.add("since", filter.started_since);
      query.add("parent", filter.parent_session_id);
      query.add("after", filter.after);
      query.add("before", before);
      query.add("limit", static_cast<std::int64_t>(
                             std::min(filter.limit - sessions.size(), kMostOfServerPage)));
      const auto json = TRY(api_->get("/api/v1/sessions" + query.text()));
      auto page = TRY(rows_in<Session>(json, "sessions", session_from));
      const bool is_last = page.empty() || !has_next(json);
      if (!page.empty()) {
        if (before && page.back().id >= *before) return same_page();
        before = page.back().id;
      }
      std::ranges::move(page, std::back_inserter(sessions));
      if (is_last) break;
    }
    return sessions;
  }

  Result<std::vector<StoredMessage>> get_messages(SessionId id, const Page& page) override {
    return pages<StoredMessage>(fmt::format("/api/v1/sessions/{}/messages", id), "messages", {},
                                page, stored_message_from);
  }
  Result<std::vector<StoredCall>> get_tool_calls(SessionId id, const CallFilter& filter) override {
    if (filter.tool_call_id) return not_here("This search");
    UrlQuery query;
    if (filter.status) query.add("status", to_string(*filter.status));
    return pages<StoredCall>(fmt::format("/api/v1/sessions/{}/calls", id), "calls", query,
                             filter.page, call_from);
  }

  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    if (filter.id) {
      const auto json = TRY(api_->get(fmt::format("/api/v1/waits/{}", *filter.id)));
      auto wait = TRY(wait_from(json));
      return std::vector{std::move(wait)};
    }
    UrlQuery query;
    query.add("status", filter.status ? to_string(*filter.status) : "any");
    if (filter.tenant) query.add("tenant", *filter.tenant);
    const std::string path = filter.session_id
                                 ? fmt::format("/api/v1/sessions/{}/waits", *filter.session_id)
                                 : std::string("/api/v1/waits");
    return pages<StoredWait>(path, "waits", query, filter.page, wait_from);
  }

  Result<std::vector<StoredEvent>> get_events(const EventFilter& filter) override {
    const std::string path = filter.session_id
                                 ? fmt::format("/api/v1/sessions/{}/events", *filter.session_id)
                                 : std::string("/api/v1/events");
    const std::string tenant =
        filter.tenant ? "&tenant=" + percent_encoded(*filter.tenant) : std::string();
    const auto json = TRY(api_->get(fmt::format("{}?after={}{}", path, filter.after, tenant)));
    Result<StoredEvent> (*from)(const Json&) = event_from;
    auto events = TRY(rows_in<StoredEvent>(json, "events", from));
    if (events.size() > filter.limit) events.resize(filter.limit);
    return events;
  }

  Result<std::vector<Runner>> get_runners() override {
    const auto json = TRY(api_->get("/api/v1/runners"));
    return rows_in<Runner>(json, "runners", runner_from);
  }

  Result<StoreStats> get_stats(const StatsFilter& filter) override {
    UrlQuery query;
    if (filter.agent_name) query.add("agent", *filter.agent_name);
    if (filter.started_since > 0) query.add("since", filter.started_since);
    if (filter.tenant) query.add("tenant", *filter.tenant);
    const auto json = TRY(api_->get("/api/v1/stats/samples" + query.text()));
    return samples_from(json);
  }

  Result<std::vector<Record>> get_records(const RecordFilter&) override { return not_here("This"); }
  Result<RunnerNews> get_news(RunnerId) override { return not_here("Driving sessions"); }
  Result<SpentBySpecialists> spent_by_specialists(SessionId, MessageId) override {
    return not_here("Driving sessions");
  }

 private:
  Result<BatchIds> apply_batch(const Batch& batch) {
    if (batch.create || batch.writes.size() != 1) return not_here("This change");
    return std::visit([this](const auto& write) { return apply_write(write); },
                      batch.writes.front());
  }
  template <class Other>
  Result<BatchIds> apply_write(const Other&) {
    return not_here("This change");
  }
  Result<BatchIds> apply_write(const DeleteSession& write) {
    TRY(api_->remove(fmt::format("/api/v1/sessions/{}", write.session_id)));
    return BatchIds{};
  }
  Result<BatchIds> apply_write(const ForkSession& write) {
    const auto json = TRY(api_->post(fmt::format("/api/v1/sessions/{}/fork", write.session_id),
                                     {{"message_id", write.last}}));
    const auto fork = TRY(session_from(json));
    return BatchIds{.forks = {fork.id}};
  }
  Result<BatchIds> apply_write(const RequestCancel& write) {
    TRY(api_->post(fmt::format("/api/v1/sessions/{}/cancel", write.session_id),
                   {{"reason", write.reason}}));
    return BatchIds{};
  }
  Result<BatchIds> apply_write(const AnswerWait& write) {
    const auto json = TRY(api_->post(fmt::format("/api/v1/waits/{}/answer", write.wait_id),
                                     {{"answer", write.answer}}));
    auto wait = TRY(wait_from(json));
    return BatchIds{.answered = {std::move(wait)}};
  }

  // All pages of a list that is in the order of ids, or its last part.
  template <class Row>
  Result<std::vector<Row>> pages(const std::string& path, std::string_view key,
                                 const UrlQuery& filter, const Page& page,
                                 Result<Row> (*from)(const Json&)) {
    std::vector<Row> rows;
    std::optional<std::int64_t> after = page.after;
    while (rows.size() < page.limit) {
      const std::size_t wanted = std::min(page.limit - rows.size(), kMostOfServerPage);
      UrlQuery query = filter;
      query.add("after", after);
      query.add("before", page.before);
      query.add("limit", static_cast<std::int64_t>(wanted));
      if (page.keep == Page::Keep::last) query.add("keep", "last");
      const auto json = TRY(api_->get(path + query.text()));
      TRY(check_damaged(json));
      auto some = TRY(rows_in<Row>(json, key, from));
      const bool is_last = some.size() < wanted || page.keep == Page::Keep::last;
      if (!some.empty()) {
        if (after && some.back().id <= *after) return same_page();
        after = some.back().id;
      }
      std::ranges::move(some, std::back_inserter(rows));
      if (is_last) break;
    }
    return rows;
  }

  const std::shared_ptr<RemoteApi> api_;
};

}  // namespace

std::unique_ptr<Store> remote_store(std::shared_ptr<RemoteApi> api) {
  return std::make_unique<RemoteStore>(std::move(api));
}

}  // namespace wright::app
