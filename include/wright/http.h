// HTTP as values: what is to be sent, and the head of what came back. Nothing here opens a socket.
#pragma once

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

}  // namespace wright
