// One connection: requests in, responses out, one after the other. Everything but the constructor
// runs in the server's thread of sockets.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http_message/request_parser.h"
#include "http_server/channel.h"
#include "http_server/core.h"
#include "http_server/listening.h"
#include "http_server/server.h"
#include "http_server/tls.h"

namespace wright::http {

// What a responder and its connection share.
struct Exchange {
  const bool has_body = false;
  const bool is_prompt = false;  // see ServerOptions
  std::mutex mutex = {};
  bool is_answered = false;
  bool is_closed = false;
  std::function<void()> when_closed = {};
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Core> core, AcceptedPeer peer, std::unique_ptr<TlsSession> tls);

  void start();
  void read_body(std::size_t most, std::function<void(std::string)> then);
  void send(Response response);
  void begin_stream(Response head, std::shared_ptr<Channel> channel);
  Framing framing() const;
  void flush_stream();
  // Ends it at once, because of a limit.
  void cut();
  void close();
  // Ends it as soon as nothing is under way.
  void drain();

 private:
  enum class State : std::uint8_t {
    idle,       // between requests
    reading,    // the head of a request, or its body
    handling,   // its response is awaited or on its way; or somebody has to ask for its body
    lingering,  // the last response is sent; what the peer still sends is thrown away
    closed,
  };
  enum class Deadline : std::uint8_t { none, idle, head, body, handler, write, heartbeat, linger };
  // Whoever sets it first has the request: the handler that begins, or the connection, which has
  // waited long enough.
  using Turn = std::atomic<bool>;

  void wait_for_bytes();
  void read();
  void take_bytes(std::string_view bytes);
  void peer_is_gone();
  void tell_closed();
  void advance();
  void take_body();
  void leave_body();
  void refuse(int status);
  void handle();
  // Calls `task` in a thread of the handlers, unless that takes too long.
  void hand_over(std::function<void()> task);
  void queue(std::string_view bytes);
  void send_some();
  void all_is_sent();
  void end_of_response();
  void set_deadline(Deadline deadline, std::chrono::milliseconds time);
  void deadline_is_over();
  bool keeps_alive() const;

  const std::shared_ptr<Core> core_;
  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer timer_;
  const std::string peer_;
  const bool is_from_machine_;
  const int peer_port_;
  const std::shared_ptr<PeerUser> peer_user_;  // null: nobody knows
  const std::unique_ptr<TlsSession> tls_;      // null: plain

  State state_ = State::idle;
  Deadline deadline_ = Deadline::none;
  std::string in_;                         // not parsed yet
  std::unique_ptr<RequestParser> parser_;  // until the request was read whole
  std::shared_ptr<Exchange> exchange_;     // once its head was
  std::shared_ptr<Turn> turn_;             // of the request that waits for a handler
  std::function<void(std::string)> on_body_;
  std::shared_ptr<BodyRoom> room_;
  std::shared_ptr<Channel> channel_;  // of a streamed response
  std::string out_;
  std::size_t out_sent_ = 0;   // of `out_`
  std::size_t written_ = 0;    // since the deadline for writing was set
  std::size_t tls_words_ = 0;  // of `out_`: what TLS says of its own accord
  bool is_head_ = false;       // the request wants no body
  bool response_is_whole_ = false;
  bool request_keeps_alive_ = true;
  bool is_version_1_0_ = false;
  bool is_waiting_to_read_ = false;
  bool is_waiting_to_write_ = false;
  bool said_continue_ = false;
  bool peer_has_ended_ = false;
};

}  // namespace wright::http
