// HTTP as values: a request, and the head of its response. Nothing here opens a socket.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace wright {

struct HttpHeader {
  std::string name = {};
  std::string value = {};
  bool is_secret = false;  // never shown, logged or traced
  bool operator==(const HttpHeader&) const = default;
};

// The value of the first header of that name, whatever its case; empty when there is none.
std::string_view find_header(const std::vector<HttpHeader>& headers, std::string_view name);

struct HttpRequest {
  std::string url = {};
  std::vector<HttpHeader> headers = {};
  std::string body = {};
  std::string method = "POST";
};

struct HttpResponseHead {
  int status = 0;
  std::vector<HttpHeader> headers = {};
};

struct HttpTimeouts {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds first_byte{600'000};  // until the first byte of the body
  std::chrono::milliseconds idle{120'000};        // between bytes of the body
  std::chrono::milliseconds total{1'800'000};
  bool operator==(const HttpTimeouts&) const = default;
};

}  // namespace wright
