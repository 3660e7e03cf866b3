// For benchmarks that start programs: a child process, and the fake model server as one.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "wright/json.h"

namespace wright::bench {

[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
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
    auto json = parse_json(read_line());
    if (!json) give_up(json.error().message);
    return std::move(*json);
  }
  void write(const std::string& text) {
    std::fputs(text.c_str(), input_);
    std::fflush(input_);
  }
  void press_enter() { write("\n"); }

 private:
  pid_t id_ = -1;
  FILE* input_ = nullptr;
  FILE* output_ = nullptr;
};

// What a fake server with `--port 0` says of where it is, as the base of an OpenAI endpoint.
inline std::string base_url_of(Child& server) {
  const std::string said = server.read_line();
  std::string base = "http://" + said.substr(said.find("127.0.0.1"));
  while (base.ends_with('\n')) base.pop_back();
  return base + "/v1";
}

}  // namespace wright::bench
