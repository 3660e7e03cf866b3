#include "net/whole_response.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/try.h"

namespace wright::net {
namespace {

class Collector : public HttpReceiver {
 public:
  explicit Collector(BodyLimit limit) : limit_(std::move(limit)) {}

  void on_head(HttpResponseHead head) override {
    const std::lock_guard lock(mutex_);
    wanted_ = limit_(head);
    answer_.head = std::move(head);
    if (wanted_ == 0) finish({});
  }

  Result<void> on_body(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    const std::size_t room = wanted_ - answer_.body.size();
    answer_.body += bytes.substr(0, room);
    if (bytes.size() <= room) return {};
    answer_.is_cut = true;
    finish({});
    return fail(ErrorCode::limit_reached, "That is enough");
  }

  void on_end(Result<void> end) override {
    const std::lock_guard lock(mutex_);
    finish(std::move(end));
  }

  Result<WholeResponse> wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return has_ended_; });
    TRY(std::move(end_));
    return std::move(answer_);
  }

 private:
  // The first end counts.
  void finish(Result<void> end) {
    if (!std::exchange(has_ended_, true)) end_ = std::move(end);
    changed_.notify_one();
  }

  BodyLimit limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t wanted_ = 0;
  WholeResponse answer_;
  bool has_ended_ = false;
  Result<void> end_;
};

}  // namespace

Result<WholeResponse> ask_and_wait(HttpClient& client, HttpRequest request,
                                   const HttpTimeouts& timeouts, const BodyLimit& limit,
                                   const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "The request was cancelled");
  // Shared, because the client may still be inside it when this thread leaves.
  const auto collector = std::make_shared<Collector>(limit);
  const HttpClient::Exchange exchange = client.start(std::move(request), timeouts, collector);
  const std::stop_callback on_stop(stop, [&] { client.cancel(exchange); });
  auto answer = collector->wait();
  client.cancel(exchange);  // the rest of it is not wanted
  return answer;
}

}  // namespace wright::net
