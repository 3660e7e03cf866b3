#include "app/wiring/remote_api.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "app/wiring/remote_rows.h"
#include "core/no_signals.h"
#include "core/server_sent_events.h"
#include "core/try.h"
#include "net/broken_connection.h"
#include "net/http_client.h"
#include "net/whole_response.h"

namespace wright::app {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLargestAnswer = std::size_t{256} << 20;
constexpr HttpTimeouts kAnswerTimeouts{.connect = milliseconds(10'000),
                                       .first_byte = milliseconds(120'000),
                                       .idle = milliseconds(60'000),
                                       .total = milliseconds(600'000)};
// Comments come every 15 seconds.
constexpr HttpTimeouts kStreamTimeouts{.connect = milliseconds(10'000),
                                       .first_byte = milliseconds(60'000),
                                       .idle = milliseconds(60'000),
                                       .total = std::chrono::hours(24 * 30)};
constexpr milliseconds kFirstRetry{250};
constexpr milliseconds kLongestRetry{10'000};
constexpr int kMostRetries = 30;  // in a row, without an event between them

// What the server says of an error, or the best that can be said without it.
Error error_of(int status, std::string_view body, std::string_view url) {
  ErrorCode code = status >= 500 ? ErrorCode::unavailable : ErrorCode::protocol;
  if (status == 401) code = ErrorCode::authentication;
  if (status == 404) code = ErrorCode::not_found;
  std::string message = fmt::format("{} answered with HTTP {}", url, status);
  if (const auto json = parse_json(body); json && json->is_object()) {
    const JsonObject& problem = json->get_object();
    if (const Json* detail = problem.if_contains("detail"); detail && detail->is_string()) {
      message = std::string(detail->get_string());
    }
    if (const Json* name = problem.if_contains("code"); name && name->is_string()) {
      if (const auto known = error_code_from(name->get_string())) code = *known;
    }
  }
  if (code == ErrorCode::authentication) message += ". WRIGHT_TOKEN has the token for it";
  return {code, std::move(message), {}};
}

// Hands the events of one exchange to the thread that waits for them.
class EventReceiver : public net::HttpReceiver {
 public:
  void on_head(HttpResponseHead head) override {
    const std::lock_guard lock(mutex_);
    status_ = head.status;
  }
  Result<void> on_body(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    if (status_ != 200) {
      body_ += bytes.substr(0, 64 * 1024 - std::min<std::size_t>(64 * 1024, body_.size()));
      return {};
    }
    auto fed = stream_.feed(bytes, [&](const ServerSentEvent& event) -> Result<void> {
      events_.emplace_back(event.data);
      return {};
    });
    changed_.notify_all();
    return fed;
  }
  void on_end(Result<void> end) override {
    const std::lock_guard lock(mutex_);
    end_ = std::move(end);
    changed_.notify_all();
  }

  // The next events; none when the exchange has ended or `stop` was requested.
  std::vector<std::string> next(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return !events_.empty() || end_; });
    return std::exchange(events_, {});
  }
  // A refusal of the server, not an end of the connection.
  std::optional<Error> refusal(std::string_view url) {
    const std::lock_guard lock(mutex_);
    if (status_ == 0 || status_ == 200 || status_ >= 500 || status_ == 429) return std::nullopt;
    return error_of(status_, body_, url);
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  ServerSentEvents stream_;
  int status_ = 0;
  std::string body_;
  std::vector<std::string> events_;
  std::optional<Result<void>> end_;
};

}  // namespace

RemoteApi::RemoteApi(ServerPlace place)
    : place_(std::move(place)),
      filter_({place_.token}),
      client_(std::make_unique<net::HttpClient>()) {
  const NoSignals none;
  client_->loop();  // starts its thread
}

RemoteApi::~RemoteApi() = default;

Error RemoteApi::without_token(Error error) const {
  filter_.clean(error.message);
  return error;
}

Json RemoteApi::without_token(Json answer) const {
  if (answer.is_string()) {
    std::string text(answer.get_string());
    filter_.clean(text);
    return Json(text);
  }
  if (JsonArray* array = answer.if_array()) {
    for (Json& each : *array) each = without_token(std::move(each));
  } else if (JsonObject* object = answer.if_object()) {
    for (auto& member : *object) member.value() = without_token(std::move(member.value()));
  }
  return answer;
}

HttpRequest RemoteApi::request_for(std::string method, const std::string& path) const {
  HttpRequest request{.url = place_.url + path, .method = std::move(method)};
  if (!place_.token.empty()) {
    request.headers.push_back({"Authorization", "Bearer " + place_.token, true});
  }
  return request;
}

Result<Json> RemoteApi::ask(std::string method, const std::string& path, std::string body,
                            std::vector<HttpHeader> headers, const std::stop_token& stop) {
  HttpRequest request = request_for(std::move(method), path);
  request.body = std::move(body);
  for (HttpHeader& header : headers) request.headers.push_back(std::move(header));
  const auto all = [](const HttpResponseHead&) { return kLargestAnswer; };
  auto response = net::ask_and_wait(*client_, std::move(request), kAnswerTimeouts, all, stop);
  if (!response) {
    Error error = std::move(response).error();
    if (error.code == ErrorCode::network && !net::may_have_arrived(error)) {
      error.message = fmt::format("There is no server at {}: {}", place_.url, error.message);
    }
    return std::unexpected(without_token(std::move(error)));
  }
  const int status = response->head.status;
  if (status < 200 || status >= 300) {
    return std::unexpected(without_token(error_of(status, response->body, place_.url)));
  }
  if (response->body.empty()) return Json();
  auto json = parse_json(response->body);
  if (!json) {
    return fail(ErrorCode::protocol,
                fmt::format("{} gave no JSON: is it a server of wright?", place_.url));
  }
  if (place_.token.empty()) return json;
  return without_token(std::move(*json));
}

Result<Json> RemoteApi::get(const std::string& path, const std::stop_token& stop) {
  return ask("GET", path, {}, {}, stop);
}

Result<Json> RemoteApi::post(const std::string& path, const Json& body, const std::stop_token& stop,
                             const std::string& idempotency_key) {
  std::vector<HttpHeader> headers{{"Content-Type", "application/json"}};
  if (!idempotency_key.empty()) headers.push_back({"Idempotency-Key", idempotency_key});
  return ask("POST", path, to_text(body), std::move(headers), stop);
}

Result<void> RemoteApi::remove(const std::string& path) {
  TRY(ask("DELETE", path, {}, {}, {}));
  return {};
}

Result<void> RemoteApi::listen(SessionId session, EventSequence after, const OnEvent& on_event,
                               const std::stop_token& stop) {
  int failures = 0;
  while (!stop.stop_requested()) {
    HttpRequest request = request_for("GET", fmt::format("/api/v1/sessions/{}/events", session));
    request.headers.push_back({"Accept", "text/event-stream"});
    request.headers.push_back({"Last-Event-ID", fmt::to_string(after)});
    const auto receiver = std::make_shared<EventReceiver>();
    const auto exchange = client_->start(std::move(request), kStreamTimeouts, receiver);
    for (auto events = receiver->next(stop); !events.empty(); events = receiver->next(stop)) {
      for (const std::string& text : events) {
        auto event = event_from(text);
        if (!event || event->sequence <= after) continue;
        event->data = without_token(std::move(event->data));
        after = event->sequence;
        failures = 0;
        if (on_event(*event) == Listening::enough) {
          client_->cancel(exchange);
          return {};
        }
      }
    }
    client_->cancel(exchange);
    if (stop.stop_requested()) break;
    if (auto refusal = receiver->refusal(place_.url)) {
      return std::unexpected(without_token(std::move(*refusal)));
    }
    if (++failures > kMostRetries) {
      return fail(ErrorCode::network, fmt::format("The connection to {} was lost", place_.url));
    }
    std::mutex mutex;
    std::condition_variable_any waiting;
    std::unique_lock lock(mutex);
    waiting.wait_for(lock, stop,
                     std::min(kFirstRetry * (1 << std::min(failures, 6)), kLongestRetry),
                     [] { return false; });
  }
  return fail(ErrorCode::cancelled, "Interrupted");
}

}  // namespace wright::app
