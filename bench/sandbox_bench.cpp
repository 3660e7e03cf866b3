// What the sandbox adds to the start of a program: the same program by plain posix_spawn, through
// the sandbox switched off, and confined. The counters of the last one are the difference.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "wright/sandbox.h"

namespace {

using Clock = std::chrono::steady_clock;

void spawn_plainly() {
  char program[] = "/bin/true";
  char* arguments[] = {program, nullptr};
  char* environment[] = {nullptr};
  int pipes[2];
  if (::pipe2(pipes, O_CLOEXEC) != 0) std::abort();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
  pid_t process = 0;
  if (::posix_spawn(&process, program, &actions, nullptr, arguments, environment) != 0)
    std::abort();
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pipes[1]);
  char byte = 0;
  if (::read(pipes[0], &byte, 1) != 0) std::abort();
  ::close(pipes[0]);
  int status = 0;
  if (::waitpid(process, &status, 0) != process || status != 0) std::abort();
}

wright::Sandbox sandbox_of(wright::SandboxMode mode) {
  return wright::Sandbox::prepare({.mode = mode}).value();
}

void run_in(const wright::Sandbox& sandbox) {
  const auto finished = sandbox.run({.arguments = {"/bin/true"}});
  if (!finished || finished->exit_code != 0) std::abort();
}

double milliseconds_of(int times, const auto& function) {
  const auto began = Clock::now();
  for (int i = 0; i < times; ++i) function();
  const std::chrono::duration<double, std::milli> took = Clock::now() - began;
  return took.count() / times;
}

void start_plain(benchmark::State& state) {
  for (auto _ : state) spawn_plainly();
}
BENCHMARK(start_plain)->UseRealTime()->Unit(benchmark::kMillisecond);

void start_unconfined(benchmark::State& state) {
  const auto sandbox = sandbox_of(wright::SandboxMode::off);
  for (auto _ : state) run_in(sandbox);
}
BENCHMARK(start_unconfined)->UseRealTime()->Unit(benchmark::kMillisecond);

// Alternates with the plain start, so that both see the same machine.
void start_confined(benchmark::State& state) {
  const auto sandbox = sandbox_of(wright::SandboxMode::best_effort);
  for (auto _ : state) run_in(sandbox);
  constexpr int kRounds = 10;
  constexpr int kTimes = 20;
  double plain = 0;
  double confined = 0;
  for (int round = 0; round < kRounds; ++round) {
    plain += milliseconds_of(kTimes, spawn_plainly);
    confined += milliseconds_of(kTimes, [&] { run_in(sandbox); });
  }
  state.counters["ms_over_plain"] = (confined - plain) / kRounds;
  state.counters["ratio"] = confined / plain;
}
BENCHMARK(start_confined)->UseRealTime()->Unit(benchmark::kMillisecond);

void prepare(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(sandbox_of(wright::SandboxMode::best_effort));
  }
}
BENCHMARK(prepare)->UseRealTime()->Unit(benchmark::kMillisecond);

void judge_a_line(benchmark::State& state) {
  const auto rules =
      wright::CommandRules::make(wright::rules_of(wright::CommandPreset::workspace)).value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(rules.judge(
        "cd src && for f in *.cpp; do grep -n \"$(cat ../word)\" \"$f\" | head -3; done"));
  }
}
BENCHMARK(judge_a_line)->Unit(benchmark::kMicrosecond);

}  // namespace
