// How long `wright --version` takes, from the call that starts the process to its end.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace {

// Starts the program with its output thrown away, and returns its exit status, or -1.
int run_to_the_end(const std::string& program, std::string argument) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = program;
  char* arguments[] = {name.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int failure = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failure != 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

void wright_version(benchmark::State& state) {
  for (auto _ : state) {
    if (run_to_the_end(WRIGHT_PROGRAM, "--version") != 0) {
      state.SkipWithError("wright --version failed");
      break;
    }
  }
}
BENCHMARK(wright_version)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
