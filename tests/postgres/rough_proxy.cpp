#include "postgres/rough_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <list>
#include <random>
#include <vector>

#include "faults/process.h"

namespace wright::faults {
namespace {

using std::chrono::milliseconds;
using Time = std::chrono::steady_clock::time_point;

constexpr std::size_t kMostPairs = 400;
constexpr unsigned kOneOfCut = 500;      // pieces that pass
constexpr unsigned kOneOfDelayed = 150;  // pieces that pass

void close_hard(int socket) {
  // Whatever is under way is thrown away, as by a cable that is pulled.
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(socket);
}

// One direction of a connection.
struct Way {
  int from = -1;
  int to = -1;
  std::string held = {};
  Time not_before = {};
};

struct Pair {
  std::array<Way, 2> ways;
  bool is_over = false;
};

class Proxy {
 public:
  Proxy(int listening, int weather, std::string socket, unsigned seed, milliseconds longest_delay)
      : listening_(listening),
        weather_(weather),
        socket_(std::move(socket)),
        longest_delay_(longest_delay),
        random_(seed) {}

  int serve() {
    while (true) {
      if (!wait()) return 0;
      for (Pair& pair : pairs_) {
        for (Way& way : pair.ways) {
          if (!pair.is_over) pair.is_over = !move(way);
        }
      }
      pairs_.remove_if([](const Pair& pair) {
        if (!pair.is_over) return false;
        close_hard(pair.ways[0].from);
        close_hard(pair.ways[0].to);
        return true;
      });
    }
  }

 private:
  bool one_of(unsigned many) { return is_rough_ && random_() % many == 0; }

  // False when the test is over.
  bool wait() {
    std::vector<pollfd> waited{{.fd = weather_, .events = POLLIN, .revents = 0},
                               {.fd = listening_, .events = POLLIN, .revents = 0}};
    const Time now = std::chrono::steady_clock::now();
    for (const Pair& pair : pairs_) {
      for (const Way& way : pair.ways) {
        if (way.not_before > now) continue;
        if (way.held.empty()) {
          waited.push_back({.fd = way.from, .events = POLLIN, .revents = 0});
        } else {
          waited.push_back({.fd = way.to, .events = POLLOUT, .revents = 0});
        }
      }
    }
    constexpr int kTick = 20;  // milliseconds, for those that are held back
    if (::poll(waited.data(), waited.size(), pairs_.empty() ? -1 : kTick) < 0)
      return errno == EINTR;
    if (waited[0].revents != 0) {
      char weather = 0;
      if (::read(weather_, &weather, 1) != 1) return false;
      is_rough_ = weather == 'r';
    }
    if (waited[1].revents != 0) accept();
    return true;
  }

  void accept() {
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) return;
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_.copy(address.sun_path, sizeof address.sun_path - 1);
    const bool is_there =
        pairs_.size() < kMostPairs &&
        ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    if (!is_there) {
      ::close(server);
      close_hard(client);
      return;
    }
    ::fcntl(server, F_SETFL, O_NONBLOCK);
    pairs_.push_back({{Way{client, server}, Way{server, client}}});
  }

  // False when the connection is over.
  bool move(Way& way) {
    if (way.not_before > std::chrono::steady_clock::now()) return true;
    if (way.held.empty()) {
      std::array<char, 8192> piece{};
      const ssize_t count = ::read(way.from, piece.data(), piece.size());
      if (count < 0) return errno == EAGAIN || errno == EINTR;
      if (count == 0) return false;
      way.held.assign(piece.data(), static_cast<std::size_t>(count));
      if (one_of(kOneOfCut)) {
        way.held.resize(random_() % way.held.size());
        (void)!::write(way.to, way.held.data(), way.held.size());
        return false;
      }
      if (one_of(kOneOfDelayed)) {
        way.not_before = std::chrono::steady_clock::now() +
                         milliseconds(random_() % static_cast<unsigned>(longest_delay_.count()));
        return true;
      }
    }
    const ssize_t count = ::write(way.to, way.held.data(), way.held.size());
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    way.held.erase(0, static_cast<std::size_t>(count));
    return true;
  }

  const int listening_;
  const int weather_;
  const std::string socket_;
  const milliseconds longest_delay_;
  std::minstd_rand random_;
  bool is_rough_ = false;
  std::list<Pair> pairs_;
};

}  // namespace

RoughProxy::RoughProxy(const std::string& socket, unsigned seed, milliseconds longest_delay) {
  const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  std::array<int, 2> ends{};
  constexpr int kBacklog = 128;
  if (::bind(listening, plain, size) != 0 || ::listen(listening, kBacklog) != 0 ||
      ::getsockname(listening, plain, &size) != 0 || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    ADD_FAILURE() << "There is no socket for the proxy";
    return;
  }
  port_ = ntohs(address.sin_port);
  process_ = in_child([&] {
    ::alarm(0);  // it ends with the pipe
    std::signal(SIGPIPE, SIG_IGN);
    ::close(ends[1]);
    return Proxy(listening, ends[0], socket, seed, longest_delay).serve();
  });
  ::close(listening);
  ::close(ends[0]);
  weather_ = ends[1];
}

RoughProxy::~RoughProxy() {
  if (process_ <= 0) return;
  ::close(weather_);
  ::kill(process_, SIGKILL);  // others may hold the pipe
  ::waitpid(process_, nullptr, 0);
}

void RoughProxy::tell(char weather) const {
  EXPECT_EQ(::write(weather_, &weather, 1), 1);
}

}  // namespace wright::faults
