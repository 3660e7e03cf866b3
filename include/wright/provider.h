// The wire protocols of the vendors, as pure functions: a Request becomes an HttpRequest, and the
// bytes that come back become a Response. Nothing here opens a socket, waits or reads a clock.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "wright/catalogue.h"
#include "wright/http.h"
#include "wright/request.h"

namespace wright {

// The HTTP request for `endpoint`. Fails where the protocol cannot express the request (an image
// for a model that reads none).
Result<HttpRequest> encode(const Endpoint& endpoint, const Request& request, Delivery delivery);

// Reads the body of one successful response (status 2xx), as it arrives.
class ResponseDecoder {
 public:
  using TextSink = std::function<void(std::string_view)>;

  virtual ~ResponseDecoder() = default;

  // The next bytes, cut anywhere. `on_text` gets text as it arrives, whole UTF-8 characters only;
  // it may be empty. After an error nothing more can be fed.
  virtual Result<void> feed(std::string_view bytes, const TextSink& on_text) = 0;

  // The body has ended. An incomplete response is the error answer_cut, whatever was read of it. A
  // response that the vendor itself ended early is a Response with the stop reason max_tokens or
  // content_filter; a call that was being written then has arguments that are not a JSON object, or
  // none. `on_text` gets the text that is certain only now: after that, it has had all text of the
  // Response.
  virtual Result<Response> finish(const TextSink& on_text = {}) = 0;
};

// `request` is the one that was encoded: its tools' names come back as they are there.
std::unique_ptr<ResponseDecoder> make_decoder(const Endpoint& endpoint, const Request& request);

// What a response with a status other than 2xx means. The message contains the vendor's words and
// what to do; the detail is JSON {vendor, status, code?, request_id?, retry_after_ms?}.
Error error_from(const Endpoint& endpoint, const HttpResponseHead& head, std::string_view body);

}  // namespace wright
