// The run machine alone: what one tool turn costs, and whether that depends on how long the
// history already is.
#include <benchmark/benchmark.h>

#include "allocations.h"
#include "wright/run.h"
#include "wright/testing.h"

namespace wright {
namespace {

Agent patient_agent() {
  Agent agent{.name = "bench"};
  agent.limits.max_iterations = 1'000'000'000;
  agent.limits.max_repeats.reset();
  return agent;
}

// One tool turn: the model calls a tool, the tool answers.
void take_turn(const Agent& agent, Run& run, const Response& response) {
  benchmark::DoNotOptimize(next(agent, run));
  if (!accept(run, ModelAnswered{response})) std::abort();
  auto calls = std::get<CallTools>(next(agent, run)).calls;
  for (ToolCall& call : calls) {
    ToolResult result{std::move(call.id), std::move(call.name),
                      R"({"ok":true,"bytes":1044,"head":"lorem ipsum dolor sit amet"})", false};
    if (!accept(run, ToolFinished{std::move(result)})) std::abort();
  }
}

// Arguments: calls per turn, turns before the measured ones.
void turn(benchmark::State& state) {
  const Agent agent = patient_agent();
  std::vector<ToolCall> calls;
  for (int i = 0; i < state.range(0); ++i) {
    calls.push_back(
        testing::call("read_file", R"({"path":"src/main.cpp","limit":20,"mode":"text"})"));
  }
  const Response response = testing::calls(calls);
  Run run = start(agent, "Read the files you need and summarise what they hold.");
  for (int i = 0; i < state.range(1); ++i) take_turn(agent, run, response);
  const Run begun = run;
  std::uint64_t allocated = 0;
  std::int64_t turns = 0;
  for (auto _ : state) {
    const std::uint64_t before = bench::allocations();
    take_turn(agent, run, response);
    allocated += bench::allocations() - before;
    if (++turns % 1000 == 0) {
      state.PauseTiming();
      run = begun;
      state.ResumeTiming();
    }
  }
  state.counters["allocations"] = static_cast<double>(allocated) / static_cast<double>(turns);
}
BENCHMARK(turn)->ArgNames({"calls", "history"})->Args({1, 0})->Args({1, 1000})->Args({3, 0});

void json_round_trip(benchmark::State& state) {
  const Agent agent = patient_agent();
  Run run = start(agent, "Go");
  for (int i = 0; i < 10; ++i) {
    take_turn(agent, run, testing::calls({testing::call("read_file", R"({"path":"a"})")}));
  }
  for (auto _ : state) benchmark::DoNotOptimize(run_from_json(*parse_json(to_text(to_json(run)))));
}
BENCHMARK(json_round_trip);

}  // namespace
}  // namespace wright
