// The real server under load: CPU time of its process for a list of sessions, for a session from
// beginning to end, with traces and without; memory of listeners, and what an event costs them.
//
//   server_bench [LISTENERS]     (1000; more need a higher `ulimit -n`)
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "child.h"
#include "measure.h"

namespace {

using namespace wright::bench;
using Clock = std::chrono::steady_clock;

constexpr const char* kQuestion =
    R"({"agent":"requirements-gathering","prompt":"Every morning, mail the new orders of our )"
    R"(PostgreSQL database to the sales team."})";

// The program as a server, with a home of its own.
class Server {
 public:
  explicit Server(const std::vector<std::string>& variables) {
    setenv("HOME", folder_.database().parent_path().c_str(), 1);
    for (const std::string& each : variables) {
      const std::size_t equals = each.find('=');
      setenv(each.substr(0, equals).c_str(), each.substr(equals + 1).c_str(), 1);
    }
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0) give_up("no pipes");
    id_ = fork();
    if (id_ == 0) {
      dup2(pipes[1], STDERR_FILENO);
      execl(WRIGHT_BINARY, WRIGHT_BINARY, "serve", "--listen", "127.0.0.1:0", nullptr);
      _exit(127);
    }
    close(pipes[1]);
    for (const std::string& each : variables) unsetenv(each.substr(0, each.find('=')).c_str());
    output_ = fdopen(pipes[0], "r");
    char line[1024];
    while (std::fgets(line, sizeof(line), output_) != nullptr) {
      const std::string said = line;
      const std::size_t at = said.find("http://127.0.0.1:");
      if (at == std::string::npos) continue;
      port_ = std::atoi(said.c_str() + at + 17);
      return;
    }
    give_up("the server does not listen");
  }
  ~Server() {
    kill(id_, SIGTERM);
    waitpid(id_, nullptr, 0);
    std::fclose(output_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int connect() const {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name.sin_port = htons(static_cast<std::uint16_t>(port_));
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0 || ::connect(made, reinterpret_cast<sockaddr*>(&name), sizeof(name)) != 0) {
      give_up("no connection: is `ulimit -n` high enough?");
    }
    return made;
  }
  std::string head(const std::string& method_and_path, const std::string& more = {}) const {
    return fmt::format("{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}", method_and_path, port_, more);
  }

  double cpu_seconds() const {
    std::ifstream file(fmt::format("/proc/{}/stat", id_));
    std::string text((std::istreambuf_iterator<char>(file)), {});
    text.erase(0, text.rfind(')') + 2);
    double ticks = 0;
    std::size_t at = 0;
    for (int field = 3; field <= 15; ++field) {  // utime and stime are 14 and 15
      const std::size_t end = text.find(' ', at);
      if (field >= 14) ticks += std::atof(text.substr(at, end - at).c_str());
      at = end + 1;
    }
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  double resident_kib() const {
    std::ifstream file(fmt::format("/proc/{}/status", id_));
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("VmRSS:")) return std::atof(line.c_str() + 6);
    }
    return 0;
  }

 private:
  Folder folder_;
  pid_t id_ = -1;
  int port_ = 0;
  FILE* output_ = nullptr;
};

// One answer with a Content-Length.
std::string read_answer(int connection) {
  std::string text;
  char buffer[65536];
  while (true) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end != std::string::npos) {
      const std::size_t length = text.find("Content-Length: ");
      if (length == std::string::npos || length > end) give_up("an answer of unknown length");
      const auto size = static_cast<std::size_t>(std::atol(text.c_str() + length + 16));
      if (text.size() >= end + 4 + size) return text.substr(end + 4, size);
    }
    const ssize_t count = recv(connection, buffer, sizeof(buffer), 0);
    if (count <= 0) give_up("the server closed the connection");
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

std::string ask(int connection, const std::string& request) {
  if (send(connection, request.data(), request.size(), MSG_NOSIGNAL) < 0) give_up("cannot send");
  return read_answer(connection);
}

void begin_sessions(const Server& server, int connection, int count) {
  const std::string request =
      server.head("POST /api/v1/sessions",
                  fmt::format("Content-Length: {}\r\n\r\n", std::string(kQuestion).size()));
  for (int i = 0; i < count; ++i) ask(connection, request + kQuestion);
  // Until all have ended.
  const std::string running = server.head("GET /api/v1/sessions?status=running&limit=1") + "\r\n";
  while (ask(connection, running).find("\"sessions\":[]") == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// Who spans go to: answers everything with 200, in a thread of this process, whose time is not
// measured.
class Collector {
 public:
  Collector() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(name);
    if (bind(listener_, reinterpret_cast<sockaddr*>(&name), size) != 0 ||
        listen(listener_, 16) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
      give_up("no collector");
    }
    port_ = ntohs(name.sin_port);
    thread_ = std::thread([this] { accept_all(); });
  }
  ~Collector() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  std::string variable() const {
    return fmt::format("OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:{}", port_);
  }
  std::size_t requests() const { return requests_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void accept_all() {
    std::vector<std::thread> peers;
    for (int peer = 0; (peer = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      peers.emplace_back([this, peer] { answer_all(peer); });
    }
    for (std::thread& peer : peers) peer.join();
  }
  // Requests with a Content-Length, one after the other, until the peer closes.
  void answer_all(int peer) {
    std::string text;
    char buffer[65536];
    for (ssize_t count = 0; (count = recv(peer, buffer, sizeof(buffer), 0)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(count));
      while (take_request(text)) {
        constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        (void)!send(peer, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
      }
    }
    close(peer);
  }
  bool take_request(std::string& text) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    const std::size_t length = text.find("Content-Length: ");
    if (length == std::string::npos || length > end) give_up("spans of unknown length");
    const auto size = static_cast<std::size_t>(std::atol(text.c_str() + length + 16));
    if (text.size() < end + 4 + size) return false;
    text.erase(0, end + 4 + size);
    ++requests_;
    bytes_ += size;
    return true;
  }

  const int listener_;
  int port_ = 0;
  std::atomic<std::size_t> requests_ = 0;
  std::atomic<std::size_t> bytes_ = 0;
  std::thread thread_;
};

struct Cost {
  double per_second = 0;
  double cpu_us = 0;
};

Cost measured(const Server& server, int count, const std::function<void()>& work) {
  const auto began = Clock::now();
  const double before = server.cpu_seconds();
  work();
  const std::chrono::duration<double> took = Clock::now() - began;
  return {count / took.count(), (server.cpu_seconds() - before) / count * 1e6};
}

void print(const char* what, const Cost& cost) {
  fmt::print("{:<44} {:>8.0f}/s  {:>8.0f} us of CPU\n", what, cost.per_second, cost.cpu_us);
}

// A gauge of /metrics.
double gauge(const Server& server, int connection, const std::string& name) {
  const std::string text = ask(connection, server.head("GET /metrics") + "\r\n");
  const std::size_t at = text.find("\n" + name + " ");
  if (at == std::string::npos) give_up("no gauge");
  return std::atof(text.c_str() + at + 1 + name.size() + 1);
}

Cost sessions_with(const std::vector<std::string>& variables, int count) {
  const Server server(variables);
  const int connection = server.connect();
  begin_sessions(server, connection, 20);  // agents are made once
  const Cost cost = measured(server, count, [&] {
    begin_sessions(server, connection, count);
    // What is encoded and sent for them belongs to the cost.
    while (gauge(server, connection, "wright_spans_waiting") > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  if (gauge(server, connection, "wright_spans_lost") > 0) give_up("spans were lost");
  close(connection);
  return cost;
}

void measure_lists() {
  const Server server({});
  const int connection = server.connect();
  begin_sessions(server, connection, 200);
  const std::string request = server.head("GET /api/v1/sessions?limit=50") + "\r\n";
  constexpr int kRequests = 2'000;
  print("a list of 50 sessions", measured(server, kRequests, [&] {
          for (int i = 0; i < kRequests; ++i) ask(connection, request);
        }));
  close(connection);
}

void measure_listeners(int count) {
  const Server server({});
  const int connection = server.connect();
  begin_sessions(server, connection, 20);
  const double before = server.resident_kib();
  std::vector<int> listeners;
  const std::string request =
      server.head("GET /api/v1/events", "Accept: text/event-stream\r\n\r\n");
  for (int i = 0; i < count; ++i) {
    listeners.push_back(server.connect());
    (void)!send(listeners.back(), request.data(), request.size(), MSG_NOSIGNAL);
    char first[4096];
    if (recv(listeners.back(), first, sizeof(first), 0) <= 0) give_up("no stream");
  }
  fmt::print("{:<44} {:>8.1f} KiB each\n", fmt::format("{} idle listeners", count),
             (server.resident_kib() - before) / count);
  // What a session costs with and without them, over the events that it has.
  constexpr int kSessions = 5;
  const Cost heard =
      measured(server, kSessions, [&] { begin_sessions(server, connection, kSessions); });
  for (const int each : listeners) close(each);
  begin_sessions(server, connection, 5);  // until it has noticed
  const Cost alone =
      measured(server, kSessions, [&] { begin_sessions(server, connection, kSessions); });
  const std::string events = ask(connection, server.head("GET /api/v1/sessions/1/events") + "\r\n");
  double told = 0;
  for (std::size_t at = 0; (at = events.find("\"sequence\":", at)) != std::string::npos; ++at)
    ++told;
  fmt::print("{:<44} {:>8.2f} us of CPU\n", "an event, for each listener",
             (heard.cpu_us - alone.cpu_us) / told / count);
  close(connection);
}

}  // namespace

int main(int argc, char** argv) {
  const int asked = argc > 1 ? std::atoi(argv[1]) : 0;
  const int listeners = asked > 0 ? asked : 1'000;
  rlimit most{};
  getrlimit(RLIMIT_NOFILE, &most);
  most.rlim_cur = most.rlim_max;
  setrlimit(RLIMIT_NOFILE, &most);
  measure_lists();
  constexpr int kSessions = 300;
  const Cost off = sessions_with({}, kSessions);
  print("a session, from its beginning to its end", off);
  const Collector collector;
  // As by default, but that the queue holds what so many sessions at once make, and is sent sooner.
  const Cost on = sessions_with(
      {collector.variable(), "OTEL_BSP_MAX_QUEUE_SIZE=100000", "OTEL_BSP_SCHEDULE_DELAY=200"},
      kSessions);
  if (collector.requests() == 0) give_up("no spans came");
  print("the same with traces", on);
  fmt::print("{:<44} {:>8} requests, {} bytes\n", "the collector got", collector.requests(),
             collector.bytes());
  fmt::print("{:<44} {:>8.1f} %\n", "traces add", (on.cpu_us / off.cpu_us - 1) * 100);
  measure_listeners(listeners);
}
