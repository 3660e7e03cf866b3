// An exchange over plain HTTP/1.1 that the client carries itself: a request that is written to a
// socket, and a response that is read from it. Lives in the client's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http_message/gzip.h"
#include "http_message/response_parser.h"
#include "net/http_exchange.h"
#include "net/plain_transport.h"
#include "net/plain_url.h"

namespace wright::net {

class PlainTransfer final : public Transfer, private http::ResponseSink {
 public:
  // `url` is of the exchange's request.
  PlainTransfer(PlainTransport& transport, HttpExchange& exchange, const PlainUrl& url);
  // Closes the connection, unless it was given back.
  ~PlainTransfer() override = default;

  void begin() override;
  // Of its connection.
  void on_ready(std::uint32_t epoll_events);

 private:
  // Each of these may end the exchange, and with it this: nothing follows them.
  void connect_anew();
  void connect();  // to the next address that is left
  void take_connection();
  void send();
  void receive();
  void take_parsed();
  void end_without_answer(std::string_view reason);  // before a byte of the response
  void finish();
  void break_off(std::string_view reason);
  void end(Result<void> result);

  bool open_next();
  std::string head_text() const;
  std::string_view body() const;

  void on_head(HttpResponseHead head) override;
  bool on_body(std::string_view bytes) override;
  Error not_unpacked(std::string_view reason) const;

  PlainTransport& transport_;
  HttpExchange& exchange_;
  const PlainUrl url_;
  std::unique_ptr<PlainConnection> connection_;
  std::vector<sockaddr_storage> addresses_;  // while it connects: those not tried yet, last first
  HttpExchange::Clock::time_point began_;    // to connect
  std::string head_;                         // of the request, until it was sent
  std::size_t sent_ = 0;                     // of head and body
  bool is_connecting_ = false;
  bool is_all_sent_ = false;
  int send_fault_ = 0;
  std::unique_ptr<http::ResponseParser> parser_;  // from the first byte of the response
  std::unique_ptr<http::GzipReader> gzip_;
  bool has_packed_ = false;  // some of what it reads has come
  std::string odd_encoding_;
};

}  // namespace wright::net
