// Who is at the other end: of a port that several users share, of a socket that its program has
// closed, of a Unix socket that others may open. Other users' sockets can only be made by root.
#include "http_server/peer_user.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <filesystem>
#include <future>
#include <vector>

#include "http_server/server_testing.h"

namespace wright::http {
namespace {

constexpr unsigned kStranger = 65533;

sockaddr_in loopback(int port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(static_cast<std::uint16_t>(port));
  return name;
}

int port_of(const FileDescriptor& socket) {
  sockaddr_in name{};
  socklen_t size = sizeof(name);
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size);
  return ntohs(name.sin_port);
}

int port_of(const Server& server) {
  const std::string& address = server.addresses().at(0);
  return std::stoi(address.substr(address.rfind(':') + 1));
}

// A socket that belongs to that user: the kernel takes who the thread is for files.
FileDescriptor socket_of(unsigned user) {
  const int before = ::setfsuid(user);
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ::setfsuid(static_cast<uid_t>(before));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  return socket;
}

bool connect_from(const FileDescriptor& socket, int from, int to) {
  const sockaddr_in source = loopback(from);
  const sockaddr_in target = loopback(to);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&source), sizeof(source)) == 0 &&
         ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&target), sizeof(target)) == 0;
}

std::string read_all(const FileDescriptor& socket) {
  std::string text;
  char buffer[1024];
  for (;;) {
    pollfd waiting{socket.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 20'000) <= 0) break;
    const ssize_t count = ::recv(socket.get(), buffer, sizeof(buffer), 0);
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

std::string text_of(std::optional<User> user) {
  return user ? std::to_string(*user) : "nobody knows";
}

std::optional<User> user_of(const std::optional<PeerProgram>& program) {
  if (!program) return std::nullopt;
  return program->user;
}

void tell_user(const Request& request, const Responder& responder) {
  responder.send({.body = "it is " + text_of(request.peer_user())});
}

constexpr std::string_view kAsk = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

TEST(PeerUser, is_known_over_loopback_and_unix_sockets) {
  const std::string me = "it is " + std::to_string(::geteuid());
  const std::string path = fmt::format("/tmp/wright-peer-{}.sock", ::getpid());
  for (const std::string& address : {std::string("127.0.0.1:0"), "unix:" + path}) {
    const auto server = served({.listen = {address}}, tell_user);
    RawPeer peer(*server);
    peer.write(get("/first"));
    EXPECT_EQ(peer.read_until(me).substr(0, 12), "HTTP/1.1 200") << address;
    peer.write(kAsk);
    EXPECT_TRUE(peer.read_all().ends_with(me)) << address;
  }
}

TEST(PeerUser, is_known_where_sockets_of_both_versions_of_ip_meet) {
  const auto server = served({.listen = {"[::]:0"}}, tell_user);
  const FileDescriptor socket = socket_of(::geteuid());
  ASSERT_TRUE(connect_from(socket, 0, port_of(*server)));
  ASSERT_GT(::send(socket.get(), kAsk.data(), kAsk.size(), MSG_NOSIGNAL), 0);
  EXPECT_TRUE(read_all(socket).ends_with("it is " + std::to_string(::geteuid())));
}

TEST(PeerUser, is_not_taken_from_other_connections_of_the_same_port) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make sockets of others";
  const auto server = served({}, tell_user);
  // Connections of ours to elsewhere, all from one port.
  std::vector<FileDescriptor> held;
  int port = 0;
  for (int i = 0; i < 16; ++i) {
    FileDescriptor elsewhere = socket_of(0);
    const sockaddr_in any = loopback(0);
    ASSERT_EQ(::bind(elsewhere.get(), reinterpret_cast<const sockaddr*>(&any), sizeof(any)), 0);
    ASSERT_EQ(::listen(elsewhere.get(), 1), 0);
    FileDescriptor ours = socket_of(0);
    ASSERT_TRUE(connect_from(ours, port, port_of(elsewhere)));
    port = port_of(ours);
    held.push_back(std::move(elsewhere));
    held.push_back(std::move(ours));
  }
  const FileDescriptor stranger = socket_of(kStranger);
  ASSERT_TRUE(connect_from(stranger, port, port_of(*server)));
  ASSERT_GT(::send(stranger.get(), kAsk.data(), kAsk.size(), MSG_NOSIGNAL), 0);
  EXPECT_TRUE(read_all(stranger).ends_with("it is " + std::to_string(kStranger)));
}

TEST(PeerUser, is_nobody_once_its_socket_is_closed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make sockets of others";
  std::promise<void> has_come;
  std::promise<void> has_left;
  std::promise<std::optional<User>> answer;
  const auto server = served({}, [&](const Request& request, const Responder& responder) {
    has_come.set_value();
    has_left.get_future().wait();
    answer.set_value(request.peer_user());
    responder.send({});
  });
  FileDescriptor stranger = socket_of(kStranger);
  ASSERT_TRUE(connect_from(stranger, 0, port_of(*server)));
  ASSERT_GT(::send(stranger.get(), kAsk.data(), kAsk.size(), MSG_NOSIGNAL), 0);
  has_come.get_future().wait();
  stranger = FileDescriptor();
  has_left.set_value();
  EXPECT_EQ(text_of(answer.get_future().get()), "nobody knows");
}

TEST(PeerUser, is_whoever_has_opened_a_unix_socket) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else for a moment";
  const std::string path = fmt::format("/tmp/wright-open-{}.sock", ::getpid());
  const auto server = served({.listen = {"unix:" + path}}, tell_user);
  ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
  // The call itself changes one thread alone.
  ASSERT_EQ(::syscall(SYS_setresuid, -1, kStranger, -1), 0);
  RawPeer peer(*server);
  ASSERT_EQ(::syscall(SYS_setresuid, -1, 0, -1), 0);
  peer.write(kAsk);
  EXPECT_TRUE(peer.read_all().ends_with("it is " + std::to_string(kStranger)));
}

// Tables as the kernel writes them, one for each reading.
std::vector<std::vector<std::string>> g_readings;  // NOLINT: what is read is a plain function
std::vector<std::string> next_reading() {
  if (g_readings.empty()) return {};
  auto reading = g_readings.front();
  if (g_readings.size() > 1) g_readings.erase(g_readings.begin());
  return reading;
}

std::string row(std::string_view from, std::string_view to, std::string_view state, int user,
                int inode) {
  return fmt::format(
      "   7: {} {} {} 00000000:00000000 00:00000000 00000000 {:5}        0 {} 1 00000000 20\n",
      from, to, state, user, inode);
}

TEST(PeerUser, is_nobody_whatever_else_the_table_says) {
  const ConnectionEnds ends{"127.0.0.1", 0x1111, "127.0.0.1", 0x2222, 9};
  constexpr std::string_view kPeer = "0100007F:1111";
  constexpr std::string_view kLocal = "0100007F:2222";
  const std::string theirs = row(kPeer, kLocal, "01", 7, 5);
  const std::string ours = row(kLocal, kPeer, "01", 0, 9);
  const auto asked = [&](std::vector<std::vector<std::string>> readings) {
    g_readings = std::move(readings);
    return text_of(user_of(program_at_other_end(ends, next_reading)));
  };
  EXPECT_EQ(asked({{theirs + ours}}), "7");
  EXPECT_EQ(asked({{theirs + ours + theirs}}), "7") << "the same row, read twice";
  EXPECT_EQ(asked({{ours}, {theirs + ours}, {theirs + ours}}), "7") << "left out at first";
  EXPECT_EQ(asked({{theirs}, {""}, {theirs}, {ours}}), "7");
  const std::string closing = row(kLocal, kPeer, "08", 0, 9);
  EXPECT_EQ(asked({{row(kPeer, kLocal, "05", 7, 5) + closing}}), "7") << "it still reads";
  EXPECT_EQ(asked({{row(kPeer, kLocal, "05", 7, 0) + closing}}), "nobody knows");
  for (const auto& readings : std::vector<std::vector<std::vector<std::string>>>{
           {{}},
           {{""}},
           {{theirs}},
           {{"no table\n\n at all"}},
           {{row(kPeer, kLocal, "05", 7, 5) + ours}},
           {{row(kPeer, kLocal, "01", 0, 0) + ours}},
           {{theirs + row(kPeer, kLocal, "01", 8, 6) + ours}},
           {{row(kPeer, "0100007F:2223", "01", 7, 5) + ours}},
           {{theirs + row(kLocal, kPeer, "08", 0, 9)}},
           {{theirs + row(kLocal, kPeer, "01", 0, 10)}},
           {{theirs + ours}, {theirs + row(kLocal, kPeer, "01", 0, 0)}}}) {
    EXPECT_EQ(asked(readings), "nobody knows");
  }
}

}  // namespace
}  // namespace wright::http
