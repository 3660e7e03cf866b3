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

// What the answering thread has reported and the waiting thread has not passed on yet.
class Mailbox {
 public:
  void text(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (!news_.empty()) {
      if (auto* last = std::get_if<std::string>(&news_.back())) {
        *last += text;
        return;
      }
    }
    news_.emplace_back(std::string(text));
    changed_.notify_one();
  }

  void retry(const ModelRetry& retry) {
    const std::lock_guard lock(mutex_);
    news_.emplace_back(OwnedRetry{retry.error, std::string(retry.next), retry.wait});
    changed_.notify_one();
  }

  void done(Result<Response> response) {
    const std::lock_guard lock(mutex_);
    response_ = std::move(response);
    changed_.notify_one();
  }

  // Passes on what is reported, until the response is there.
  Result<Response> wait(const ModelCall& call) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return !news_.empty() || response_.has_value(); });
      if (news_.empty()) return std::move(*response_);
      const auto news = std::exchange(news_, {});
      lock.unlock();
      for (const News& one : news) {
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
  using News = std::variant<std::string, OwnedRetry>;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<News> news_;
  std::optional<Result<Response>> response_;
};

}  // namespace

Result<Response> complete_blocking(ModelBackend& backend, const Request& request,
                                   const ModelCall& call) {
  // Shared, because the answering thread may still be inside done() when the waiting one leaves.
  const auto mailbox = std::make_shared<Mailbox>();
  ModelCall forwarded{.stop = call.stop, .trace = call.trace};
  if (call.on_text) forwarded.on_text = [mailbox](std::string_view t) { mailbox->text(t); };
  if (call.on_retry) forwarded.on_retry = [mailbox](const ModelRetry& r) { mailbox->retry(r); };
  backend.start(request, std::move(forwarded),
                [mailbox](Result<Response> response) { mailbox->done(std::move(response)); });
  return mailbox->wait(call);
}

}  // namespace wright::models
