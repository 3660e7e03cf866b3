// How long `wright --version` takes from a cold process, beside /bin/true in the same run.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>

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

}  // namespace
