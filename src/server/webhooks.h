// Tells other servers when a session waits for a person or has ended: signed, and again until they
// have taken it. What is to be told is read from the stored events and kept in the store until it
// was delivered, so that it outlives this process, is the same whoever drives the session, and is
// told once however many servers share the store.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "server/webhook_signature.h"
#include "wright/log.h"
#include "wright/model.h"
#include "wright/store.h"

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
  Logger logger = {};  // is told of each attempt that failed
};

struct WebhookFigures {
  std::size_t waiting = 0;      // in the store; 1,000 of each URL are counted
  std::uint64_t delivered = 0;  // by this process
  std::uint64_t lost = 0;       // given up by this process, or refused for good (410)
};

// Thread-safe. Each URL has a thread of its own, so that none waits for another.
class Webhooks {
 public:
  // Goes on with what was stored since it was told last; the first time, from now on.
  Webhooks(Store& store, WebhookOptions options);
  ~Webhooks();  // cuts what is under way; the store keeps it
  Webhooks(const Webhooks&) = delete;
  Webhooks& operator=(const Webhooks&) = delete;

  // Events that were stored, each once and in their order. Never waits.
  void tell(std::span<const StoredEvent> events);
  // Waits that long until everything that is stored was tried once.
  void drain(std::chrono::milliseconds time);
  WebhookFigures figures() const;

 private:
  class Outbox;
  class Receiver;
  std::vector<std::unique_ptr<Receiver>> receivers_;
  std::unique_ptr<Outbox> outbox_;  // the last: it wakes receivers. Null without URLs
};

}  // namespace wright::server
