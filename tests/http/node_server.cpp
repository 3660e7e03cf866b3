#include "node_server.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace wright::http {
namespace {

[[noreturn]] void give_up(const std::string& script, const char* why) {
  std::fprintf(stderr, "%s did not start: %s\n", script.c_str(), why);
  std::exit(1);
}

}  // namespace

NodeServer::NodeServer(const std::string& script, const std::vector<std::string>& arguments) {
  const std::string program =
      script.ends_with(".py") ? "python3" : std::string(WRIGHT_NODE);
  std::vector<const char*> words{program.c_str(), script.c_str()};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  words.push_back(nullptr);
  int input[2];
  int output[2];
  if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) give_up(script, "no pipes");
  id_ = fork();
  if (id_ == 0) {
    dup2(input[0], STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    execvp(program.c_str(),
           const_cast<char* const*>(words.data()));  // NOLINT: it changes none of them
    _exit(127);
  }
  close(input[0]);
  close(output[1]);
  input_ = input[1];
  FILE* lines = fdopen(output[0], "r");
  char line[256];
  if (std::fgets(line, sizeof(line), lines) == nullptr) {
    give_up(script, "it said nothing; is aimock installed, and Node.js 20.15 or newer?");
  }
  std::fclose(lines);
  place_ = line;
  while (place_.ends_with('\n')) place_.pop_back();
}

NodeServer::~NodeServer() {
  close(input_);
  waitpid(id_, nullptr, 0);
}

}  // namespace wright::http
