#include "net/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/epoll.h>

#include <atomic>
#include <unordered_map>
#include <vector>

#include "net/event_loop.h"
#include "net/http_exchange.h"

namespace wright::net {
namespace {

constexpr std::size_t kSpareHandles = 64;
constexpr long kIdleConnections = 256;

struct MultiCloser {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

void start_curl() {
  static std::once_flag is_started;
  std::call_once(is_started, [] { curl_global_init(CURL_GLOBAL_ALL); });
}

}  // namespace

// Everything here runs in the loop's thread, but for the constructor, start() and cancel().
class HttpClient::Engine {
 public:
  explicit Engine(const Options& options) : options_(options) {
    start_curl();
    multi_.reset(curl_multi_init());
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kIdleConnections);
  }

  ~Engine() {
    loop_.post([this] { end_all(); });
    // The loop ends with its last task, before anything that the task used.
  }

  Exchange start(HttpRequest request, const HttpTimeouts& timeouts,
                 std::shared_ptr<HttpReceiver> receiver) {
    const Exchange number = ++last_exchange_;
    auto exchange = std::make_shared<HttpExchange>(number, std::move(request), timeouts,
                                                   std::move(receiver), options_);
    if (loop_.is_own_thread()) {
      begin(std::move(exchange));
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
  void begin(std::shared_ptr<HttpExchange> exchange) {
    if (auto prepared = exchange->prepare(fresh_handle()); !prepared) {
      exchange->end(std::move(prepared));
      return;
    }
    const Exchange number = exchange->number();
    exchange->on_pace = [this, number] { watch_pace(number); };
    CURL* handle = exchange->handle();
    exchanges_.emplace(number, std::move(exchange));
    watch_pace(number);
    curl_multi_add_handle(multi_.get(), handle);
  }

  // Looks again when the exchange could be too late; bytes that came meanwhile move that moment.
  void watch_pace(Exchange number) {
    const auto found = exchanges_.find(number);
    if (found == exchanges_.end()) return;
    HttpExchange& exchange = *found->second;
    loop_.cancel(exchange.timer);
    exchange.timer = loop_.run_at(exchange.next_check(), [this, number] {
      const auto still_there = exchanges_.find(number);
      if (still_there == exchanges_.end()) return;
      if (auto late = still_there->second->lateness(EventLoop::Clock::now())) {
        end(number, std::unexpected(std::move(*late)));
      } else {
        watch_pace(number);
      }
    });
  }

  void end(Exchange number, Result<void> result) {
    const auto node = exchanges_.extract(number);
    if (node.empty()) return;
    HttpExchange& exchange = *node.mapped();
    loop_.cancel(exchange.timer);
    curl_multi_remove_handle(multi_.get(), exchange.handle());
    keep_handle(exchange.release_handle());
    exchange.end(std::move(result));
  }

  void end_all() {
    while (!exchanges_.empty()) {
      end(exchanges_.begin()->first, fail(ErrorCode::cancelled, "The program is ending"));
    }
    spare_handles_.clear();
    multi_.reset();
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

  void act(curl_socket_t socket, int events) {
    int running = 0;
    curl_multi_socket_action(multi_.get(), socket, events, &running);
    end_finished();
  }

  void end_finished() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      void* of_handle = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &of_handle);
      const auto* exchange = static_cast<const HttpExchange*>(of_handle);
      end(exchange->number(), exchange->result_of(message->data.result));
    }
  }

  static int on_socket(CURL*, curl_socket_t socket, int what, void* engine, void* is_known) {
    auto& self = *static_cast<Engine*>(engine);
    if (what == CURL_POLL_REMOVE) {
      self.loop_.forget(socket);
      return 0;
    }
    const std::uint32_t events =
        ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
    if (is_known != nullptr) {
      self.loop_.change(socket, events);
      return 0;
    }
    self.loop_.watch(socket, events, [&self, socket](std::uint32_t ready) {
      int happened = 0;
      if ((ready & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) happened |= CURL_CSELECT_IN;
      if ((ready & EPOLLOUT) != 0) happened |= CURL_CSELECT_OUT;
      if ((ready & EPOLLERR) != 0) happened |= CURL_CSELECT_ERR;
      self.act(socket, happened);
    });
    curl_multi_assign(self.multi_.get(), socket, engine);
    return 0;
  }

  static int on_timer(CURLM*, long milliseconds, void* engine) {
    auto& self = *static_cast<Engine*>(engine);
    self.loop_.cancel(self.curl_timer_);
    if (milliseconds < 0) return 0;
    self.curl_timer_ =
        self.loop_.run_at(EventLoop::Clock::now() + std::chrono::milliseconds(milliseconds),
                          [&self] { self.act(CURL_SOCKET_TIMEOUT, 0); });
    return 0;
  }

  const Options& options_;
  std::atomic<Exchange> last_exchange_ = 0;
  std::unique_ptr<CURLM, MultiCloser> multi_;
  std::unordered_map<Exchange, std::shared_ptr<HttpExchange>> exchanges_;
  std::vector<CurlHandle> spare_handles_;
  EventLoop::Timer curl_timer_;
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
