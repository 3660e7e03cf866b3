#include "net/plain_transport.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "net/plain_transfer.h"
#include "net/plain_url.h"

namespace wright::net {
namespace {

constexpr std::size_t kMostKept = 256;  // of one server
constexpr std::chrono::seconds kLongestKept{118};
constexpr std::uint32_t kReading = EPOLLIN | EPOLLRDHUP;

// Nothing has come, and the other side has not closed: a server says nothing unasked.
bool is_silent(int socket) {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace

PlainConnection::PlainConnection(PlainTransport& transport, FileDescriptor socket,
                                 std::string authority)
    : transport_(transport), socket_(std::move(socket)), authority_(std::move(authority)) {
  transport_.loop_.watch(socket_.get(), kReading | EPOLLOUT, [this](std::uint32_t ready) {
    if (user != nullptr) {
      user->on_ready(ready);
    } else {
      transport_.on_kept_ready(*this);
    }
  });
}

PlainConnection::~PlainConnection() {
  transport_.loop_.forget(socket_.get());
}

void PlainConnection::wait_for_room(bool is_waiting) {
  if (std::exchange(is_waiting_for_room_, is_waiting) == is_waiting) return;
  transport_.loop_.change(socket_.get(), kReading | (is_waiting ? EPOLLOUT : 0U));
}

PlainTransport::PlainTransport(EventLoop& loop, ExchangeKeeper& keeper)
    : loop_(loop), keeper_(keeper) {}

PlainTransport::~PlainTransport() = default;

std::unique_ptr<Transfer> PlainTransport::transfer(HttpExchange& exchange) {
  if (!is_plain_request(exchange.request(), exchange.options())) return nullptr;
  const auto url = plain_url_from(exchange.request().url);
  if (!url || odd_servers_.contains(url->authority)) return nullptr;
  return std::make_unique<PlainTransfer>(*this, exchange, *url);
}

std::unique_ptr<PlainConnection> PlainTransport::take_kept(std::string_view authority) {
  const auto found = kept_.find(authority);
  if (found == kept_.end()) return nullptr;
  Connections& connections = found->second;
  while (!connections.empty()) {
    auto connection = std::move(connections.back());
    connections.pop_back();
    if (EventLoop::Clock::now() - connection->kept_at_ > kLongestKept) {
      connections.clear();  // the others are older
    } else if (is_silent(connection->socket())) {
      connection->was_used = true;
      return connection;
    }
  }
  return nullptr;
}

void PlainTransport::keep(std::unique_ptr<PlainConnection> connection) {
  connection->user = nullptr;
  connection->kept_at_ = EventLoop::Clock::now();
  Connections& connections = kept_[connection->authority_];
  if (connections.size() >= kMostKept) connections.erase(connections.begin());
  connections.push_back(std::move(connection));
}

// Whatever comes, nobody asked for it: mostly it is the end.
void PlainTransport::on_kept_ready(PlainConnection& connection) {
  Connections& connections = kept_[connection.authority_];
  std::erase_if(connections, [&](const auto& kept) { return kept.get() == &connection; });
}

}  // namespace wright::net
