#include "providers/request_headers.h"

namespace wright::providers {
namespace {

constexpr std::size_t kLaterHeaders = 2;  // that say which trace a request belongs to

}  // namespace

std::vector<HttpHeader> request_headers(const Endpoint& endpoint, std::vector<HttpHeader> own) {
  std::vector<HttpHeader> headers;
  headers.reserve(1 + own.size() + endpoint.vendor.headers.size() + kLaterHeaders);
  headers.push_back({"content-type", "application/json"});
  for (HttpHeader& header : own) {
    const bool is_replaced = !find_header(endpoint.vendor.headers, header.name).empty();
    if (!header.value.empty() && !is_replaced) headers.push_back(std::move(header));
  }
  headers.insert(headers.end(), endpoint.vendor.headers.begin(), endpoint.vendor.headers.end());
  return headers;
}

HttpHeader bearer(const Endpoint& endpoint) {
  return {"authorization", endpoint.key.empty() ? "" : "Bearer " + endpoint.key, true};
}

}  // namespace wright::providers
