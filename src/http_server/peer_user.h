// Which user's program is at the other end of a connection from this machine.
//
// Over a Unix socket the kernel noted it when the peer connected (SO_PEERCRED). Over loopback it is
// in the kernel's table of connections, which is asked for the one row (socket_question.h), or,
// where that is refused or finds none, read as a whole (/proc/self/net/tcp, tcp6). A row counts
// only like this:
//  - The row has both ends of this connection, the peer's own first. An address and a port alone
//    may be shared by connections of other users.
//  - It is ESTABLISHED and has an inode. A socket that its program has closed belongs to nobody any
//    more, and the table says 0 then, which is root.
//  - No second row fits, where the whole table is read. For one row, the next rule is enough: a
//    second connection with these two ends would have to be established with our socket.
//  - Afterwards our own end is in the table, ESTABLISHED, with the inode of our socket. As long as
//    it is, nobody else can have a connection with these two ends, so the row was our peer's.
// Whatever else the table says, or where there is none: nobody knows who it is.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wright::http {

struct ConnectionEnds {
  std::string peer = {};  // "127.0.0.1", "::1", "::ffff:127.0.0.1"
  int peer_port = 0;
  std::string local = {};
  int local_port = 0;
  std::uint64_t inode = 0;  // of our socket
};

using User = unsigned;

// Who is at the other end.
struct PeerProgram {
  User user = 0;
  std::uint64_t inode = 0;  // of its socket; 0 over a Unix socket
  int process = 0;          // that connected; 0 over loopback
};

// What the tables are now, one text each.
using ReadTables = std::vector<std::string> (*)();
std::vector<std::string> read_connection_tables();

std::optional<PeerProgram> program_at_other_end(const ConnectionEnds& ends, ReadTables read);

// By one row. Nothing: it is to be found out in the other way.
using FoundProgram = std::optional<std::optional<PeerProgram>>;
FoundProgram ask_for_program(const ConnectionEnds& ends);

// Of one connection. Thread-safe; outlives the connection.
class PeerUser {
 public:
  explicit PeerUser(PeerProgram known) : known_(known) {}  // of a Unix socket
  explicit PeerUser(ConnectionEnds ends) : ends_(std::move(ends)) {}

  // Asks the table until it has told, then never again.
  std::optional<User> get();
  // Whether the program is as free as this process; see peer_process.h. Asked once.
  bool is_free();

 private:
  const std::optional<ConnectionEnds> ends_ = {};
  std::optional<PeerProgram> program();

  std::mutex mutex_;
  std::optional<PeerProgram> known_ = {};
  std::optional<bool> is_free_ = {};
};

}  // namespace wright::http
