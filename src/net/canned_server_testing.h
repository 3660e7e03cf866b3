// For tests: a server on 127.0.0.1 that sends, byte by byte, what a test tells it to, however
// wrong.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace wright::net::testing {

// One connection, in a thread of its own.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}

  // Head and body of the next request; empty when the client has closed.
  std::string read_request() {
    while (true) {
      const std::size_t head = received_.find("\r\n\r\n");
      if (head != std::string::npos) {
        const std::size_t length = head + 4 + content_length(received_.substr(0, head));
        if (received_.size() >= length) {
          std::string request = received_.substr(0, length);
          received_.erase(0, length);
          return request;
        }
      }
      if (!receive()) return {};
    }
  }

  // Blocks until the client closes; what it sends is dropped.
  void wait_for_close() {
    while (receive()) received_.clear();
  }

  // False when the client has gone.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // A response with a Content-Length.
  void answer(int status, std::string_view body, std::string_view headers = {}) const {
    std::string head = "HTTP/1.1 " + std::to_string(status) + " X\r\n" + std::string(headers);
    head += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    send(head + std::string(body));
  }

  // Breaks the connection in a way that the client cannot mistake for its end.
  void reset() const {
    const linger at_once{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }

 private:
  static std::size_t content_length(std::string head) {
    std::ranges::transform(head, head.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view kName = "\r\ncontent-length:";
    const std::size_t found = head.find(kName);
    if (found == std::string::npos) return 0;
    const std::size_t digits = head.find_first_not_of(' ', found + kName.size());
    std::size_t length = 0;
    std::from_chars(head.data() + digits, head.data() + head.size(), length);
    return length;
  }

  bool receive() {
    char bytes[4096];
    const ssize_t count = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (count <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  int socket_;
  std::string received_;
};

class CannedServer {
 public:
  using OnConnection = std::function<void(Connection&)>;

  explicit CannedServer(OnConnection on_connection) : on_connection_(std::move(on_connection)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    ::listen(listener_, 1024);
    socklen_t length = sizeof(address);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }

  ~CannedServer() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
  }

  std::string url(std::string_view path = "/") const {
    return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
  }
  int connections() const { return connections_; }

 private:
  void accept_all() {
    while (true) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      ++connections_;
      const std::lock_guard lock(mutex_);
      open_.push_back(socket);
      threads_.emplace_back([this, socket] {
        Connection connection(socket);
        on_connection_(connection);
        const std::lock_guard closing(mutex_);
        std::erase(open_, socket);
        ::close(socket);
      });
    }
  }

  OnConnection on_connection_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace wright::net::testing
