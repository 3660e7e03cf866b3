#include "net/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <atomic>
#include <deque>
#include <unordered_map>
#include <vector>

#include "net/curl_multi.h"
#include "net/event_loop.h"
#include "net/http_exchange.h"

namespace wright::net {
namespace {

constexpr std::size_t kSpareHandles = 64;

void start_curl() {
  static std::once_flag is_started;
  std::call_once(is_started, [] { curl_global_init(CURL_GLOBAL_ALL); });
}

}  // namespace

// Everything here runs in the loop's thread, except the constructor, start() and cancel().
class HttpClient::Engine {
 public:
  explicit Engine(const Options& options) : options_(options) { start_curl(); }

  ~Engine() {
    loop_.post([this] { end_all(); });
    // The loop ends with its last task, before anything the task used is destroyed.
  }

  Exchange start(HttpRequest request, const HttpTimeouts& timeouts,
                 std::shared_ptr<HttpReceiver> receiver) {
    const Exchange number = ++last_exchange_;
    auto exchange = std::make_shared<HttpExchange>(number, std::move(request), timeouts,
                                                   std::move(receiver), options_);
    if (loop_.is_own_thread()) {
      // Not at once: it may fail at once, and the caller may hold what its receiver needs.
      starting_.push_back(std::move(exchange));
      loop_.post([this] { begin_next(); });
    } else {
      loop_.post([this, exchange = std::move(exchange)]() mutable { begin(std::move(exchange)); });
    }
    return number;
  }

  void cancel(Exchange number) {
    loop_.post(
        [this, number] { end(number, fail(ErrorCode::cancelled, "The request was cancelled")); });
  }

  EventLoop& loop() { return loop_; }

 private:
  void begin_next() {
    if (starting_.empty()) return;  // the client is ending
    auto exchange = std::move(starting_.front());
    starting_.pop_front();
    begin(std::move(exchange));
  }

  void begin(std::shared_ptr<HttpExchange> exchange) {
    if (auto prepared = exchange->prepare(fresh_handle()); !prepared) {
      exchange->end(std::move(prepared));
      return;
    }
    const Exchange number = exchange->number();
    exchange->on_pace = [this, number] { watch_pace(number); };
    CURL* handle = exchange->handle();
    CurlMulti& multi = multi_with_room();
    exchanges_.emplace(number, Running{std::move(exchange), multi});
    watch_pace(number);
    multi.add(handle);
  }

  // The first one, so that the later ones stay idle as long as possible.
  CurlMulti& multi_with_room() {
    for (const auto& multi : multis_) {
      if (multi->has_room()) return *multi;
    }
    return *multis_.emplace_back(std::make_unique<CurlMulti>(
        loop_, [this](CURL* handle, CURLcode code) { end_finished(handle, code); }));
  }

  // Checks again when the exchange could be overdue; bytes that arrive meanwhile move that moment.
  void watch_pace(Exchange number) {
    const auto found = exchanges_.find(number);
    if (found == exchanges_.end()) return;
    HttpExchange& exchange = *found->second.exchange;
    loop_.cancel(exchange.timer);
    exchange.timer = loop_.run_at(exchange.next_check(), [this, number] {
      const auto still_there = exchanges_.find(number);
      if (still_there == exchanges_.end()) return;
      if (auto late = still_there->second.exchange->lateness(EventLoop::Clock::now())) {
        end(number, std::unexpected(std::move(*late)));
      } else {
        watch_pace(number);
      }
    });
  }

  void end(Exchange number, Result<void> result) {
    const auto node = exchanges_.extract(number);
    if (node.empty()) return;
    HttpExchange& exchange = *node.mapped().exchange;
    loop_.cancel(exchange.timer);
    node.mapped().multi.remove(exchange.handle());
    keep_handle(exchange.release_handle());
    exchange.end(std::move(result));
  }

  void end_all() {
    while (!exchanges_.empty() || !starting_.empty()) {
      const auto ending = [] { return fail(ErrorCode::cancelled, "The program is ending"); };
      if (!exchanges_.empty()) {
        end(exchanges_.begin()->first, ending());
      } else {
        const auto exchange = std::move(starting_.front());
        starting_.pop_front();
        exchange->end(ending());
      }
    }
    spare_handles_.clear();
    multis_.clear();
  }

  CurlHandle fresh_handle() {
    if (spare_handles_.empty()) return CurlHandle(curl_easy_init());
    CurlHandle handle = std::move(spare_handles_.back());
    spare_handles_.pop_back();
    return handle;
  }

  void keep_handle(CurlHandle handle) {
    if (spare_handles_.size() >= kSpareHandles) return;
    curl_easy_reset(handle.get());
    spare_handles_.push_back(std::move(handle));
  }

  void end_finished(CURL* handle, CURLcode code) {
    void* of_handle = nullptr;
    curl_easy_getinfo(handle, CURLINFO_PRIVATE, &of_handle);
    const auto* exchange = static_cast<const HttpExchange*>(of_handle);
    end(exchange->number(), exchange->result_of(code));
  }

  struct Running {
    std::shared_ptr<HttpExchange> exchange;
    CurlMulti& multi;
  };

  const Options& options_;
  std::atomic<Exchange> last_exchange_ = 0;
  std::vector<std::unique_ptr<CurlMulti>> multis_;
  std::unordered_map<Exchange, Running> exchanges_;
  std::deque<std::shared_ptr<HttpExchange>> starting_;  // from the loop's own thread
  std::vector<CurlHandle> spare_handles_;
  EventLoop loop_;  // last, so that it ends first
};

HttpClient::HttpClient() : HttpClient(Options{}) {}
HttpClient::HttpClient(Options options) : options_(std::move(options)) {}
HttpClient::~HttpClient() = default;

HttpClient::Engine& HttpClient::engine() {
  std::call_once(is_started_, [this] { engine_ = std::make_unique<Engine>(options_); });
  return *engine_;
}

HttpClient::Exchange HttpClient::start(HttpRequest request, const HttpTimeouts& timeouts,
                                       std::shared_ptr<HttpReceiver> receiver) {
  return engine().start(std::move(request), timeouts, std::move(receiver));
}

void HttpClient::cancel(Exchange exchange) {
  engine().cancel(exchange);
}

EventLoop& HttpClient::loop() {
  return engine().loop();
}

}  // namespace wright::net
