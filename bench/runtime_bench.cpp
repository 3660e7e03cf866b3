// What the runtime adds to a tool turn: a specialist instead of a tool, a thousand listeners, and
// going on with a long session that was stored. The model and the tools cost next to nothing.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "allocations.h"
#include "measure.h"
#include "wright/agent.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace wright {
namespace {

using bench::cpu_seconds;
using bench::Folder;

constexpr int kTurns = 10;

template <class T>
T value_of(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "runtime_bench: %s\n", result.error().message.c_str());
    std::abort();
  }
  return std::move(*result);
}

Model answering() {
  return model_from("bench", "answering", [](const Request&, const ModelCall&) -> Result<Response> {
    return testing::says("noted");
  });
}

// Calls the tool once in each of `turns` turns, then answers.
Model calling(std::string tool, int turns) {
  return model_from(
      "bench", "calling", [=](const Request& request, const ModelCall&) -> Result<Response> {
        const auto said = static_cast<int>(request.messages.size() - 1) / 2;
        if (said >= turns) return testing::says("DONE.");
        return testing::calls(
            {testing::call(tool, R"({"message":"Note it"})", "call_" + std::to_string(said))});
      });
}

AgentPointer agent_calling(std::string name, Tool called, int turns) {
  return std::make_shared<const Agent>(
      Agent{.name = std::move(name),
            .model = calling(called.spec.name, turns),
            .tools = {std::move(called)},
            .limits = {.max_iterations = turns + 1, .max_repeats = {}}});
}

struct Note {
  std::string message;
};
WRIGHT_DESCRIBE(Note, WRIGHT_FIELD(message))

Tool noting() {
  return tool("note", "Notes it", [](const Note&) { return "noted"; });
}

// --- a specialist instead of a tool --------------------------------------------------------------

// Nothing is stored, so that what is compared is the runtime itself: the child's own turn, its
// session and the way back. `plain` has a model turn more a call, as a child has.
void turns_of(benchmark::State& state, const Tool& called, Store* store) {
  const auto runtime = value_of(Runtime::open({.store = store, .kept_events = 0}));
  const AgentPointer agent = agent_calling("above", called, kTurns);
  const std::uint64_t allocated = bench::allocations();
  const double cpu = cpu_seconds();
  for (auto _ : state) {
    const SessionId id = value_of(runtime->start(agent, "Go"));
    if (value_of(runtime->wait(id)).text != "DONE.") std::abort();
  }
  const double turns = static_cast<double>(state.iterations()) * kTurns;
  state.counters["cpu_us/turn"] = (cpu_seconds() - cpu) * 1e6 / turns;
  state.counters["allocs/turn"] = static_cast<double>(bench::allocations() - allocated) / turns;
}

Tool specialist() {
  return delegate_to(Agent{.name = "below", .instructions = "Notes it", .model = answering()});
}

void tool_turn(benchmark::State& state) {
  turns_of(state, noting(), nullptr);
}
BENCHMARK(tool_turn)->UseRealTime();

void specialist_turn(benchmark::State& state) {
  turns_of(state, specialist(), nullptr);
}
BENCHMARK(specialist_turn)->UseRealTime();

void tool_turn_sqlite(benchmark::State& state) {
  const Folder folder;
  turns_of(state, noting(), value_of(open_sqlite_store(folder.database())).get());
}
BENCHMARK(tool_turn_sqlite)->UseRealTime();

void specialist_turn_sqlite(benchmark::State& state) {
  const Folder folder;
  turns_of(state, specialist(), value_of(open_sqlite_store(folder.database())).get());
}
BENCHMARK(specialist_turn_sqlite)->UseRealTime();

// --- listeners -----------------------------------------------------------------------------------

// All of them hear every event of the sessions.
void listeners(benchmark::State& state) {
  const auto store = open_memory_store();
  const auto runtime = value_of(Runtime::open({.store = store.get()}));
  const AgentPointer agent = agent_calling("heard", noting(), kTurns);
  std::atomic<std::uint64_t> heard = 0;
  const double cpu = cpu_seconds();
  for (auto _ : state) {
    const SessionId id = value_of(runtime->start(agent, "Go"));
    std::vector<Subscription> subscriptions;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      subscriptions.push_back(
          value_of(runtime->subscribe(id, 0, [&](const SessionEvent&) { ++heard; })));
    }
    (void)value_of(runtime->wait(id));
  }
  state.counters["heard"] = static_cast<double>(heard) / static_cast<double>(state.iterations());
  if (heard > 0) {
    state.counters["cpu_ns/heard"] = (cpu_seconds() - cpu) * 1e9 / static_cast<double>(heard);
  }
}
BENCHMARK(listeners)->Arg(1)->Arg(1000)->UseRealTime();

// --- going on ------------------------------------------------------------------------------------

// A session of that many turns is loaded, asks its model once more, and is stored as completed.
void resume_session(benchmark::State& state) {
  const int turns = static_cast<int>(state.range(0));
  const Folder folder;
  const auto store = value_of(open_sqlite_store(folder.database()));
  const Tool note = noting();
  const Agent agent{.name = "long",
                    .model = calling("note", turns),
                    .tools = {note},
                    .limits = {.max_iterations = turns + 1, .max_repeats = {}}};
  const SessionId id = value_of(run(*store, agent, "Go")).session_id;
  const auto messages = value_of(store->get_messages(id));
  const MessageId last_result = messages[messages.size() - 2].id;
  for (auto _ : state) {
    state.PauseTiming();
    // A copy that ends with the last result: what a crash before the last answer leaves.
    const SessionId copy = value_of(store->fork_session(id, last_result));
    const Write interrupted = UpdateSession{.session_id = copy, .status = SessionStatus::running};
    (void)value_of(store->apply({&interrupted, 1}));
    state.ResumeTiming();
    if (value_of(resume(*store, agent, copy)).text != "DONE.") std::abort();
  }
}
BENCHMARK(resume_session)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace wright
