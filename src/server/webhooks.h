// Tells other servers when a session waits for a person or has ended: signed, and again until they
// have taken it. The signature is that of Standard Webhooks (webhook-id, webhook-timestamp,
// webhook-signature), for which every language has a library. What a process has not delivered when
// it ends is lost; the sessions are not.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "wright/events.h"
#include "wright/model.h"

namespace wright::server {

struct WebhookOptions {
  std::vector<std::string> urls = {};
  std::string key = {};  // see webhook_key()
  // Sends a request and waits for the status of its response.
  std::function<Result<int>(HttpRequest, std::stop_token)> send = {};
  // Before each further attempt; after the last one it is given up.
  std::vector<std::chrono::milliseconds> pauses = {
      std::chrono::seconds(1), std::chrono::seconds(5),  std::chrono::seconds(30),
      std::chrono::minutes(2), std::chrono::minutes(10), std::chrono::hours(1)};
  std::size_t most_waiting = 10'000;  // for each URL; more are left out
};

struct WebhookFigures {
  std::size_t waiting = 0;
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;  // given up, refused for good (410), or left out
};

// Thread-safe. Each URL has a thread of its own, so that none waits for another.
class Webhooks {
 public:
  explicit Webhooks(WebhookOptions options);
  ~Webhooks();  // cuts what is under way
  Webhooks(const Webhooks&) = delete;
  Webhooks& operator=(const Webhooks&) = delete;

  // For RuntimeOptions::observer. Never blocks.
  void observe(const Event& event, const EventOrigin& origin);
  // Waits that long until everything was tried once.
  void drain(std::chrono::milliseconds time);
  WebhookFigures figures() const;

 private:
  class Receiver;
  std::vector<std::unique_ptr<Receiver>> receivers_;
};

// The key of a secret: what "whsec_" and base64 stand for, or else the text itself. Refuses what is
// too short to keep a secret.
Result<std::string> webhook_key(std::string_view secret);
// The value of the header webhook-signature.
std::string webhook_signature(std::string_view key, std::string_view id, std::int64_t seconds,
                              std::string_view body);

}  // namespace wright::server
