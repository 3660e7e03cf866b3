// CPU of one tool turn of the whole loop over HTTP, and memory of one waiting session, against a
// fake model server on this machine. Runs loop_driver, so that the server's work is not counted.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/json/object.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "wright/json.h"

namespace {

using wright::Json;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "loop_bench: %s\n", why.c_str());
  std::exit(1);
}

// A child with pipes to its standard input and output.
class Child {
 public:
  explicit Child(std::vector<std::string> words) {
    int input[2];
    int output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) give_up("no pipes");
    id_ = fork();
    if (id_ == 0) {
      dup2(input[0], STDIN_FILENO);
      dup2(output[1], STDOUT_FILENO);
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(input[0]);
    close(output[1]);
    input_ = fdopen(input[1], "w");
    output_ = fdopen(output[0], "r");
  }
  ~Child() {
    std::fclose(input_);
    std::fclose(output_);
    kill(id_, SIGTERM);
    waitpid(id_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::string read_line() {
    char line[1024];
    if (std::fgets(line, sizeof(line), output_) == nullptr) give_up("a child ended early");
    return line;
  }
  Json read_json() {
    auto json = wright::parse_json(read_line());
    if (!json) give_up(json.error().message);
    return std::move(*json);
  }
  void press_enter() {
    std::fputs("\n", input_);
    std::fflush(input_);
  }

 private:
  pid_t id_ = -1;
  FILE* input_ = nullptr;
  FILE* output_ = nullptr;
};

double number(const Json& json, std::string_view key) {
  return json.at(key).to_number<double>();
}

struct Way {
  const char* label;
  std::vector<std::string> options;
};

}  // namespace

int main() {
  Child server({WRIGHT_FAKE_LLM, "--port", "0"});
  const std::string said = server.read_line();
  std::string base = "http://" + said.substr(said.find("127.0.0.1"));
  while (base.ends_with('\n')) base.pop_back();
  base += "/v1";
  char folder[] = "/tmp/wright_loop_XXXXXX";
  if (mkdtemp(folder) == nullptr) give_up("no temporary folder");

  const std::vector<Way> ways{
      {"not stored, whole", {}},
      {"not stored, streamed", {"--stream", "1"}},
      {"SQLite, whole", {"--persist", "sqlite"}},
      {"SQLite, streamed", {"--persist", "sqlite", "--stream", "1"}},
  };
  std::printf("%-34s %12s %12s %10s\n", "whole loop, 10 tool turns, 16 at once", "CPU us/turn",
              "wall us/turn", "ratio");
  double first = 0;
  for (const Way& way : ways) {
    std::vector<std::string> words{WRIGHT_LOOP_DRIVER,
                                   "--base",
                                   base,
                                   "--model",
                                   "fake-k10",
                                   "--n",
                                   "300",
                                   "--c",
                                   "16",
                                   "--warm",
                                   "30",
                                   "--db",
                                   fmt::format("{}/loop.db", folder)};
    words.insert(words.end(), way.options.begin(), way.options.end());
    const Json result = Child(std::move(words)).read_json();
    const double turns = number(result, "turns");
    const double cpu = (number(result, "user_ms") + number(result, "sys_ms")) * 1e3 / turns;
    if (first == 0) first = cpu;
    std::printf("%-37s %12.1f %12.1f %9.2fx\n", way.label, cpu,
                number(result, "wall_s") * 1e6 / turns, cpu / first);
    std::fflush(stdout);
  }

  constexpr int kWaiting = 1000;
  Child idle({WRIGHT_LOOP_DRIVER, "--base", base, "--model", "fake-k1-l600000", "--warm", "16",
              "--idle", std::to_string(kWaiting)});
  const double before = number(idle.read_json(), "rss");
  idle.press_enter();
  std::this_thread::sleep_for(std::chrono::seconds(3));
  idle.press_enter();
  const double after = number(idle.read_json(), "rss");
  std::printf("%-37s %12.1f KiB\n", "one of 1,000 waiting sessions", (after - before) / kWaiting);
  idle.press_enter();
  std::filesystem::remove_all(folder);
}
