// How long `wright --version` takes from a cold process, beside /bin/true in the same run; and how
// long it is from the start of `wright run` to the first byte of its request to a model on this
// machine.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

extern char** environ;

namespace {

void spawn(benchmark::State& state, const char* program, const char* argument) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  char* const arguments[] = {const_cast<char*>(program), const_cast<char*>(argument), nullptr};
  for (auto _ : state) {
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, program, &actions, nullptr, arguments, environ) != 0) std::abort();
    if (waitpid(child, &status, 0) != child || status != 0) std::abort();
  }
  posix_spawn_file_actions_destroy(&actions);
}

void bin_true(benchmark::State& state) {
  spawn(state, "/bin/true", nullptr);
}
BENCHMARK(bin_true)->Unit(benchmark::kMillisecond)->UseRealTime();

void wright_version(benchmark::State& state) {
  spawn(state, WRIGHT_BINARY, "--version");
}
BENCHMARK(wright_version)->Unit(benchmark::kMillisecond)->UseRealTime();

// A server that reads one byte and says nothing.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        ::listen(socket_, 16) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      std::abort();
    }
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { ::close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  void wait_for_byte() const {
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    char byte = 0;
    if (::recv(connection, &byte, 1, 0) != 1) std::abort();
    ::close(connection);
  }

 private:
  int socket_;
  int port_ = 0;
};

void first_request(benchmark::State& state) {
  std::string home = (std::filesystem::temp_directory_path() / "wright-start-XXXXXX").string();
  if (mkdtemp(home.data()) == nullptr) std::abort();
  const Listener listener;
  std::filesystem::create_directories(home + "/.config/wright");
  std::filesystem::create_directories(home + "/project");
  std::ofstream(home + "/.config/wright/config.toml")
      << "[vendors.there]\nprotocol = \"openai-chat\"\nbase_url = \"http://127.0.0.1:"
      << listener.port() << "/v1\"\n";
  // Without a disk, which would take most of the time.
  std::array<std::string, 10> words{
      WRIGHT_BINARY, "run",         "codebase-analysis", "hello",           "--model",
      "there:any",   "--base-path", home + "/project",   "--database-path", ":memory:"};
  std::array<char*, 11> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  std::array<std::string, 2> variables{"HOME=" + home, "PATH=/usr/bin:/bin"};
  std::array<char*, 3> environment{variables[0].data(), variables[1].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  }
  for (auto _ : state) {
    pid_t child = 0;
    if (posix_spawn(&child, WRIGHT_BINARY, &actions, nullptr, arguments.data(),
                    environment.data()) != 0) {
      std::abort();
    }
    listener.wait_for_byte();
    state.PauseTiming();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    state.ResumeTiming();
  }
  posix_spawn_file_actions_destroy(&actions);
  std::filesystem::remove_all(home);
}
BENCHMARK(first_request)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
