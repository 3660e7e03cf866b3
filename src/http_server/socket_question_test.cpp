// The kernel, asked for one connection, says what its whole table says.
#include "http_server/socket_question.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http_server/peer_user.h"
#include "http_server/server_testing.h"

namespace wright::http {
namespace {

// A connection of this process with itself, from an address of one family to one of the other.
struct TcpPair {
  FileDescriptor listening;
  FileDescriptor client;
  FileDescriptor accepted;
  SocketEnd peer = {};   // the client's own end, as the accepted socket knows it
  SocketEnd local = {};  // the accepted one's
};

SocketEnd end_in(const sockaddr_storage& name) {
  char text[INET6_ADDRSTRLEN] = {};
  if (name.ss_family == AF_INET) {
    const auto& own = reinterpret_cast<const sockaddr_in&>(name);
    ::inet_ntop(AF_INET, &own.sin_addr, text, sizeof(text));
    return {text, ntohs(own.sin_port)};
  }
  const auto& own = reinterpret_cast<const sockaddr_in6&>(name);
  ::inet_ntop(AF_INET6, &own.sin6_addr, text, sizeof(text));
  return {text, ntohs(own.sin6_port)};
}

template <class Ask>
SocketEnd end_of(const FileDescriptor& socket, Ask ask) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  ask(socket.get(), reinterpret_cast<sockaddr*>(&name), &size);
  return end_in(name);
}

sockaddr_storage name_of(int family, const char* address, int port) {
  sockaddr_storage name{};
  name.ss_family = static_cast<sa_family_t>(family);
  if (family == AF_INET) {
    auto& own = reinterpret_cast<sockaddr_in&>(name);
    ::inet_pton(family, address, &own.sin_addr);
    own.sin_port = htons(static_cast<std::uint16_t>(port));
  } else {
    auto& own = reinterpret_cast<sockaddr_in6&>(name);
    ::inet_pton(family, address, &own.sin6_addr);
    own.sin6_port = htons(static_cast<std::uint16_t>(port));
  }
  return name;
}

TcpPair connected(int listening_family, const char* listens_on, int client_family,
                  const char* connects_to) {
  TcpPair pair;
  pair.listening = FileDescriptor(::socket(listening_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto any = name_of(listening_family, listens_on, 0);
  EXPECT_EQ(::bind(pair.listening.get(), reinterpret_cast<const sockaddr*>(&any), sizeof(any)), 0);
  EXPECT_EQ(::listen(pair.listening.get(), 1), 0);
  const int port = end_of(pair.listening, ::getsockname).port;
  pair.client = FileDescriptor(::socket(client_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto to = name_of(client_family, connects_to, port);
  EXPECT_EQ(::connect(pair.client.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  pair.accepted = FileDescriptor(::accept(pair.listening.get(), nullptr, nullptr));
  pair.peer = end_of(pair.accepted, ::getpeername);
  pair.local = end_of(pair.accepted, ::getsockname);
  return pair;
}

std::uint64_t inode_of(const FileDescriptor& socket) {
  struct stat status {};
  ::fstat(socket.get(), &status);
  return status.st_ino;
}

ConnectionEnds ends_of(const TcpPair& pair) {
  return {pair.peer.address, pair.peer.port, pair.local.address, pair.local.port,
          inode_of(pair.accepted)};
}

bool is_refused() {
  const FileDescriptor kernel(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, 4));
  return kernel.get() < 0;
}

TEST(SocketQuestions, find_both_ends_of_connections_of_every_family) {
  if (is_refused()) GTEST_SKIP() << "the kernel may not be asked here";
  struct Case {
    int listening_family;
    const char* listens_on;
    int client_family;
    const char* connects_to;
  };
  for (const Case& each :
       {Case{AF_INET, "127.0.0.1", AF_INET, "127.0.0.1"}, Case{AF_INET6, "::1", AF_INET6, "::1"},
        Case{AF_INET6, "::", AF_INET, "127.0.0.1"},
        Case{AF_INET, "127.0.0.1", AF_INET6, "::ffff:127.0.0.1"},
        Case{AF_INET6, "::", AF_INET6, "::ffff:127.0.0.1"}}) {
    const TcpPair pair =
        connected(each.listening_family, each.listens_on, each.client_family, each.connects_to);
    const SocketQuestions kernel;
    const auto theirs = kernel.find(pair.peer, pair.local);
    ASSERT_TRUE(theirs) << pair.peer.address << " " << pair.local.address;
    EXPECT_EQ(theirs->state, TCP_ESTABLISHED);
    EXPECT_EQ(theirs->user, ::geteuid());
    EXPECT_EQ(theirs->inode, inode_of(pair.client));
    const auto ours = kernel.find(pair.local, pair.peer);
    ASSERT_TRUE(ours);
    EXPECT_EQ(ours->inode, inode_of(pair.accepted));
    // As the whole table has it.
    const auto asked = ask_for_program(ends_of(pair));
    const auto read = program_at_other_end(ends_of(pair), read_connection_tables);
    ASSERT_TRUE(asked && *asked && read);
    EXPECT_EQ((*asked)->user, read->user);
    EXPECT_EQ((*asked)->inode, read->inode);
  }
}

TEST(SocketQuestions, a_listening_socket_is_no_connection) {
  if (is_refused()) GTEST_SKIP() << "the kernel may not be asked here";
  const TcpPair pair = connected(AF_INET, "127.0.0.1", AF_INET, "127.0.0.1");
  const SocketQuestions kernel;
  EXPECT_FALSE(kernel.find(pair.local, {"127.0.0.1", 1}));
  EXPECT_FALSE(kernel.find({"no address", 1}, pair.local));
  EXPECT_FALSE(kernel.find({"127.0.0.1", 1}, {"::1", 2}));
}

TEST(SocketQuestions, a_closed_socket_is_nobodys_in_both_ways) {
  TcpPair pair = connected(AF_INET, "127.0.0.1", AF_INET, "127.0.0.1");
  const ConnectionEnds ends = ends_of(pair);
  pair.client = FileDescriptor();
  const auto asked = ask_for_program(ends);
  if (asked) {
    EXPECT_FALSE(*asked);
  }
  EXPECT_FALSE(program_at_other_end(ends, read_connection_tables));
  EXPECT_FALSE(PeerUser(ends).get());
}

TEST(SocketQuestions, another_socket_of_ours_with_these_ends_is_none) {
  const TcpPair pair = connected(AF_INET, "127.0.0.1", AF_INET, "127.0.0.1");
  ConnectionEnds ends = ends_of(pair);
  ends.inode += 1;
  const auto asked = ask_for_program(ends);
  if (asked) {
    EXPECT_FALSE(*asked);
  }
  EXPECT_FALSE(PeerUser(ends).get());
}

TEST(SocketQuestions, tell_whose_a_socket_is_and_not_who_holds_it) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make sockets of others";
  if (is_refused()) GTEST_SKIP() << "the kernel may not be asked here";
  constexpr unsigned kOther = 65533;
  const int before = ::setfsuid(kOther);
  const TcpPair pair = connected(AF_INET, "127.0.0.1", AF_INET, "127.0.0.1");
  ::setfsuid(static_cast<uid_t>(before));
  const auto theirs = SocketQuestions().find(pair.peer, pair.local);
  ASSERT_TRUE(theirs);
  EXPECT_EQ(theirs->user, kOther);
}

}  // namespace
}  // namespace wright::http
