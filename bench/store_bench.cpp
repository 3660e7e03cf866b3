// What the SQLite store costs: one tool turn as a driver writes it, and reading a session back.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "wright/store.h"

namespace {

using namespace wright;

// A store in a file of its own, removed at the end.
class StoreInFile {
 public:
  explicit StoreInFile(Durability durability) {
    std::string pattern = (std::filesystem::temp_directory_path() / "wright_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    folder_ = pattern;
    auto opened = open_sqlite_store(folder_ / "bench.db", {.durability = durability});
    if (!opened) std::abort();
    store_ = std::move(*opened);
  }
  StoreInFile(const StoreInFile&) = delete;
  StoreInFile& operator=(const StoreInFile&) = delete;
  ~StoreInFile() {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  Store& operator*() { return *store_; }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<Store> store_;
};

template <class T>
T must(Result<T> result) {
  if (!result) std::abort();
  return std::move(*result);
}

SessionId new_session(Store& store) {
  return must(store.create_session({.agent_name = "codebase-analysis",
                                    .provider = "offline",
                                    .model = "planner",
                                    .system_prompt = std::string(1500, 's'),
                                    .user_prompt = "Where is the retry policy?"}));
}

// Three transactions: the model asked for a tool; the tool starts; the tool has answered.
void write_tool_turn(Store& store, SessionId session, const std::string& output, int turn) {
  const std::array<Write, 1> asked{AppendMessage{
      session,
      {Role::assistant,
       {Text{"I look for the definition."},
        ToolCall{"call_8f3a2b", "grep", R"({"pattern":"class Retry","glob":"*.h"})"}}}}};
  const BatchIds ids = must(store.apply(asked));
  const std::array<Write, 1> started{
      UpdateCall{.call_id = ids.calls.front(), .status = CallStatus::executing}};
  must(store.apply(started));
  const std::array<Write, 3> answered{
      UpdateCall{.call_id = ids.calls.front(),
                 .status = CallStatus::completed,
                 .response = Json(output),
                 .execution_time_ms = 12},
      AppendMessage{session, Message::tool({"call_8f3a2b", "grep", output, false})},
      UpdateSession{
          .session_id = session, .usage = Usage{1000 + turn, 50 + turn, 0, 0}, .iterations = turn}};
  must(store.apply(answered));
}

double processor_microseconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto micros = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

void tool_turn(benchmark::State& state, Durability durability) {
  StoreInFile file(durability);
  const std::string output(static_cast<std::size_t>(state.range(0)), 'x');
  constexpr int kTurnsOfASession = 20;
  SessionId session = 0;
  int turn = 0;
  const double before = processor_microseconds();
  for (auto _ : state) {
    if (turn++ % kTurnsOfASession == 0) session = new_session(*file);
    write_tool_turn(*file, session, output, turn % kTurnsOfASession);
  }
  state.counters["cpu_us_per_turn"] =
      (processor_microseconds() - before) / static_cast<double>(state.iterations());
}
BENCHMARK_CAPTURE(tool_turn, normal, Durability::normal)->Arg(600)->Arg(8'000)->Arg(64'000);
BENCHMARK_CAPTURE(tool_turn, full, Durability::full)->Arg(600);

void read_messages(benchmark::State& state) {
  StoreInFile file(Durability::normal);
  const SessionId session = new_session(*file);
  for (int turn = 0; turn < state.range(0); ++turn) {
    write_tool_turn(*file, session, std::string(600, 'x'), turn);
  }
  for (auto _ : state) benchmark::DoNotOptimize(must((*file).get_messages(session)));
  state.SetItemsProcessed(state.iterations() * state.range(0) * 2);
}
BENCHMARK(read_messages)->Arg(10)->Arg(1000);

void open_existing(benchmark::State& state) {
  std::string pattern = (std::filesystem::temp_directory_path() / "wright_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) std::abort();
  const std::filesystem::path folder = pattern;
  must(open_sqlite_store(folder / "bench.db"));
  for (auto _ : state) benchmark::DoNotOptimize(must(open_sqlite_store(folder / "bench.db")));
  std::filesystem::remove_all(folder);
}
BENCHMARK(open_existing);

}  // namespace
