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
  Answer answered = answer();
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  if (found == known_.end()) return answered;
  if (answered && *answered) {
    found->second.response = **answered;
  } else {
    known_.erase(found);
    std::erase(oldest_, key);
  }
  return answered;
}

}  // namespace wright::server
