// Which requests the client carries itself: plain HTTP to an address that is spelled out, or to
// this machine, written in the usual way. Opens nothing.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "net/http_client.h"

namespace wright::net {

// Of "http://127.0.0.1:8080/v1?a=b". Views of the URL that it was made from.
struct PlainUrl {
  std::string_view authority;  // "127.0.0.1:8080", as a Host header says it
  std::string_view host;       // without brackets
  std::uint16_t port = 80;
  std::string_view target;  // "/v1?a=b"

  // Where the server may be, in the order in which to try.
  std::vector<sockaddr_storage> addresses() const;
};

// Nothing for URLs that another reader might read differently, for names other than localhost, and
// for https.
std::optional<PlainUrl> plain_url_from(std::string_view url);

// Whether method and headers are among those that need nothing but to be sent, and the options ask
// for nothing but a connection. Proxies that the environment names count.
bool is_plain_request(const HttpRequest& request, const HttpClient::Options& options);

}  // namespace wright::net
