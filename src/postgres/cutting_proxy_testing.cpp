#include "postgres/cutting_proxy_testing.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <optional>
#include <string_view>

namespace wright::postgres {
namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

bool write_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// False at the end of the connection.
bool read_more(int socket, std::string& into) {
  std::array<char, 16384> piece{};
  const ssize_t count = ::read(socket, piece.data(), piece.size());
  if (count <= 0) return false;
  into.append(piece.data(), static_cast<std::size_t>(count));
  return true;
}

std::uint32_t number_at(std::string_view bytes) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return ntohl(number);
}

// A letter, its length, its contents: how long the first of them is, once it is there as a whole.
std::optional<std::size_t> length_of_message(std::string_view bytes) {
  constexpr std::size_t kHead = 5;
  if (bytes.size() < kHead) return std::nullopt;
  const std::size_t length = 1 + number_at(bytes.substr(1));
  if (bytes.size() < length) return std::nullopt;
  return length;
}

// Up to and with the first message of this kind, once it is there.
std::optional<std::size_t> length_until(std::string_view bytes, std::string_view kinds) {
  std::size_t at = 0;
  while (const auto length = length_of_message(bytes.substr(at))) {
    const bool is_last = kinds.contains(bytes[at]);
    at += *length;
    if (is_last) return at;
  }
  return std::nullopt;
}

}  // namespace

// One connection of a client and the one to the server that belongs to it.
class CuttingProxy::Pair {
 public:
  Pair(CuttingProxy& proxy, int client) : proxy_(proxy), client_(client) {}
  ~Pair() {
    ::close(client_);
    if (server_ >= 0) ::close(server_);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void serve() {
    server_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of(proxy_.server_);
    if (::connect(server_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      return;
    }
    while (true) {
      std::array<pollfd, 3> waited{pollfd{.fd = client_, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = server_, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = proxy_.wake_, .events = POLLIN, .revents = 0}};
      if (::poll(waited.data(), waited.size(), -1) < 0 || waited[2].revents != 0) return;
      if (waited[1].revents != 0) {
        std::string answer;
        if (!read_more(server_, answer) || !write_all(client_, answer)) return;
      }
      if (waited[0].revents != 0 && (!read_more(client_, asked_) || !pass_requests())) return;
    }
  }

 private:
  // False when the connection is over.
  bool pass_requests() {
    if (!has_begun_) {
      // The first message has no letter; the request to cancel another is of the same kind.
      if (asked_.size() < 4 || asked_.size() < number_at(asked_)) return true;
      has_begun_ = true;
      return write_all(server_, std::exchange(asked_, {}));
    }
    while (const auto length = length_until(asked_, "SX")) {
      const std::string request = asked_.substr(0, *length);
      asked_.erase(0, *length);
      if (const auto where = proxy_.next_cut()) {
        if (*where != Cut::before_request && write_all(server_, request)) cut_answer(*where);
        return false;
      }
      if (!write_all(server_, request)) return false;
    }
    return true;
  }

  void cut_answer(Cut where) {
    if (where == Cut::behind_request) return;
    std::string answer;
    std::optional<std::size_t> length;
    while (!(length = length_until(answer, "Z"))) {
      if (!read_more(server_, answer)) return;
    }
    constexpr std::size_t kReady = 6;  // the length of "ReadyForQuery"
    if (where == Cut::before_answer_ends) {
      write_all(client_, std::string_view(answer).substr(0, *length - kReady));
    }
  }

  CuttingProxy& proxy_;
  int client_;
  int server_ = -1;
  bool has_begun_ = false;
  std::string asked_;  // what no Sync has come for yet
};

CuttingProxy::CuttingProxy(const std::string& url) {
  const std::string_view before = "host=";
  const std::size_t begin = url.find(before) + before.size();
  server_ = url.substr(begin) + "/.s.PGSQL.5432";
  url_ = url.substr(0, begin) + folder_.path().string();
  listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  wake_ = ::eventfd(0, EFD_CLOEXEC);
  const sockaddr_un address = address_of(folder_ / ".s.PGSQL.5432");
  constexpr int kBacklog = 16;
  if (::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listening_, kBacklog) != 0) {
    ADD_FAILURE() << "There is no socket for the proxy";
    return;
  }
  accepting_ = std::jthread([this] { accept_all(); });
}

CuttingProxy::~CuttingProxy() {
  const std::uint64_t one = 1;
  EXPECT_EQ(::write(wake_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  if (accepting_.joinable()) accepting_.join();
  pairs_.clear();
  ::close(listening_);
  ::close(wake_);
}

void CuttingProxy::accept_all() {
  while (true) {
    std::array<pollfd, 2> waited{pollfd{.fd = listening_, .events = POLLIN, .revents = 0},
                                 pollfd{.fd = wake_, .events = POLLIN, .revents = 0}};
    if (::poll(waited.data(), waited.size(), -1) < 0 || waited[1].revents != 0) return;
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    pairs_.emplace_back([this, client] { Pair(*this, client).serve(); });
  }
}

std::optional<Cut> CuttingProxy::next_cut() {
  const std::lock_guard lock(mutex_);
  if (times_left_ == 0 || passed_left_-- > 0) return std::nullopt;
  --times_left_;
  ++cuts_;
  return where_;
}

void CuttingProxy::cut(Cut where, int passed, int times) {
  const std::lock_guard lock(mutex_);
  where_ = where;
  passed_left_ = passed;
  times_left_ = times;
  cuts_ = 0;
}

int CuttingProxy::stop() {
  const std::lock_guard lock(mutex_);
  times_left_ = 0;
  return cuts_;
}

}  // namespace wright::postgres
