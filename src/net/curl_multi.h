// A set of exchanges that share connections: libcurl's multi handle in an event loop. libcurl looks
// through all connections of a set whenever an exchange begins or ends, so a set is kept small, and
// a client has as many as it needs.
#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <functional>
#include <memory>

#include "net/event_loop.h"

namespace wright::net {

// Everything here runs in the loop's thread, except the constructor.
class CurlMulti {
 public:
  using OnDone = std::function<void(CURL*, CURLcode)>;

  CurlMulti(EventLoop& loop, OnDone on_done);
  ~CurlMulti();  // nothing may be left in it
  CurlMulti(const CurlMulti&) = delete;
  CurlMulti& operator=(const CurlMulti&) = delete;

  // `on_done` is called when the exchange has ended by itself, and may remove it.
  void add(CURL* handle);
  void remove(CURL* handle);
  bool has_room() const { return count_ < kMost; }

 private:
  static constexpr std::size_t kMost = 256;

  struct Closer {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };

  void act(curl_socket_t socket, int events);
  static int on_socket(CURL* handle, curl_socket_t socket, int what, void* multi, void* is_known);
  static int on_timer(CURLM* multi, long milliseconds, void* self);

  EventLoop& loop_;
  const OnDone on_done_;
  std::unique_ptr<CURLM, Closer> multi_;
  std::size_t count_ = 0;
  EventLoop::Timer timer_;
};

}  // namespace wright::net
