// Requests that may be sent again: the first answer to a key is every answer to it. Kept in memory,
// for as long as the process lives and there is room. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "server/service.h"

namespace wright::server {

class IdempotentAnswers {
 public:
  explicit IdempotentAnswers(std::size_t most = 10'000) : most_(most) {}

  // Calls `answer` unless the same request was answered before. A key that stands for another
  // request is refused (ErrorCode::unsupported), one whose request is under way too
  // (ErrorCode::already_exists). Without a key, every request is a new one. Failures are not kept,
  // nor is what was thrown.
  Answer once(const Call& call, const std::function<Answer()>& answer);

 private:
  void forget(const std::string& key);

  struct Known {
    std::string request;  // what it was said with, hashed
    std::optional<http::Response> response;
  };
  const std::size_t most_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;
  std::deque<std::string> oldest_;
};

}  // namespace wright::server
