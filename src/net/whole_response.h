// One exchange from beginning to end, for a thread that has nothing to do but wait for it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "net/http_client.h"

namespace wright::net {

struct WholeResponse {
  HttpResponseHead head = {};
  std::string body = {};
  bool is_cut = false;  // there would have been more
};

// How many bytes of the body are wanted, given the head. With 0 the exchange ends there.
using BodyLimit = std::function<std::size_t(const HttpResponseHead& head)>;

// Blocks until the response has arrived, or its wanted part, or it has failed, or `stop` is
// requested. Must not run in the client's own thread.
Result<WholeResponse> ask_and_wait(HttpClient& client, HttpRequest request,
                                   const HttpTimeouts& timeouts, const BodyLimit& limit,
                                   const std::stop_token& stop);

}  // namespace wright::net
