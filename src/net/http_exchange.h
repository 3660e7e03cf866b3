// One exchange, whoever carries it: what is sent, what has arrived, and when it is overdue. Lives
// in the client's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/event_loop.h"
#include "net/http_client.h"

namespace wright::net {

class HttpExchange;

// Carries an exchange over the wire. Destroying it ends that, however far it is.
class Transfer {
 public:
  virtual ~Transfer() = default;
  // Once. May end the exchange, and with it this, at once.
  virtual void begin() = 0;
};

// Who keeps exchanges, for those who carry them.
class ExchangeKeeper {
 public:
  // next_check() may have moved closer.
  virtual void watch_pace(std::uint64_t exchange) = 0;
  // Ends the exchange, and destroys its transfer.
  virtual void end(std::uint64_t exchange, Result<void> result) = 0;

 protected:
  ~ExchangeKeeper() = default;
};

class HttpExchange {
 public:
  using Clock = EventLoop::Clock;
  // Of all heads together.
  static constexpr std::size_t kMostHeadBytes = 512 * 1024;

  HttpExchange(std::uint64_t number, HttpRequest request, const HttpTimeouts& timeouts,
               std::shared_ptr<HttpReceiver> receiver, const HttpClient::Options& options);

  std::uint64_t number() const { return number_; }
  HttpRequest& request() { return request_; }
  const HttpRequest& request() const { return request_; }
  const HttpTimeouts& timeouts() const { return timeouts_; }
  const HttpClient::Options& options() const { return options_; }
  // "https://host:port", for messages: paths may carry secrets, hosts do not.
  std::string server() const;
  // Whether it may be sent again although the server may have acted on it.
  bool is_repeatable() const { return request_.method == "GET" || request_.method == "HEAD"; }

  // Refuses what must not be sent, and traces what will be.
  Result<void> check();

  // For those who carry it. There is a connection, and the request goes out: whether for the first
  // time.
  bool tell_sending();
  void tell_head(HttpResponseHead head);
  bool has_told_head() const { return has_told_head_; }
  // False: the receiver wants no more, and error() says why.
  bool tell_body(std::string_view bytes);
  bool has_body() const { return has_body_; }
  // What is said of it when something was too much or took too long.
  Error too_long_head() const;
  std::string no_connection_in_time() const;
  std::string not_finished_in_time() const;
  // The one that ends it whatever else happened.
  std::optional<Error> error;
  // Of the last address to which no connection is allowed.
  std::optional<Error> refusal;

  // Where this client watches them itself: when there must be a connection, and when all must be
  // over.
  Clock::time_point connected_by = Clock::time_point::max();
  Clock::time_point over_by = Clock::time_point::max();

  // When to check again whether it is overdue.
  Clock::time_point next_check() const;
  // The error of an exchange that is overdue by now.
  std::optional<Error> lateness(Clock::time_point now) const;

  void end(Result<void> end);

  EventLoop::Timer timer;  // of next_check()
  std::unique_ptr<Transfer> transfer;

 private:
  Clock::time_point next_byte_by() const;
  void trace(HttpTraceEvent::Kind kind, std::string_view text) const;
  void trace_request() const;

  std::uint64_t number_;
  HttpRequest request_;
  HttpTimeouts timeouts_;
  std::shared_ptr<HttpReceiver> receiver_;
  const HttpClient::Options& options_;
  bool was_sent_ = false;
  bool has_told_head_ = false;
  bool has_body_ = false;
  Clock::time_point last_byte_ = Clock::now();
};

}  // namespace wright::net
