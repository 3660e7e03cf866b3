// Requests that may be sent again: the first answer to a key is every answer to it. Kept in the
// store for a day, so that it holds after a restart and for every server that shares the store.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "server/service.h"

namespace wright::server {

class IdempotentAnswers {
 public:
  explicit IdempotentAnswers(Store& store) : store_(store) {}

  // Calls `answer` unless the same request was answered before. A key that stands for another
  // request is refused (ErrorCode::unsupported), one whose request is under way too
  // (ErrorCode::already_exists); so is one whose server died before it had answered, since nobody
  // knows how far it came. Without a key, every request is a new one. Failures are not kept, nor is
  // what was thrown.
  Answer once(const Call& call, const std::function<Answer()>& answer);

 private:
  Answer repeat(const std::string& key, const std::string& request);
  void forget(const std::string& key);

  Store& store_;
  std::atomic<std::uint64_t> count_ = 0;
};

}  // namespace wright::server
