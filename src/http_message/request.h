// A request as a server sees it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/model.h"

namespace wright::http {

struct Request {
  std::string method = {};  // "GET"
  std::string target = {};  // as it was sent: "/a%20b?c=d"
  std::string path = {};    // the target before the query, percent-decoded: "/a b"
  std::string query = {};   // what follows '?', as it was sent
  std::vector<HttpHeader> headers = {};
  std::string body = {};
  std::string peer = {};  // "127.0.0.1", "::1", "unix"
  int peer_port = 0;
  bool is_from_machine = false;  // over a loopback address or a Unix socket
  // The user whose program sends it, as the kernel says now; see peer_user.h. Empty where it is not
  // from this machine. May read a file; any thread.
  std::function<std::optional<unsigned>()> peer_user = {};
  // Whether that program is as free as this process, and not one that it has confined or started;
  // see peer_process.h. Empty, and slow the first time, like the one above.
  std::function<bool()> peer_is_free = {};

  // The value of the first header of that name, whatever its case; empty when there is none.
  std::string_view header(std::string_view name) const { return find_header(headers, name); }
  // The decoded value of a parameter of the query; absent when it is not there.
  std::optional<std::string> parameter(std::string_view name) const;
};

// "a%20b+c" → "a b+c"; nothing where the encoding is broken.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace wright::http
