// Sockets that listen: addresses as people write them, and what is behind them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/file_descriptor.h"
#include "wright/error.h"

namespace wright::http {

struct ListeningSocket {
  FileDescriptor descriptor;
  std::string address;    // as in ServerOptions::listen, with the real port
  std::string unix_path;  // to be removed when nobody listens any more; empty: nothing is
  bool is_unix = false;
};

// See ServerOptions::listen. The socket does not block.
Result<ListeningSocket> listen_on(std::string_view address);
// One that somebody else has opened.
Result<ListeningSocket> listening_socket(int descriptor);

struct AcceptedPeer {
  FileDescriptor descriptor = {};
  std::string name = {};         // see Request::peer
  bool is_from_machine = false;  // see Request::is_from_machine
  int port = 0;
  std::optional<std::uint32_t> user = {};  // see Request::peer_user
  int error = 0;                           // where there is no descriptor
};
AcceptedPeer accept_from(const ListeningSocket& socket);

}  // namespace wright::http
