#include "net/http_client.h"

#include <atomic>
#include <deque>
#include <unordered_map>
#include <utility>

#include "net/curl_transfer.h"
#include "net/event_loop.h"
#include "net/http_exchange.h"
#include "net/plain_transport.h"

namespace wright::net {

// Everything here runs in the loop's thread, except the constructor, start() and cancel().
class HttpClient::Engine final : private ExchangeKeeper {
 public:
  explicit Engine(const Options& options) : options_(options) {}

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

  void begin(std::shared_ptr<HttpExchange> started) {
    HttpExchange& exchange = *started;
    if (auto checked = exchange.check(); !checked) {
      exchange.end(std::move(checked));
      return;
    }
    exchanges_.emplace(exchange.number(), std::move(started));
    if (options_.carrier == Carrier::fitting) exchange.transfer = plain_.transfer(exchange);
    if (exchange.transfer == nullptr) exchange.transfer = curl_.transfer(exchange);
    watch_pace(exchange.number());
    exchange.transfer->begin();  // last: it may end the exchange
  }

  // Checks again when the exchange could be overdue; bytes that arrive meanwhile move that moment.
  void watch_pace(Exchange number) override {
    const auto found = exchanges_.find(number);
    if (found == exchanges_.end()) return;
    HttpExchange& exchange = *found->second;
    const auto next = exchange.next_check();
    // A check that comes too early is followed by another.
    if (exchange.timer.number != 0 && exchange.timer.at <= next) return;
    loop_.cancel(exchange.timer);
    exchange.timer = loop_.run_at(next, [this, number] { check_pace(number); });
  }

  void check_pace(Exchange number) {
    const auto found = exchanges_.find(number);
    if (found == exchanges_.end()) return;
    if (auto late = found->second->lateness(EventLoop::Clock::now())) {
      end(number, std::unexpected(std::move(*late)));
    } else {
      found->second->timer = {};
      watch_pace(number);
    }
  }

  void end(Exchange number, Result<void> result) override {
    const auto node = exchanges_.extract(number);
    if (node.empty()) return;
    HttpExchange& exchange = *node.mapped();
    loop_.cancel(exchange.timer);
    exchange.transfer.reset();
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
    plain_.clear();
    curl_.clear();
  }

  const Options& options_;
  std::atomic<Exchange> last_exchange_ = 0;
  std::deque<std::shared_ptr<HttpExchange>> starting_;  // from the loop's own thread
  std::unordered_map<Exchange, std::shared_ptr<HttpExchange>> exchanges_;
  PlainTransport plain_{loop_, *this};
  CurlTransport curl_{loop_, *this};
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
