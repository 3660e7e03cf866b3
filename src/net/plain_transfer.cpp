#include "net/plain_transfer.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/text.h"
#include "net/broken_connection.h"

namespace wright::net {
namespace {

// Without a limit of the caller's own; libcurl's.
constexpr std::chrono::minutes kLongestConnect{5};

std::string text_of_fault(int number) {
  return std::generic_category().message(number);
}

void set_option(int socket, int level, int name, int value) {
  ::setsockopt(socket, level, name, &value, sizeof(value));
}

// Requests go out at once, and a peer that is gone without a word is noticed in the end.
void set_options(int socket) {
  constexpr int kSeconds = 60;
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, kSeconds);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, kSeconds);
}

socklen_t size_of(const sockaddr_storage& address) {
  return address.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

}  // namespace

PlainTransfer::PlainTransfer(PlainTransport& transport, HttpExchange& exchange, const PlainUrl& url)
    : transport_(transport), exchange_(exchange), url_(url) {
  if (const auto total = exchange_.timeouts().total; total.count() > 0) {
    exchange_.over_by = HttpExchange::Clock::now() + total;
  }
}

void PlainTransfer::begin() {
  head_ = head_text();
  exchange_.request().headers = {};
  connection_ = transport_.take_kept(url_.authority);
  if (connection_ != nullptr) {
    connection_->user = this;
    return take_connection();
  }
  connect_anew();
}

void PlainTransfer::connect_anew() {
  const std::chrono::milliseconds most = exchange_.timeouts().connect;
  began_ = HttpExchange::Clock::now();
  exchange_.connected_by = began_ + (most.count() > 0 ? most : kLongestConnect);
  transport_.keeper().watch_pace(exchange_.number());
  addresses_ = url_.addresses();
  std::ranges::reverse(addresses_);
  connect();
}

void PlainTransfer::connect() {
  is_connecting_ = true;
  while (!addresses_.empty()) {
    connection_.reset();
    if (open_next()) return;
  }
  connection_.reset();
  if (exchange_.refusal) return end(std::unexpected(std::move(*exchange_.refusal)));
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(HttpExchange::Clock::now() - began_);
  end(fail(ErrorCode::network,
           fmt::format("No connection to {}: Failed to connect to {} port {} after {} ms: Couldn't "
                       "connect to server",
                       exchange_.server(), url_.host, url_.port, took.count())));
}

// Whether a connection to the next address is under way. It must not leak into programs that tools
// start.
bool PlainTransfer::open_next() {
  const sockaddr_storage address = addresses_.back();
  const auto& plain_address = reinterpret_cast<const sockaddr&>(address);
  addresses_.pop_back();
  if (const auto& may_connect = exchange_.options().may_connect) {
    if (auto allowed = may_connect(exchange_.request().url, plain_address); !allowed) {
      exchange_.refusal = std::move(allowed).error();
      return false;
    }
  }
  FileDescriptor socket(
      ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!socket.is_open()) return false;
  set_options(socket.get());
  if (::connect(socket.get(), &plain_address, size_of(address)) != 0 && errno != EINPROGRESS) {
    return false;
  }
  connection_ =
      std::make_unique<PlainConnection>(transport_, std::move(socket), std::string(url_.authority));
  connection_->user = this;
  return true;
}

void PlainTransfer::on_ready(std::uint32_t epoll_events) {
  if (is_connecting_) {
    int fault = 0;
    socklen_t size = sizeof(fault);
    ::getsockopt(connection_->socket(), SOL_SOCKET, SO_ERROR, &fault, &size);
    if (fault != 0) return connect();
    if ((epoll_events & EPOLLOUT) != 0) take_connection();
    return;
  }
  // What else is ready is said again.
  if ((epoll_events & EPOLLOUT) != 0 && !is_all_sent_) return send();
  receive();
}

void PlainTransfer::take_connection() {
  is_connecting_ = false;
  addresses_ = {};
  exchange_.connected_by = HttpExchange::Clock::time_point::max();
  exchange_.tell_sending();
  send();
}

std::string_view PlainTransfer::body() const {
  const HttpRequest& request = exchange_.request();
  return request.method == "GET" ? std::string_view() : std::string_view(request.body);
}

// The headers that libcurl sends, in its order.
std::string PlainTransfer::head_text() const {
  const HttpRequest& request = exchange_.request();
  const auto has = [&](std::string_view name) {
    return !find_header(request.headers, name).empty();
  };
  std::string text;
  text.reserve(512);
  const auto add = [&text](auto... parts) { (text.append(parts), ...); };
  const auto add_header = [&](std::string_view name, std::string_view value) {
    add(name, std::string_view(": "), value, std::string_view("\r\n"));
  };
  add(std::string_view(request.method), std::string_view(" "), url_.target,
      std::string_view(" HTTP/1.1\r\n"));
  add_header("Host", url_.authority);
  if (const std::string& agent = exchange_.options().user_agent;
      !agent.empty() && !has("User-Agent")) {
    add_header("User-Agent", agent);
  }
  if (!has("Accept")) add_header("Accept", "*/*");
  if (!has("Accept-Encoding")) add_header("Accept-Encoding", "identity");
  for (const HttpHeader& header : request.headers) add_header(header.name, header.value);
  if (request.method != "GET") {
    add_header("Content-Length", std::to_string(request.body.size()));
    if (!has("Content-Type")) add_header("Content-Type", "application/x-www-form-urlencoded");
  }
  text += "\r\n";
  return text;
}

void PlainTransfer::send() {
  const std::string_view whole_body = body();
  while (sent_ < head_.size() + whole_body.size()) {
    const std::string_view head = std::string_view(head_).substr(std::min(sent_, head_.size()));
    const std::string_view rest =
        whole_body.substr(sent_ > head_.size() ? sent_ - head_.size() : 0);
    std::array<iovec, 2> parts{{{const_cast<char*>(head.data()), head.size()},
                                {const_cast<char*>(rest.data()), rest.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t count = ::sendmsg(connection_->socket(), &message, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return connection_->wait_for_room(true);
    }
    if (count < 0) {
      // The server may have answered before it closed.
      send_fault_ = errno;
      is_all_sent_ = true;
      connection_->wait_for_room(false);
      return receive();
    }
    sent_ += static_cast<std::size_t>(count);
  }
  is_all_sent_ = true;
  connection_->wait_for_room(false);
  if (exchange_.is_repeatable()) return;
  // An exchange mostly waits.
  head_ = {};
  exchange_.request().body = {};
}

void PlainTransfer::receive() {
  auto& buffer = transport_.buffer();
  const ssize_t count = ::recv(connection_->socket(), buffer.data(), buffer.size(), 0);
  if (count > 0) {
    if (parser_ == nullptr) {
      parser_ = std::make_unique<http::ResponseParser>(HttpExchange::kMostHeadBytes,
                                                       static_cast<http::ResponseSink&>(*this));
    }
    parser_->feed({buffer.data(), static_cast<std::size_t>(count)});
    return take_parsed();
  }
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  const std::string fault = count == 0 ? std::string() : "Recv failure: " + text_of_fault(errno);
  if (parser_ == nullptr) {
    return end_without_answer(send_fault_ != 0 ? "Send failure: " + text_of_fault(send_fault_)
                              : fault.empty()  ? "Empty reply from server"
                                               : fault);
  }
  if (!fault.empty()) return break_off(fault);
  parser_->end();
  take_parsed();
}

void PlainTransfer::take_parsed() {
  using State = http::ResponseParser::State;
  using Fault = http::ResponseParser::Fault;
  if (parser_->state() == State::done) return finish();
  if (parser_->state() != State::broken) {
    return transport_.keeper().watch_pace(exchange_.number());
  }
  switch (parser_->fault()) {
    case Fault::refused: return end(std::unexpected(*exchange_.error));
    case Fault::long_head: return end(std::unexpected(exchange_.too_long_head()));
    case Fault::not_http:
      transport_.leave_to_curl(url_.authority);
      return end(fail(ErrorCode::invalid_argument,
                      fmt::format("'{}' is not the URL of a server: Received HTTP/0.9 when not "
                                  "allowed",
                                  exchange_.server())));
    case Fault::malformed: transport_.leave_to_curl(url_.authority); break;
    case Fault::cut:
    case Fault::none: break;
  }
  break_off(parser_->fault_text());
}

// A server closes connections that nobody uses, perhaps in this moment. But it may have acted on
// the request as well: what may have arrived and does something is not sent twice.
void PlainTransfer::end_without_answer(std::string_view reason) {
  if (!connection_->was_used) return break_off(reason);
  if (sent_ > 0 && !exchange_.is_repeatable()) {
    return end(connection_broke(
        fmt::format("The connection to {} was closed without an answer after the request had been "
                    "sent",
                    exchange_.server())));
  }
  sent_ = 0;
  send_fault_ = 0;
  is_all_sent_ = false;
  connect_anew();
}

void PlainTransfer::finish() {
  if (gzip_ != nullptr && gzip_->state() == http::GzipReader::State::reading && has_packed_) {
    return end(std::unexpected(not_unpacked("it ends too early")));
  }
  if (parser_->keeps_alive() && is_all_sent_ && send_fault_ == 0) {
    transport_.keep(std::move(connection_));
  }
  end({});
}

void PlainTransfer::break_off(std::string_view reason) {
  end(connection_broke(fmt::format("The connection to {} broke before the answer was complete: {}",
                                   exchange_.server(), reason)));
}

void PlainTransfer::end(Result<void> result) {
  transport_.keeper().end(exchange_.number(), std::move(result));
}

void PlainTransfer::on_head(HttpResponseHead head) {
  const std::string encoding = lower(find_header(head.headers, "Content-Encoding"));
  if (encoding == "gzip" || encoding == "x-gzip") {
    gzip_ = std::make_unique<http::GzipReader>(
        [this](std::string_view bytes) { return exchange_.tell_body(bytes); });
  } else if (encoding != "identity") {
    odd_encoding_ = encoding;
  }
  exchange_.tell_head(std::move(head));
}

bool PlainTransfer::on_body(std::string_view bytes) {
  if (!odd_encoding_.empty()) {
    exchange_.error = not_unpacked(fmt::format("it is encoded as '{}'", odd_encoding_));
    transport_.leave_to_curl(url_.authority);
    return false;
  }
  if (gzip_ == nullptr) return exchange_.tell_body(bytes);
  has_packed_ = has_packed_ || !bytes.empty();
  const auto state = gzip_->feed(bytes);
  if (state == http::GzipReader::State::broken) exchange_.error = not_unpacked("it is no gzip");
  return !exchange_.error;
}

Error PlainTransfer::not_unpacked(std::string_view reason) const {
  return {
      ErrorCode::protocol,
      fmt::format("{} sent an answer that cannot be decompressed: {}", exchange_.server(), reason),
      {}};
}

}  // namespace wright::net
