// Whole sessions through the blocking driver: CPU and allocations per tool turn without a store,
// in memory and in SQLite, and the bytes that a turn leaves in the database.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "allocations.h"
#include "measure.h"
#include "wright/store.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace wright {
namespace {

using bench::cpu_seconds;
using bench::Folder;

struct ReadFile {
  std::string path;
  int limit = 0;
  std::string mode;
};
WRIGHT_DESCRIBE(ReadFile, WRIGHT_FIELD(path), WRIGHT_FIELD(limit), WRIGHT_FIELD(mode))

// A model that calls read_file in each of `turns` turns and then answers.
Model looping_model(int turns) {
  return model_from(
      "bench", "loop", [=](const Request& request, const ModelCall&) -> Result<Response> {
        const auto said = static_cast<int>(request.messages.size() - 1) / 2;
        if (said >= turns) return testing::says("DONE.");
        return testing::calls(
            {testing::call("read_file", R"({"path":"src/main.cpp","limit":20,"mode":"text"})",
                           "call_" + std::to_string(said))});
      });
}

Agent looping_agent(int turns) {
  Agent agent{
      .name = "bench",
      .instructions = "You are a careful assistant. Use the tool when you need it.",
      .model = looping_model(turns),
      .tools = {tool("read_file", "Read a file from the workspace.", [](const ReadFile& args) {
        return Json{{"ok", true},
                    {"path", args.path},
                    {"mode", args.mode},
                    {"bytes", 1024 + args.limit},
                    {"head", "lorem ipsum dolor sit amet"}};
      })}};
  agent.limits.max_iterations = turns + 1;
  agent.limits.max_repeats.reset();  // it is always the same call
  return agent;
}

void play(benchmark::State& state, Store* store) {
  const int turns = static_cast<int>(state.range(0));
  const Agent agent = looping_agent(turns);
  const std::uint64_t before = bench::allocations();
  const double cpu = cpu_seconds();
  for (auto _ : state) {
    constexpr std::string_view kPrompt = "Read the files you need and summarise what they hold.";
    const auto answer = store == nullptr ? run(agent, kPrompt) : run(*store, agent, kPrompt);
    if (!answer || answer->text != "DONE.") std::abort();
  }
  const double done = static_cast<double>(state.iterations()) * turns;
  state.counters["cpu_us/turn"] = (cpu_seconds() - cpu) * 1e6 / done;
  state.counters["allocs/turn"] = static_cast<double>(bench::allocations() - before) / done;
}

void no_store(benchmark::State& state) {
  play(state, nullptr);
}
BENCHMARK(no_store)->Arg(10);

void memory(benchmark::State& state) {
  play(state, open_memory_store().get());
}
BENCHMARK(memory)->Arg(10);

void sqlite(benchmark::State& state) {
  const Folder folder;
  auto store = open_sqlite_store(folder.database());
  if (!store) std::abort();
  play(state, store->get());
}
BENCHMARK(sqlite)->Arg(10)->UseRealTime();

// How much a turn leaves on disk in sessions of that many turns; flat when it grows linearly. Every
// case has a thousand turns in all, so that half-filled pages do not count.
void sqlite_bytes(benchmark::State& state) {
  constexpr int kTurns = 1000;
  const int turns = static_cast<int>(state.range(0));
  const Agent agent = looping_agent(turns);
  for (auto _ : state) {
    const Folder folder;
    {
      auto store = open_sqlite_store(folder.database());
      if (!store) std::abort();
      for (int session = 0; session < kTurns / turns; ++session) {
        if (!run(**store, agent, "Go")) std::abort();
      }
    }
    state.counters["bytes/turn"] = static_cast<double>(folder.bytes()) / kTurns;
  }
}
BENCHMARK(sqlite_bytes)->Arg(10)->Arg(100)->Arg(1000)->Iterations(1);

}  // namespace
}  // namespace wright
