#include "http_server/listening.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "core/try.h"

namespace wright::http {
namespace {

constexpr int kBacklog = 4096;
constexpr int kFlags = SOCK_NONBLOCK | SOCK_CLOEXEC;

std::string_view advice_for(int error) {
  switch (error) {
    case EADDRINUSE: return "; something else listens there: stop it, or choose another port";
    case EACCES: return "; this user may not: choose a port above 1023, or another folder";
    case EADDRNOTAVAIL: return "; this machine has no such address";
    case ENOENT: return "; make its folder first";
    default: return "";
  }
}

std::unexpected<Error> cannot_listen(std::string_view address, int error) {
  return fail(ErrorCode::unavailable, fmt::format("Cannot listen on {}: {}{}", address,
                                                  std::strerror(error), advice_for(error)));
}

std::string host_text(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof(v4));
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
  } else if (address.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof(v6));
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  }
  return text;
}

bool is_loopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_UNIX) return true;
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof(v4));
    return (ntohl(v4.sin_addr.s_addr) >> 24U) == 127;
  }
  if (address.ss_family != AF_INET6) return false;
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof(v6));
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) return v6.sin6_addr.s6_addr[12] == 127;
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

int port_of(const sockaddr_storage& address) {
  sockaddr_in6 any{};  // the port stands at the same place in both
  std::memcpy(&any, &address, sizeof(any));
  return ntohs(any.sin6_port);
}

std::string address_text(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  if (address.ss_family == AF_UNIX) {
    sockaddr_un path{};
    std::memcpy(&path, &address, sizeof(path));
    return fmt::format("unix:{}", path.sun_path);
  }
  const std::string host = host_text(address);
  return address.ss_family == AF_INET6 ? fmt::format("[{}]:{}", host, port_of(address))
                                       : fmt::format("{}:{}", host, port_of(address));
}

// A socket file that nobody listens on is left by a process that was killed.
bool is_dead_socket(const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(address.sun_path, &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int connected =
      ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  return connected != 0 && errno == ECONNREFUSED;
}

Result<ListeningSocket> listen_on_path(std::string_view address) {
  const std::string path(address.substr(std::string_view("unix:").size()));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(name.sun_path)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The path of a Unix socket has 1 to {} bytes: {}",
                            sizeof(name.sun_path) - 1, address));
  }
  std::memcpy(name.sun_path, path.data(), path.size());
  if (is_dead_socket(name)) ::unlink(name.sun_path);
  FileDescriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | kFlags, 0));
  if (descriptor.get() < 0) return cannot_listen(address, errno);
  if (::bind(descriptor.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0) {
    return cannot_listen(address, errno);
  }
  // Nobody can connect before it listens.
  if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(descriptor.get(), kBacklog) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    return cannot_listen(address, error);
  }
  return ListeningSocket{std::move(descriptor), std::string(address), path, true};
}

struct HostAndPort {
  std::string host;
  std::string port;
};

Result<HostAndPort> host_and_port(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  std::string_view host = address.substr(0, colon == std::string_view::npos ? 0 : colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::string_view port =
      colon == std::string_view::npos ? std::string_view() : address.substr(colon + 1);
  if (host.empty() || port.empty() ||
      port.find_first_not_of("0123456789") != std::string_view::npos || port.size() > 5 ||
      std::stoi(std::string(port)) > 65'535) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is no address to listen on: write HOST:PORT, [IPV6]:PORT or "
                            "unix:PATH",
                            address));
  }
  return HostAndPort{std::string(host), std::string(port)};
}

}  // namespace

Result<ListeningSocket> listen_on(std::string_view address) {
  if (address.starts_with("unix:")) return listen_on_path(address);
  const HostAndPort parts = TRY(host_and_port(address));
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int error = ::getaddrinfo(parts.host.c_str(), parts.port.c_str(), &hints, &list);
      error != 0) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("Cannot listen on {}: {}", address, ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> held(list, ::freeaddrinfo);
  FileDescriptor descriptor(::socket(list->ai_family, SOCK_STREAM | kFlags, 0));
  if (descriptor.get() < 0) return cannot_listen(address, errno);
  const int on = 1;
  ::setsockopt(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (::bind(descriptor.get(), list->ai_addr, list->ai_addrlen) != 0 ||
      ::listen(descriptor.get(), kBacklog) != 0) {
    return cannot_listen(address, errno);
  }
  std::string real = address_text(descriptor.get());
  return ListeningSocket{std::move(descriptor), std::move(real), {}, false};
}

Result<ListeningSocket> listening_socket(int given) {
  FileDescriptor descriptor(given);
  int listens = 0;
  socklen_t size = sizeof(listens);
  if (::getsockopt(given, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("Descriptor {} is no socket that listens", given));
  }
  const int flags = ::fcntl(given, F_GETFL);
  ::fcntl(given, F_SETFL, flags | O_NONBLOCK);
  ::fcntl(given, F_SETFD, FD_CLOEXEC);
  std::string address = address_text(given);
  const bool is_unix = address.starts_with("unix:");
  return ListeningSocket{std::move(descriptor), std::move(address), {}, is_unix};
}

namespace {

std::shared_ptr<PeerUser> user_of_unix_peer(int descriptor) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return nullptr;
  return std::make_shared<PeerUser>(PeerProgram{.user = peer.uid, .process = peer.pid});
}

std::shared_ptr<PeerUser> user_of_loopback_peer(int descriptor, const sockaddr_storage& peer) {
  sockaddr_storage local{};
  socklen_t size = sizeof(local);
  struct stat status {};
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&local), &size) != 0 ||
      ::fstat(descriptor, &status) != 0) {
    return nullptr;
  }
  return std::make_shared<PeerUser>(ConnectionEnds{.peer = host_text(peer),
                                                   .peer_port = port_of(peer),
                                                   .local = host_text(local),
                                                   .local_port = port_of(local),
                                                   .inode = status.st_ino});
}

}  // namespace

AcceptedPeer accept_from(const ListeningSocket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  const int accepted = ::accept4(socket.descriptor.get(), reinterpret_cast<sockaddr*>(&address),
                                 &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (accepted < 0) return {.error = errno};
  if (socket.is_unix) {
    return {.descriptor = FileDescriptor(accepted),
            .name = "unix",
            .is_from_machine = true,
            .user = user_of_unix_peer(accepted)};
  }
  const int on = 1;
  ::setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const bool is_from_machine = is_loopback(address);
  return {.descriptor = FileDescriptor(accepted),
          .name = host_text(address),
          .is_from_machine = is_from_machine,
          .port = port_of(address),
          .user = is_from_machine ? user_of_loopback_peer(accepted, address) : nullptr};
}

}  // namespace wright::http
