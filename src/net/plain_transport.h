// Connections of plain HTTP/1.1 that exchanges use one after the other, and one buffer that they
// all read into. Lives in the client's thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/file_descriptor.h"
#include "net/event_loop.h"
#include "net/http_exchange.h"

namespace wright::net {

class PlainTransfer;
class PlainTransport;

// A socket in the loop. Belongs to the transfer that uses it, or to the transport that keeps it.
class PlainConnection {
 public:
  PlainConnection(PlainTransport& transport, FileDescriptor socket, std::string authority);
  ~PlainConnection();
  PlainConnection(const PlainConnection&) = delete;
  PlainConnection& operator=(const PlainConnection&) = delete;

  int socket() const { return socket_.get(); }
  // Whether it waits for room to write, beside waiting for bytes.
  void wait_for_room(bool is_waiting);

  PlainTransfer* user = nullptr;  // of the transfer that uses it
  bool was_used = false;          // by an earlier exchange

 private:
  friend class PlainTransport;
  PlainTransport& transport_;
  FileDescriptor socket_;
  const std::string authority_;
  bool is_waiting_for_room_ = true;       // a connection begins with waiting for the other side
  EventLoop::Clock::time_point kept_at_;  // while it is kept
};

class PlainTransport {
 public:
  PlainTransport(EventLoop& loop, ExchangeKeeper& keeper);
  ~PlainTransport();
  PlainTransport(const PlainTransport&) = delete;
  PlainTransport& operator=(const PlainTransport&) = delete;

  // Null where libcurl is to carry it.
  std::unique_ptr<Transfer> transfer(HttpExchange& exchange);
  // Closes all connections that no exchange uses.
  void clear() { kept_.clear(); }

  EventLoop& loop() { return loop_; }
  ExchangeKeeper& keeper() { return keeper_; }

  // The connection that was used last; null when there is none. One that the server has closed is
  // dropped, as far as that can be known.
  std::unique_ptr<PlainConnection> take_kept(std::string_view authority);
  void keep(std::unique_ptr<PlainConnection> connection);
  // Bytes for one reader at a time, until it returns to the loop.
  std::array<char, 16 * 1024>& buffer() { return buffer_; }
  // libcurl understands more dialects: further exchanges with this server go over it.
  void leave_to_curl(std::string_view authority) { odd_servers_.emplace(authority); }

 private:
  friend class PlainConnection;
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Connections = std::vector<std::unique_ptr<PlainConnection>>;  // the newest last

  void on_kept_ready(PlainConnection& connection);

  EventLoop& loop_;
  ExchangeKeeper& keeper_;
  std::unordered_map<std::string, Connections, TextHash, std::equal_to<>> kept_;
  std::unordered_set<std::string, TextHash, std::equal_to<>> odd_servers_;
  std::array<char, 16 * 1024> buffer_;
};

}  // namespace wright::net
