#include "models/blocking_call.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

namespace wright::models {
namespace {

struct OwnedText {
  std::string text;
  Text::Phase phase;
};

struct OwnedRetry {
  Error error;
  std::string next;
  std::chrono::milliseconds wait;
};

// What the answering thread has reported and the waiting thread has not passed on yet.
class Mailbox {
 public:
  void text(TextPiece piece) {
    const std::lock_guard lock(mutex_);
    if (!news_.empty()) {
      auto* last = std::get_if<OwnedText>(&news_.back());
      if (last != nullptr && last->phase == piece.phase) {
        last->text += piece.text;
        return;
      }
    }
    news_.emplace_back(OwnedText{std::string(piece.text), piece.phase});
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
        if (const auto* said = std::get_if<OwnedText>(&one)) {
          call.on_text({said->text, said->phase});
        } else {
          const auto& retry = std::get<OwnedRetry>(one);
          call.on_retry({retry.error, retry.next, retry.wait});
        }
      }
      lock.lock();
    }
  }

 private:
  using News = std::variant<OwnedText, OwnedRetry>;

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
  if (call.on_text) forwarded.on_text = [mailbox](TextPiece piece) { mailbox->text(piece); };
  if (call.on_retry) forwarded.on_retry = [mailbox](const ModelRetry& r) { mailbox->retry(r); };
  backend.start(request, std::move(forwarded),
                [mailbox](Result<Response> response) { mailbox->done(std::move(response)); });
  return mailbox->wait(call);
}

}  // namespace wright::models
