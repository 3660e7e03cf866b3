// The HTTP client: connections of its own for plain HTTP nearby and libcurl's multi interface for
// the rest, on one event loop. It moves bytes and watches the clock; what the bytes mean, and
// whether to try again, is decided elsewhere.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "wright/error.h"
#include "wright/model.h"

namespace wright::net {

class EventLoop;

// Receives one exchange. Called in the client's thread, so it must be quick and must not throw.
// Never called from within start(): whoever starts an exchange may hold a lock that these take.
class HttpReceiver {
 public:
  virtual ~HttpReceiver() = default;
  // There is a connection, and the request goes out. An exchange that ends with an error after
  // this may have been acted upon; one that ends before has not.
  virtual void on_sending() {}
  virtual void on_head(HttpResponseHead head) = 0;
  // An error ends the exchange with that error.
  virtual Result<void> on_body(std::string_view bytes) = 0;
  // Exactly once, after everything else.
  virtual void on_end(Result<void> end) = 0;
  // Whether the bodies of the request and of its response hold secrets: they are not traced then.
  virtual bool is_secret() const { return false; }
};

// What goes over the wire, for debugging. Secret headers are masked before they get here.
struct HttpTraceEvent {
  enum class Kind : std::uint8_t { request, response_head, response_body, end };
  std::uint64_t exchange;
  Kind kind;
  std::string_view text;
};

// Whether compression is asked for. Bodies arrive decompressed in any case: some servers compress
// what they were told not to.
enum class Compression : std::uint8_t { refused, accepted };

// Who carries exchanges: libcurl all of them, or only those that are not plain HTTP/1.1 to an
// address that is spelled out or to this machine. It makes no difference to what is sent and
// received.
enum class Carrier : std::uint8_t { fitting, libcurl };

class HttpClient {
 public:
  struct Options {
    std::string user_agent = "wright";
    std::string ca_file = {};  // empty: the system's
    std::function<void(const HttpTraceEvent&)> trace = {};
    // Absent: what http_proxy, https_proxy, all_proxy and no_proxy say; empty: none.
    std::optional<std::string> proxy = {};
    Compression compression = Compression::refused;
    Carrier carrier = Carrier::fitting;
    // Called in the client's thread with every address before a connection for this URL is opened
    // to it; an error refuses it. Through a proxy, that is the proxy's address.
    std::function<Result<void>(std::string_view url, const sockaddr& address)> may_connect = {};
  };
  using Exchange = std::uint64_t;

  // Costs nothing; the thread, libcurl and the certificates come with the first exchange.
  HttpClient();
  explicit HttpClient(Options options);
  // Ends every exchange as cancelled. Must not run in the client's own thread.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // From any thread. `request` is sent as it is; redirects are returned, not followed. It is sent
  // once: whether to try again is the caller's decision. Only GET and HEAD, which do nothing, are
  // repeated on a fresh connection when one that was kept turns out to be closed.
  Exchange start(HttpRequest request, const HttpTimeouts& timeouts,
                 std::shared_ptr<HttpReceiver> receiver);

  // From any thread: closes the exchange at once, which then ends as cancelled. One that has ended
  // is left alone.
  void cancel(Exchange exchange);

  // The client's thread, for work that accompanies exchanges, such as waiting before a retry.
  EventLoop& loop();

 private:
  class Engine;
  Engine& engine();

  Options options_;
  std::once_flag is_started_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace wright::net
