// Peers that are not silent, and not quick either: those who drip their requests, and those who
// take a response byte by byte.
#include "http_server/server_testing.h"

namespace wright::http {
namespace {

using std::chrono::milliseconds;

// Writes `begin`, then one byte of `drops` after the other, again and again, until the server has
// said something.
std::string answer_to_drips(const ServerOptions& options, std::string_view begin,
                            std::string_view drops) {
  const auto server = served(options, echo);
  RawPeer peer(*server);
  peer.write(begin);
  for (std::size_t i = 0; !peer.has_something(); ++i) {
    peer.write(drops.substr(i % drops.size(), 1));
    ::poll(nullptr, 0, 2);
  }
  return peer.read_all();
}

TEST(SlowPeers, who_drip_a_request_are_not_waited_for) {
  ServerOptions quick;
  quick.header_time = milliseconds(200);
  quick.body_time = milliseconds(200);
  quick.idle_time = milliseconds(200);
  EXPECT_TRUE(answer_to_drips(quick, "GET / HTTP/1.1\r\nHost: a\r\n", "X-A: b\r\n")
                  .starts_with("HTTP/1.1 408"));
  EXPECT_TRUE(
      answer_to_drips(quick, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", "x")
          .starts_with("HTTP/1.1 408"));
  EXPECT_TRUE(answer_to_drips(quick,
                              "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                              "1\r\nx\r\n")
                  .starts_with("HTTP/1.1 408"));
}

constexpr std::size_t kLarge = std::size_t{32} << 20;

void large(const Request&, const Responder& responder) {
  responder.send({.body = std::string(kLarge, 'x')});
}

TEST(SlowPeers, who_take_a_response_byte_by_byte_are_cut) {
  ServerOptions options;
  options.write_time = milliseconds(200);
  const auto server = served(options, large);
  const FileDescriptor socket = connect_to(server->addresses().at(0));
  const std::string request = get("/");
  ASSERT_EQ(::send(socket.get(), request.data(), request.size(), 0),
            static_cast<ssize_t>(request.size()));
  char byte = 0;
  while (server->figures().cut == 0) {
    ASSERT_EQ(::recv(socket.get(), &byte, 1, 0), 1);
    ::poll(nullptr, 0, 2);
  }
  while (server->figures().connections > 0) ::poll(nullptr, 0, 2);
}

TEST(SlowPeers, who_take_enough_have_all_of_it) {
  ServerOptions options;
  options.write_time = milliseconds(200);
  options.least_written = 1;
  const auto server = served(options, large);
  const FileDescriptor socket = connect_to(server->addresses().at(0));
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  ASSERT_EQ(::send(socket.get(), request.data(), request.size(), 0),
            static_cast<ssize_t>(request.size()));
  std::string bytes(std::size_t{1} << 20, '\0');
  std::size_t taken = 0;
  for (;;) {
    const ssize_t count = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
    ASSERT_GE(count, 0);
    if (count == 0) break;
    taken += static_cast<std::size_t>(count);
    ::poll(nullptr, 0, 5);
  }
  EXPECT_GT(taken, kLarge);
  EXPECT_EQ(server->figures().cut, 0U);
}

}  // namespace
}  // namespace wright::http
