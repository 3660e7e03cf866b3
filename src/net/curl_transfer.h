// An exchange carried by libcurl: https, proxies, names that have to be looked up, and whatever is
// unusual. Lives in the client's thread.
#pragma once

#include <curl/curl.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "net/curl_multi.h"
#include "net/http_exchange.h"

namespace wright::net {

struct CurlHandleCloser {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using CurlHandle = std::unique_ptr<CURL, CurlHandleCloser>;

struct CurlListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, CurlListCloser>;

// What all exchanges over libcurl share. Costs nothing, and does not touch libcurl, before the
// first of them.
class CurlTransport {
 public:
  CurlTransport(EventLoop& loop, ExchangeKeeper& keeper) : loop_(loop), keeper_(keeper) {}
  // No transfer may be left.
  ~CurlTransport();
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  std::unique_ptr<Transfer> transfer(HttpExchange& exchange);
  // Closes all connections.
  void clear();

 private:
  friend class CurlTransfer;
  CurlHandle fresh_handle();
  void keep_handle(CurlHandle handle);
  CurlMulti& multi_with_room();

  EventLoop& loop_;
  ExchangeKeeper& keeper_;
  std::vector<std::unique_ptr<CurlMulti>> multis_;
  std::vector<CurlHandle> spare_handles_;
};

class CurlTransfer final : public Transfer {
 public:
  CurlTransfer(CurlTransport& transport, HttpExchange& exchange)
      : transport_(transport), exchange_(exchange) {}
  ~CurlTransfer() override;

  void begin() override;
  // libcurl says that it is over.
  void finish(CURLcode code);

 private:
  Result<void> prepare();
  Result<void> add_headers();
  Result<void> result_of(CURLcode code) const;
  bool is_tunnel_refused() const;
  bool is_through_proxy(std::string_view reason) const;
  static int before_request(void* transfer, char*, char*, int, int);
  bool may_send();
  static curl_socket_t open_socket(void* transfer, curlsocktype, curl_sockaddr* address);
  static std::size_t take_header(char* bytes, std::size_t, std::size_t count, void* transfer);
  static std::size_t take_body(char* bytes, std::size_t, std::size_t count, void* transfer);
  bool header_line(std::string_view line);
  bool take(std::string_view bytes);

  CurlTransport& transport_;
  HttpExchange& exchange_;
  CurlMulti* multi_ = nullptr;  // once it has begun
  CurlHandle handle_;
  CurlList headers_;
  HttpResponseHead head_;
  std::size_t head_bytes_ = 0;  // of all heads together
  bool is_resend_refused_ = false;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace wright::net
