// A peer that writes and reads bytes as a test wants them, for the tests of the server.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "core/file_descriptor.h"
#include "http_server/server.h"

namespace wright::http {

inline FileDescriptor connect_to(const std::string& address) {
  if (address.starts_with("unix:")) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, address.c_str() + 5, sizeof(name.sun_path) - 1);
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
    return socket;
  }
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port =
      htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  return socket;
}

class RawPeer {
 public:
  explicit RawPeer(const Server& server) : RawPeer(server.addresses().at(0)) {}
  explicit RawPeer(const std::string& address) : socket_(connect_to(address)) {}

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  // Whether the server has said something, or closed.
  bool has_something() {
    pollfd waiting{socket_.get(), POLLIN, 0};
    return ::poll(&waiting, 1, 0) > 0;
  }
  void end_writing() { ::shutdown(socket_.get(), SHUT_WR); }
  void leave() { socket_ = FileDescriptor(); }

  // All there is until it holds `mark`, or the server has closed.
  std::string read_until(std::string_view mark) {
    std::size_t found = read_.find(mark);
    while (found == std::string::npos) {
      const std::size_t seen = read_.size() - std::min(read_.size(), mark.size());
      if (!read_more()) break;
      found = read_.find(mark, seen);
    }
    const std::size_t end = found == std::string::npos ? read_.size() : found + mark.size();
    std::string taken = read_.substr(0, end);
    read_.erase(0, end);
    return taken;
  }
  std::string read_all() {
    while (read_more()) {
    }
    return std::exchange(read_, {});
  }

 private:
  bool read_more() {
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 20'000) <= 0) {
      ADD_FAILURE() << "nothing came; so far: " << read_;
      return false;
    }
    char buffer[4096];
    const ssize_t count = ::recv(socket_.get(), buffer, sizeof(buffer), 0);
    if (count <= 0) return false;
    read_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

  FileDescriptor socket_;
  std::string read_;
};

inline std::unique_ptr<Server> served(ServerOptions options, Handler handler) {
  if (options.listen.empty() && options.sockets.empty()) options.listen = {"127.0.0.1:0"};
  auto server = Server::open(std::move(options), std::move(handler));
  if (!server) {
    ADD_FAILURE() << server.error().message;
    return nullptr;
  }
  return std::move(*server);
}

inline void echo(const Request& request, const Responder& responder) {
  responder.read_body(std::size_t{64} << 20, [request, responder](const std::string& body) {
    responder.send({.headers = {{"Content-Type", "text/plain"}},
                    .body = request.method + " " + request.path + " [" + body + "]"});
  });
}

inline std::string get(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n\r\n";
}

}  // namespace wright::http
