// One exchange on a libcurl easy handle: what is sent, what arrived, and when it is overdue. Lives
// in the client's thread.
#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "net/event_loop.h"
#include "net/http_client.h"

namespace wright::net {

struct CurlHandleCloser {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using CurlHandle = std::unique_ptr<CURL, CurlHandleCloser>;

struct CurlListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, CurlListCloser>;

class HttpExchange {
 public:
  HttpExchange(std::uint64_t number, HttpRequest request, const HttpTimeouts& timeouts,
               std::shared_ptr<HttpReceiver> receiver, const HttpClient::Options& options);

  // Prepares `handle`, which must be fresh or reset. Refuses what must not be sent.
  Result<void> prepare(CurlHandle handle);

  std::uint64_t number() const { return number_; }
  CURL* handle() const { return handle_.get(); }
  CurlHandle release_handle() { return std::move(handle_); }

  // When to check again whether bytes still arrive.
  EventLoop::Clock::time_point next_check() const;
  // The error of an exchange that is overdue by now.
  std::optional<Error> lateness(EventLoop::Clock::time_point now) const;

  // What libcurl's result means.
  Result<void> result_of(CURLcode code) const;
  bool is_tunnel_refused() const;
  bool is_through_proxy(std::string_view reason) const;
  void end(Result<void> end);

  EventLoop::Timer timer;         // of next_check()
  std::function<void()> on_pace;  // called when next_check() moved closer

 private:
  static int before_request(void* exchange, char*, char*, int, int);
  bool may_send();
  static curl_socket_t open_socket(void* exchange, curlsocktype, curl_sockaddr* address);
  static std::size_t take_header(char* bytes, std::size_t, std::size_t count, void* exchange);
  static std::size_t take_body(char* bytes, std::size_t, std::size_t count, void* exchange);
  bool header_line(std::string_view line);
  bool body(std::string_view bytes);
  void trace(HttpTraceEvent::Kind kind, std::string_view text) const;
  void trace_request() const;

  std::uint64_t number_;
  HttpRequest request_;
  HttpTimeouts timeouts_;
  std::shared_ptr<HttpReceiver> receiver_;
  const HttpClient::Options& options_;
  CurlHandle handle_;
  CurlList headers_;
  HttpResponseHead head_;
  std::size_t head_bytes_ = 0;  // of all heads together
  bool was_sent_ = false;
  bool is_resend_refused_ = false;
  bool has_told_head_ = false;
  bool has_body_ = false;
  std::optional<Error> receiver_error_;
  std::optional<Error> refusal_;  // of the last address to which no connection is allowed
  EventLoop::Clock::time_point last_byte_ = EventLoop::Clock::now();
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace wright::net
