#include "server/webhooks.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "server/webhook_outbox.h"

namespace wright::server {
namespace {

using std::chrono::milliseconds;

constexpr int kGone = 410;
constexpr std::size_t kMostAtATime = 16;
constexpr std::size_t kMostCounted = 1'000;
constexpr milliseconds kLookTime{1'000};  // for what other servers have added
// Whoever has taken a message and says nothing for so long has died.
constexpr std::int64_t kTakenForMs = 90'000;

struct Delivery {
  std::string id = {};
  std::string body = {};
  std::int64_t attempts = 0;
};

std::string text_member(const JsonObject& object, std::string_view key) {
  const Json* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Delivery delivery_in(const Json& json) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) return {};
  const Json* attempts = object->if_contains("attempts");
  return {text_member(*object, "id"), text_member(*object, "body"),
          attempts != nullptr && attempts->is_int64() ? attempts->get_int64() : 0};
}

Json delivery_value(const Delivery& message) {
  return {{"id", message.id}, {"body", message.body}, {"attempts", message.attempts}};
}

// "https://example.com": a path or a query may be a secret.
std::string shown_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  std::string_view host = url.substr(0, url.find_first_of("/?#", begin)).substr(begin);
  host.remove_prefix(host.rfind('@') + 1);
  return fmt::format("{}{}", url.substr(0, begin), host);
}

}  // namespace

// One URL: what waits for it, and the thread that sends it.
class Webhooks::Receiver {
 public:
  Receiver(Store& store, const WebhookOptions& options, std::string url)
      : store_(store),
        url_(std::move(url)),
        kind_(webhook_kind(url_)),
        options_(options),
        thread_([this](std::stop_token stop) { send_all(stop); }) {}

  void look() {
    const std::lock_guard lock(mutex_);
    has_news_ = true;
    changed_.notify_all();
  }

  bool has_nothing_due() const {
    const auto due =
        store_.get_records({.kind = kind_, .due_before = system_clock_ms() + 1, .limit = 1});
    const std::lock_guard lock(mutex_);
    return due && due->empty() && !is_busy_;
  }

  WebhookFigures figures() const {
    const auto waiting = store_.get_records({.kind = kind_, .limit = kMostCounted});
    const std::lock_guard lock(mutex_);
    WebhookFigures figures = figures_;
    figures.waiting = waiting ? waiting->size() : 0;
    return figures;
  }

 private:
  void send_all(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      set_busy(true);
      const auto due = store_.get_records(
          {.kind = kind_, .due_before = system_clock_ms() + 1, .limit = kMostAtATime});
      if (due) {
        for (const Record& record : *due) {
          if (!stop.stop_requested()) deliver(record, stop);
        }
      }
      set_busy(false);
      if (due && !due->empty()) continue;
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, pause(), [&] { return has_news_; });
      has_news_ = false;
    }
  }

  // Until the next one is due, or somebody else may have added one.
  milliseconds pause() const {
    if (options_.pauses.empty()) return kLookTime;
    const auto shortest = std::ranges::min(options_.pauses);
    return std::clamp(shortest, milliseconds(1), kLookTime);
  }

  void set_busy(bool is_busy) {
    const std::lock_guard lock(mutex_);
    is_busy_ = is_busy;
  }

  void deliver(const Record& record, const std::stop_token& stop) {
    Delivery message = delivery_in(record.value);
    const auto attempt = static_cast<std::size_t>(std::max<std::int64_t>(message.attempts, 0));
    ++message.attempts;
    // Taken first, so that no other server sends it as well.
    const auto taken = store_.apply_one(PutRecord{kind_, record.key, delivery_value(message),
                                                  system_clock_ms() + kTakenForMs, record.version});
    if (!taken) return;
    const auto status = options_.send(request_of(message), stop);
    if (!status && stop.stop_requested()) {
      // It was cut, not refused: the next process tries it at once.
      (void)store_.apply_one(
          PutRecord{kind_, record.key, record.value, record.due_at, record.version + 1});
      return;
    }
    const bool is_delivered = status && *status >= 200 && *status < 300;
    const bool is_over = (status && *status == kGone) || attempt >= options_.pauses.size();
    if (!is_delivered) log_failure(message, status, is_over);
    if (is_delivered || is_over) {
      (void)store_.apply_one(
          RemoveRecords{.kind = kind_, .key = record.key, .version = record.version + 1});
      const std::lock_guard lock(mutex_);
      ++(is_delivered ? figures_.delivered : figures_.lost);
      return;
    }
    (void)store_.apply_one(PutRecord{kind_, record.key, delivery_value(message),
                                     system_clock_ms() + options_.pauses[attempt].count(),
                                     record.version + 1});
  }

  void log_failure(const Delivery& message, const Result<int>& status, bool is_over) const {
    const std::string to = shown_of(url_);
    const std::string why =
        status ? fmt::format("HTTP status {}", *status) : status.error().message;
    options_.logger.log(
        LogLevel::warning,
        is_over ? "A webhook was not delivered, and is given up"
                : "A webhook was not delivered; it is tried again",
        {{"to", to}, {"id", message.id}, {"attempt", message.attempts}, {"error", why}});
  }

  HttpRequest request_of(const Delivery& message) const {
    const std::int64_t seconds = system_clock_ms() / 1000;
    return {.url = url_,
            .headers = {{"Content-Type", "application/json"},
                        {"webhook-id", message.id},
                        {"webhook-timestamp", std::to_string(seconds)},
                        {"webhook-signature",
                         webhook_signature(options_.key, message.id, seconds, message.body)}},
            .body = message.body};
  }

  Store& store_;
  const std::string url_;
  const std::string kind_;
  const WebhookOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool has_news_ = false;
  bool is_busy_ = false;
  WebhookFigures figures_;
  std::jthread thread_;  // the last: it uses all of the above
};

class Webhooks::Outbox : public WebhookOutbox {
 public:
  using WebhookOutbox::WebhookOutbox;
};

Webhooks::Webhooks(Store& store, WebhookOptions options) {
  if (options.urls.empty()) return;
  for (const std::string& url : options.urls) {
    receivers_.push_back(std::make_unique<Receiver>(store, options, url));
  }
  outbox_ = std::make_unique<Outbox>(store, options.urls, [this] {
    for (const auto& receiver : receivers_) receiver->look();
  });
}

Webhooks::~Webhooks() = default;

void Webhooks::tell(std::span<const StoredEvent> events) {
  if (outbox_) outbox_->tell(events);
}

void Webhooks::drain(milliseconds time) {
  if (!outbox_) return;
  constexpr milliseconds kStep{10};
  const auto until = std::chrono::steady_clock::now() + time;
  outbox_->look_again();
  const auto is_done = [&] {
    return outbox_->is_idle() && std::ranges::all_of(receivers_, [](const auto& receiver) {
             receiver->look();
             return receiver->has_nothing_due();
           });
  };
  while (!is_done() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kStep);
  }
}

WebhookFigures Webhooks::figures() const {
  WebhookFigures sum;
  for (const auto& receiver : receivers_) {
    const WebhookFigures each = receiver->figures();
    sum.waiting += each.waiting;
    sum.delivered += each.delivered;
    sum.lost += each.lost;
  }
  return sum;
}

}  // namespace wright::server
