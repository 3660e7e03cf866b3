#include "models/blocking_call.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

namespace wright::models {
namespace {

struct OwnedRetry {
  Error error;
  std::string next;
  std::chrono::milliseconds wait;
};

// What the answering thread tells and the waiting thread has not heard yet.
class Mailbox {
 public:
  void text(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (!told_.empty()) {
      if (auto* last = std::get_if<std::string>(&told_.back())) {
        *last += text;
        return;
      }
    }
    told_.emplace_back(std::string(text));
    changed_.notify_one();
  }

  void retry(const ModelRetry& retry) {
    const std::lock_guard lock(mutex_);
    told_.emplace_back(OwnedRetry{retry.error, std::string(retry.next), retry.wait});
    changed_.notify_one();
  }

  void done(Result<Response> response) {
    const std::lock_guard lock(mutex_);
    response_ = std::move(response);
    changed_.notify_one();
  }

  // Hands on what is told, until the answer is there.
  Result<Response> wait(const ModelCall& call) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return !told_.empty() || response_.has_value(); });
      if (told_.empty()) return std::move(*response_);
      const auto told = std::exchange(told_, {});
      lock.unlock();
      for (const Told& one : told) {
        if (const auto* text = std::get_if<std::string>(&one)) {
          call.on_text(*text);
        } else {
          const auto& retry = std::get<OwnedRetry>(one);
          call.on_retry({retry.error, retry.next, retry.wait});
        }
      }
      lock.lock();
    }
  }

 private:
  using Told = std::variant<std::string, OwnedRetry>;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Told> told_;
  std::optional<Result<Response>> response_;
};

}  // namespace

Result<Response> complete_blocking(ModelBackend& backend, const Request& request,
                                   const ModelCall& call) {
  // Shared, because the answering thread may still be inside done() when the waiting one leaves.
  const auto mailbox = std::make_shared<Mailbox>();
  ModelCall handed_over{.stop = call.stop};
  if (call.on_text) handed_over.on_text = [mailbox](std::string_view t) { mailbox->text(t); };
  if (call.on_retry) handed_over.on_retry = [mailbox](const ModelRetry& r) { mailbox->retry(r); };
  backend.start(request, std::move(handed_over),
                [mailbox](Result<Response> response) { mailbox->done(std::move(response)); });
  return mailbox->wait(call);
}

}  // namespace wright::models
