#include "mcp_server/http_adapter.h"

#include <mutex>
#include <optional>
#include <utility>

namespace wright::mcp_server {
namespace {

constexpr std::string_view kPath = "/mcp";

class ResponderReply : public HttpReply {
 public:
  explicit ResponderReply(http::Responder responder) : responder_(std::move(responder)) {}

  void send(int status, std::vector<HttpHeader> headers, std::string body) override {
    responder_.send({.status = status, .headers = std::move(headers), .body = std::move(body)});
  }
  void begin_stream(std::vector<HttpHeader> headers) override {
    http::Stream stream =
        responder_.stream({.headers = std::move(headers)}, {.heartbeat = ": \n\n"});
    const std::lock_guard lock(mutex_);
    stream_ = std::move(stream);
    if (closed_) stream_->when_closed(closed_);
  }
  bool write(std::string bytes) override {
    const std::lock_guard lock(mutex_);
    return stream_ && stream_->write(std::move(bytes));
  }
  void end() override {
    const std::lock_guard lock(mutex_);
    if (stream_) stream_->end();
  }
  void when_closed(std::function<void()> then) override {
    const std::lock_guard lock(mutex_);
    closed_ = then;
    responder_.when_closed(std::move(then));
  }

 private:
  http::Responder responder_;
  std::mutex mutex_;
  std::optional<http::Stream> stream_;
  std::function<void()> closed_;
};

}  // namespace

void answer_over_http(HttpEndpoint& endpoint, http::Request request, http::Responder responder,
                      HttpCaller caller) {
  endpoint.handle({.method = std::move(request.method),
                   .headers = std::move(request.headers),
                   .body = std::move(request.body),
                   .principal = std::move(caller.principal),
                   .rights = caller.rights,
                   .is_admitted = std::move(caller.is_admitted)},
                  std::make_shared<ResponderReply>(std::move(responder)));
}

http::Handler mcp_handler(std::shared_ptr<HttpEndpoint> endpoint) {
  constexpr std::size_t kMostBody = std::size_t{32} << 20;
  return http::with_body(kMostBody, [endpoint = std::move(endpoint)](http::Request request,
                                                                     http::Responder responder) {
    if (request.path == kPath) {
      return answer_over_http(*endpoint, std::move(request), std::move(responder));
    }
    // Clients look for well-known documents and want JSON, whatever the answer.
    responder.send({.status = 404,
                    .headers = {{"Content-Type", "application/json"}},
                    .body = R"({"error":"not_found"})"});
  });
}

}  // namespace wright::mcp_server
