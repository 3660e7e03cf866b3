#include "server/webhooks.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "server/tokens.h"
#include "wright/store.h"

namespace wright::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kSecretPrefix = "whsec_";
constexpr std::size_t kShortestKey = 16;
constexpr int kGone = 410;

std::string base64_of(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  if (length < 0) return std::nullopt;
  const auto padding = static_cast<std::size_t>(std::ranges::count(text, '='));
  bytes.resize(static_cast<std::size_t>(length) - std::min<std::size_t>(padding, 2));
  return bytes;
}

Json waits_json(const RunWaiting& waiting) {
  JsonArray waits;
  for (const PersonWait& wait : waiting.waits) {
    waits.push_back({{"id", wait.wait_id},
                     {"session_id", wait.session_id},
                     {"kind", to_string(wait.kind)},
                     {"tool", wait.call.name}});
  }
  return waits;
}

// What is told of an event; nothing of most. What was said stays where it is: it may be secret.
std::optional<Json> message_of(const Event& event, const EventOrigin& origin) {
  JsonObject data{{"session_id", origin.session_id}, {"agent", origin.agent}};
  std::string_view type;
  if (const auto* waiting = std::get_if<RunWaiting>(&event)) {
    type = "session.waiting";
    data["waits"] = waits_json(*waiting);
  } else if (const auto* ended = std::get_if<RunEnded>(&event)) {
    type = "session.ended";
    data["phase"] = to_string(ended->phase);
    data["error"] = ended->error != nullptr ? Json(to_string(ended->error->code)) : Json(nullptr);
  } else {
    return std::nullopt;
  }
  return Json{{"type", type}, {"timestamp", origin.time_ms}, {"data", std::move(data)}};
}

}  // namespace

Result<std::string> webhook_key(std::string_view secret) {
  std::optional<std::string> key(secret);
  if (secret.starts_with(kSecretPrefix)) key = from_base64(secret.substr(kSecretPrefix.size()));
  if (key && key->size() >= kShortestKey) return std::move(*key);
  return fail(ErrorCode::invalid_argument,
              fmt::format("The secret of webhooks has at least {} bytes; whsec_ is followed by "
                          "base64. One is made by: echo whsec_$(openssl rand -base64 24)",
                          kShortestKey));
}

std::string webhook_signature(std::string_view key, std::string_view id, std::int64_t seconds,
                              std::string_view body) {
  const std::string text = fmt::format("{}.{}.{}", id, seconds, body);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return "v1," + base64_of({reinterpret_cast<const char*>(digest), size});
}

// One URL: what waits for it, and the thread that sends it.
class Webhooks::Receiver {
 public:
  Receiver(const WebhookOptions& options, std::string url)
      : url_(std::move(url)),
        options_(options),
        thread_([this](std::stop_token stop) { send_all(stop); }) {}

  void add(const std::string& id, const std::string& body) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= options_.most_waiting) {
      ++figures_.lost;
      return;
    }
    waiting_.push_back({id, body, Clock::now(), 0});
    changed_.notify_all();
  }

  void drain(Clock::time_point until) {
    std::unique_lock lock(mutex_);
    tried_.wait_until(lock, until, [&] {
      return std::ranges::all_of(waiting_, [](const Delivery& each) { return each.attempts > 0; });
    });
  }

  WebhookFigures figures() const {
    const std::lock_guard lock(mutex_);
    WebhookFigures figures = figures_;
    figures.waiting = waiting_.size();
    return figures;
  }

 private:
  struct Delivery {
    std::string id;
    std::string body;
    Clock::time_point due;
    std::size_t attempts = 0;
  };

  void send_all(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      const auto next = std::ranges::min_element(waiting_, {}, &Delivery::due);
      if (next == waiting_.end()) {
        changed_.wait(lock, stop, [&] { return !waiting_.empty(); });
      } else if (next->due > Clock::now()) {
        const std::size_t known = waiting_.size();
        changed_.wait_until(lock, stop, next->due, [&] { return waiting_.size() != known; });
      } else {
        // Only this thread takes something out, so the place stays.
        const HttpRequest request = request_of(*next);
        lock.unlock();
        const auto status = options_.send(request, stop);
        lock.lock();
        settle(next, status);
        tried_.notify_all();
      }
    }
  }

  HttpRequest request_of(const Delivery& delivery) const {
    const std::int64_t seconds = system_clock_ms() / 1000;
    return {.url = url_,
            .headers = {{"Content-Type", "application/json"},
                        {"webhook-id", delivery.id},
                        {"webhook-timestamp", std::to_string(seconds)},
                        {"webhook-signature",
                         webhook_signature(options_.key, delivery.id, seconds, delivery.body)}},
            .body = delivery.body};
  }

  // With the mutex held.
  void settle(std::list<Delivery>::iterator delivery, const Result<int>& status) {
    const bool is_taken = status && *status >= 200 && *status < 300;
    const bool is_over =
        (status && *status == kGone) || delivery->attempts >= options_.pauses.size();
    if (is_taken || is_over) {
      ++(is_taken ? figures_.delivered : figures_.lost);
      waiting_.erase(delivery);
      return;
    }
    delivery->due = Clock::now() + options_.pauses[delivery->attempts];
    ++delivery->attempts;
  }

  const std::string url_;
  const WebhookOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::condition_variable tried_;
  std::list<Delivery> waiting_;
  WebhookFigures figures_;
  std::jthread thread_;  // the last: it uses all of the above
};

Webhooks::Webhooks(WebhookOptions options) {
  for (const std::string& url : options.urls) {
    receivers_.push_back(std::make_unique<Receiver>(options, url));
  }
}

Webhooks::~Webhooks() = default;

void Webhooks::observe(const Event& event, const EventOrigin& origin) {
  if (receivers_.empty() || origin.depth != 0 || origin.session_id == 0) return;
  const auto message = message_of(event, origin);
  if (!message) return;
  const std::string id = "msg_" + random_token().substr(0, 32);
  const std::string body = to_text(*message);
  for (const auto& receiver : receivers_) receiver->add(id, body);
}

void Webhooks::drain(std::chrono::milliseconds time) {
  const Clock::time_point until = Clock::now() + time;
  for (const auto& receiver : receivers_) receiver->drain(until);
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
