// Answers of one server that hold for a while, by its own word (`ttlMs` of 2026-07-28). They are
// those of one connection, so that what the server calls private stays with whom it was told to.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "wright/json.h"

namespace wright::mcp_client {

// Thread-safe. Keeps a bounded number of answers of a bounded size.
class AnswerCache {
 public:
  using Clock = std::chrono::steady_clock;

  // What was kept for the key, while it holds and nothing has changed since: `version` rises with
  // every change.
  std::optional<Json> find(std::string_view key, std::uint64_t version,
                           Clock::time_point now = Clock::now());
  void keep(std::string key, std::uint64_t version, Clock::time_point until, Json answer);
  // Also when that is over. Nothing: nothing is known of it.
  std::optional<Clock::time_point> holds_until(std::string_view key);

 private:
  struct Kept {
    std::uint64_t version = 0;
    Clock::time_point until = {};
    Json answer = {};  // null: it is too large to be kept
  };
  std::mutex mutex_;
  std::map<std::string, Kept, std::less<>> kept_;
};

}  // namespace wright::mcp_client
