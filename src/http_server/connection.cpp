#include "http_server/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "http_server/responder.h"
#include "http_server/response_text.h"

namespace wright::http {
namespace {

using boost::asio::posix::descriptor_base;
using std::chrono::milliseconds;

constexpr std::size_t kMostPipelined = 64 * 1024;
constexpr std::size_t kMostTlsWords = 256 * 1024;
constexpr int kReadsInARow = 4;  // then it is another connection's turn
constexpr milliseconds kLingerTime{1'000};

}  // namespace

Connection::Connection(std::shared_ptr<Core> core, AcceptedPeer peer,
                       std::unique_ptr<TlsSession> tls)
    : core_(std::move(core)),
      socket_(core_->io, peer.descriptor.release()),
      timer_(core_->io),
      peer_(std::move(peer.name)),
      is_from_machine_(peer.is_from_machine),
      peer_port_(peer.port),
      peer_user_(std::move(peer.user)),
      tls_(std::move(tls)) {}

void Connection::start() {
  set_deadline(Deadline::idle, core_->options.header_time);
  read();
}

void Connection::wait_for_bytes() {
  if (state_ == State::closed || is_waiting_to_read_ || peer_has_ended_) return;
  if (state_ == State::handling && in_.size() >= kMostPipelined) return;
  is_waiting_to_read_ = true;
  socket_.async_wait(descriptor_base::wait_read,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       self->is_waiting_to_read_ = false;
                       if (!error) self->read();
                     });
}

void Connection::read() {
  char buffer[16 * 1024];
  for (int i = 0; i < kReadsInARow && state_ != State::closed; ++i) {
    const ssize_t count = ::recv(socket_.native_handle(), buffer, sizeof(buffer), 0);
    if (count == 0) return peer_is_gone();
    if (count < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return close();
      break;
    }
    take_bytes({buffer, static_cast<std::size_t>(count)});
    if (static_cast<std::size_t>(count) < sizeof(buffer)) break;
  }
  wait_for_bytes();
}

void Connection::take_bytes(std::string_view bytes) {
  if (state_ == State::lingering) return;
  if (!tls_) {
    in_ += bytes;
    return advance();
  }
  auto plain = tls_->opened(bytes);
  const std::size_t before = out_.size();
  queue({});
  tls_words_ += out_.size() - before;
  send_some();
  if (!plain) return close();
  if (tls_words_ > kMostTlsWords) return cut();  // it asks and asks, and reads no answer
  in_ += *plain;
  advance();
  if (tls_->has_ended()) peer_is_gone();
}

void Connection::peer_is_gone() {
  peer_has_ended_ = true;
  if (state_ != State::handling || channel_) return close();
  // Whoever has sent everything may still want to read the response.
  tell_closed();
}

// What is called back may hold the responder, whose end takes the mutex.
void Connection::tell_closed() {
  std::function<void()> then;
  {
    const std::lock_guard lock(exchange_->mutex);
    exchange_->is_closed = true;
    then = std::exchange(exchange_->when_closed, {});
  }
  core_->tell_closed(std::move(then));
}

void Connection::advance() {
  if (state_ == State::idle) {
    if (!begins_after_empty_lines(in_)) return;
    state_ = State::reading;
    said_continue_ = false;
    parser_ = std::make_unique<RequestParser>(
        RequestLimits{core_->options.most_header_bytes, core_->options.most_body_bytes});
    set_deadline(Deadline::head, core_->options.header_time);
  }
  if (state_ != State::reading) return;
  in_.erase(0, parser_->feed(in_));
  const RequestParser::State state = parser_->state();
  if (state == RequestParser::State::head) return;
  if (state == RequestParser::State::refused) return refuse(parser_->refused_status());
  if (!exchange_) return handle();
  take_body();
}

void Connection::read_body(std::size_t most, std::function<void(std::string)> then) {
  if (state_ != State::handling || response_is_whole_ || channel_ || !parser_) return;
  state_ = State::reading;
  on_body_ = std::move(then);
  room_ = std::make_shared<BodyRoom>(core_);
  set_deadline(Deadline::body, core_->options.body_time);
  parser_->want_body(std::min(most, core_->options.most_body_bytes));
  advance();
  if (state_ == State::reading && peer_has_ended_) return close();
  wait_for_bytes();
}

// What has come of it, as far as it goes.
void Connection::take_body() {
  if (!room_->grow_to(parser_->body_bytes())) return refuse(503);
  if (parser_->state() == RequestParser::State::body) {
    if (parser_->expects_continue() && !std::exchange(said_continue_, true)) {
      queue("HTTP/1.1 100 Continue\r\n\r\n");
      send_some();
    }
    return;
  }
  state_ = State::handling;
  std::string body = parser_->take_body();
  parser_.reset();
  hand_over([then = std::exchange(on_body_, {}), room = std::exchange(room_, {}),
             body = std::move(body)]() mutable {
    try {
      then(std::move(body));
    } catch (...) {  // whoever is not answered by now gets status 500
    }
  });
}

void Connection::hand_over(std::function<void()> task) {
  turn_ = std::make_shared<Turn>(false);
  set_deadline(Deadline::handler, core_->options.handler_time);
  auto when_free = [turn = turn_, task = std::move(task)] {
    if (!turn->exchange(true)) task();
  };
  if (exchange_->is_prompt) return core_->run_promptly(std::move(when_free));
  core_->run(std::move(when_free));
}

// The request is answered without the rest of its body, which is nothing that can be read on.
void Connection::leave_body() {
  if (!parser_) return;
  state_ = State::handling;
  request_keeps_alive_ = false;
  parser_.reset();
  room_.reset();
  in_.clear();
  on_body_ = {};
}

void Connection::refuse(int status) {
  if (exchange_) {
    const std::lock_guard lock(exchange_->mutex);
    exchange_->is_answered = true;
  }
  state_ = State::handling;
  leave_body();
  request_keeps_alive_ = false;
  is_head_ = false;
  exchange_ = std::make_shared<Exchange>();
  in_.clear();
  send(refusal(status));
}

void Connection::handle() {
  state_ = State::handling;
  core_->requests.fetch_add(1, std::memory_order_relaxed);
  request_keeps_alive_ = parser_->keeps_alive();
  is_version_1_0_ = parser_->is_version_1_0();
  const bool has_body = parser_->state() == RequestParser::State::body;
  Request request = parser_->take_request();
  if (!has_body) parser_.reset();
  request.peer = peer_;
  request.peer_port = peer_port_;
  request.is_from_machine = is_from_machine_;
  if (peer_user_) {
    request.peer_user = [user = peer_user_] { return user->get(); };
    request.peer_is_free = [user = peer_user_] { return user->is_free(); };
  }
  is_head_ = request.method == "HEAD";
  response_is_whole_ = false;
  const bool is_prompt = core_->options.is_prompt && core_->options.is_prompt(request);
  exchange_ = std::make_shared<Exchange>(has_body, is_prompt);
  Responder responder(
      std::make_shared<Responder::State>(core_, weak_from_this(), exchange_, framing()));
  hand_over(
      [core = core_, request = std::move(request), responder = std::move(responder)]() mutable {
        try {
          core->handler(std::move(request), responder);
        } catch (...) {  // it says nothing that a peer should know
          responder.send(refusal(500));
        }
      });
}

Framing Connection::framing() const {
  return is_version_1_0_ ? Framing::close : Framing::chunked;
}

bool Connection::keeps_alive() const {
  return request_keeps_alive_ && !core_->is_draining;
}

void Connection::send(Response response) {
  const bool is_awaited = state_ == State::handling || (state_ == State::reading && exchange_);
  if (!is_awaited || response_is_whole_ || channel_) return;
  leave_body();
  request_keeps_alive_ = keeps_alive();
  queue(head_text(response, {Framing::length, response.body.size(), request_keeps_alive_}));
  if (!is_head_ && has_body(response.status)) queue(response.body);
  response_is_whole_ = true;
  send_some();
}

void Connection::begin_stream(Response head, std::shared_ptr<Channel> channel) {
  const bool is_awaited = state_ == State::handling || (state_ == State::reading && exchange_);
  if (!is_awaited || response_is_whole_ || channel_ || peer_has_ended_) {
    channel->closed();
    if (is_awaited) close();
    return;
  }
  leave_body();
  channel_ = std::move(channel);
  request_keeps_alive_ = keeps_alive() && framing() == Framing::chunked;
  queue(head_text(head, {framing(), 0, request_keeps_alive_}));
  if (is_head_ || !has_body(head.status)) {
    channel_->closed();
    channel_.reset();
    response_is_whole_ = true;
  } else if (core_->is_draining && channel_->options().ends_with_drain) {
    channel_->end();
  }
  send_some();
}

void Connection::flush_stream() {
  if (state_ != State::handling || !channel_) return;
  const Channel::Taken taken = channel_->take();
  queue(taken.bytes);
  response_is_whole_ = taken.is_last;
  send_some();
}

void Connection::queue(std::string_view bytes) {
  if (!tls_) {
    out_ += bytes;
    return;
  }
  tls_->seal(bytes);
  out_ += tls_->output();
}

void Connection::send_some() {
  if (state_ == State::closed || is_waiting_to_write_) return;
  while (out_sent_ < out_.size()) {
    const ssize_t count = ::send(socket_.native_handle(), out_.data() + out_sent_,
                                 out_.size() - out_sent_, MSG_NOSIGNAL);
    if (count > 0) {
      out_sent_ += static_cast<std::size_t>(count);
      written_ += static_cast<std::size_t>(count);
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return close();
    is_waiting_to_write_ = true;
    // Not set anew for every byte: a peer that takes one now and then is as bad as one that takes
    // none.
    if (deadline_ != Deadline::write) {
      written_ = 0;
      set_deadline(Deadline::write, core_->options.write_time);
    }
    socket_.async_wait(descriptor_base::wait_write,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                         self->is_waiting_to_write_ = false;
                         if (!error) self->send_some();
                       });
    return;
  }
  out_ = {};
  out_sent_ = 0;
  tls_words_ = 0;
  all_is_sent();
}

void Connection::all_is_sent() {
  if (state_ == State::reading && deadline_ == Deadline::write) {
    set_deadline(exchange_ ? Deadline::body : Deadline::head,
                 exchange_ ? core_->options.body_time : core_->options.header_time);
  }
  if (state_ != State::handling) return;
  if (channel_) channel_->sent();
  if (response_is_whole_) return end_of_response();
  if (channel_ && !channel_->options().heartbeat.empty()) {
    set_deadline(Deadline::heartbeat, channel_->options().heartbeat_time);
  } else if (deadline_ != Deadline::handler) {
    set_deadline(Deadline::none, {});
  }
}

void Connection::end_of_response() {
  channel_.reset();
  exchange_.reset();
  if (!keeps_alive()) {
    if (peer_has_ended_) return close();
    state_ = State::lingering;
    ::shutdown(socket_.native_handle(), SHUT_WR);
    set_deadline(Deadline::linger, kLingerTime);
    return wait_for_bytes();
  }
  state_ = State::idle;
  response_is_whole_ = false;
  set_deadline(Deadline::idle, core_->options.idle_time);
  advance();
  if (peer_has_ended_ && state_ != State::handling) return close();
  wait_for_bytes();
}

void Connection::set_deadline(Deadline deadline, milliseconds time) {
  deadline_ = deadline;
  if (deadline == Deadline::none) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(time);
  timer_.async_wait([self = weak_from_this()](const boost::system::error_code& error) {
    const auto held = self.lock();
    if (error || !held || held->timer_.expiry() > std::chrono::steady_clock::now()) return;
    held->deadline_is_over();
  });
}

void Connection::deadline_is_over() {
  switch (std::exchange(deadline_, Deadline::none)) {
    case Deadline::none: return;
    case Deadline::idle:
    case Deadline::linger: return close();
    case Deadline::head:
    case Deadline::body: core_->cut.fetch_add(1, std::memory_order_relaxed); return refuse(408);
    case Deadline::handler:
      if (turn_->exchange(true)) return;  // one has begun
      core_->cut.fetch_add(1, std::memory_order_relaxed);
      return refuse(503);
    case Deadline::write:
      if (std::exchange(written_, 0) < core_->options.least_written) return cut();
      return set_deadline(Deadline::write, core_->options.write_time);
    case Deadline::heartbeat:
      if (channel_) queue(channel_->heartbeat());
      return send_some();
  }
}

void Connection::cut() {
  if (state_ == State::closed) return;
  core_->cut.fetch_add(1, std::memory_order_relaxed);
  close();
}

void Connection::close() {
  if (state_ == State::closed) return;
  const auto self = shared_from_this();
  state_ = State::closed;
  timer_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
  if (channel_) channel_->closed();
  channel_.reset();
  if (exchange_) tell_closed();
  room_.reset();
  on_body_ = {};
  if (turn_) turn_->store(true);  // nobody would hear of it
  core_->connections.erase(self);
  const std::lock_guard lock(core_->count_mutex);
  if (core_->open_connections.fetch_sub(1) == 1) core_->all_closed.notify_all();
}

void Connection::drain() {
  if (state_ == State::idle) return close();
  if (channel_ && channel_->options().ends_with_drain) channel_->end();
}

}  // namespace wright::http
