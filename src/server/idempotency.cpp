#include "server/idempotency.h"

#include <utility>

#include "server/tokens.h"

namespace wright::server {

Answer IdempotentAnswers::once(const Call& call, const std::function<Answer()>& answer) {
  const std::string given(call.request.header("Idempotency-Key"));
  if (given.empty()) return answer();
  const std::string key = call.caller.name + "\n" + given;
  const std::string request = sha256_hex(call.request.target + "\n" + call.request.body);
  {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = known_.try_emplace(key, Known{request, std::nullopt});
    if (!is_new && found->second.request != request) {
      return fail(ErrorCode::unsupported,
                  "This Idempotency-Key stands for another request: take a new one");
    }
    if (!is_new && !found->second.response) {
      return fail(ErrorCode::already_exists, "The first request with this key is still under way");
    }
    if (!is_new) {
      http::Response again = *found->second.response;
      again.headers.push_back({"Idempotent-Replay", "true"});
      return again;
    }
    oldest_.push_back(key);
    if (oldest_.size() > most_) {
      known_.erase(oldest_.front());
      oldest_.pop_front();
    }
  }
  // However it ends: a key is under way only as long as somebody works on it.
  Answer answered = std::nullopt;
  try {
    answered = answer();
  } catch (...) {
    forget(key);
    throw;
  }
  if (!answered || !*answered) {
    forget(key);
    return answered;
  }
  const std::lock_guard lock(mutex_);
  if (const auto found = known_.find(key); found != known_.end()) {
    found->second.response = **answered;
  }
  return answered;
}

void IdempotentAnswers::forget(const std::string& key) {
  const std::lock_guard lock(mutex_);
  known_.erase(key);
  std::erase(oldest_, key);
}

}  // namespace wright::server
