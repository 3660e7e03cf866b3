// Asks the kernel about one TCP socket of this machine by its two ends (NETLINK_SOCK_DIAG): one
// message there and one back, however many connections there are. It may be refused, as it is in
// some containers; /proc/self/net/tcp says the same then (peer_user.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/file_descriptor.h"

namespace wright::http {

struct SocketEnd {
  std::string address = {};  // "127.0.0.1", "::1", "::ffff:127.0.0.1"
  int port = 0;
};

struct KnownSocket {
  int state = 0;  // TCP_ESTABLISHED, …
  unsigned user = 0;
  std::uint64_t inode = 0;  // 0: no program has it any more
};

class SocketQuestions {
 public:
  SocketQuestions();

  // The socket whose own end is `own`. Nothing: there is none, or the kernel does not say. One that
  // is bound to a network device counts as none.
  std::optional<KnownSocket> find(const SocketEnd& own, const SocketEnd& other) const;

 private:
  FileDescriptor kernel_;
};

}  // namespace wright::http
