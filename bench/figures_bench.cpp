// What figures over 100,000 sessions cost, in a SQLite file: all of them, those since a day, and
// over a day and thirty days in stretches. Each session has three calls and four messages, and they
// began evenly over thirty days.
//
//   figures_bench                    a file of its own, removed at the end
//   WRIGHT_FIGURES=FILE figures_bench    that file, filled where it is not there, and kept
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "feedback/statistics.h"
#include "measure.h"
#include "wright/store.h"

namespace {

using namespace wright;

constexpr int kSessions = 100'000;
constexpr std::int64_t kDay = 24LL * 60 * 60 * 1000;
constexpr std::int64_t kNow = 1'790'000'000'000;
constexpr std::int64_t kBegan = kNow - 30 * kDay;
constexpr std::array kAgents{"codebase-analysis", "sqlite-analysis", "coder", "reviewer", "triage"};
constexpr std::array kModels{"gpt-5-mini", "gpt-5", "gpt-5-nano"};
constexpr std::array kTools{"grep", "read_file", "list_files", "run_command", "query", "edit_file"};

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "figures_bench: %s\n", result.error().message.c_str());
    std::abort();
  }
  return std::move(*result);
}

template <class Names>
const char* one_of(const Names& names, std::size_t number) {
  return names[number * 2'654'435'761U % 1'000'003 % names.size()];
}

Batch session_of(std::size_t number) {
  Batch batch{.create = NewSession{.agent_name = one_of(kAgents, number),
                                   .provider = "openai",
                                   .model = one_of(kModels, number / 7),
                                   .system_prompt = std::string(1500, 's'),
                                   .user_prompt = "Where is the retry policy?"}};
  batch.writes.emplace_back(AppendMessage{0, Message::user("Where is the retry policy?")});
  Message asked{Role::assistant, {Text{"I look for the definition."}}};
  for (std::size_t i = 0; i < 3; ++i) {
    asked.parts.emplace_back(ToolCall{"call_" + std::to_string(i), one_of(kTools, number * 3 + i),
                                      R"({"pattern":"class Retry","glob":"*.h"})"});
  }
  batch.writes.emplace_back(AppendMessage{0, std::move(asked), 3});
  return batch;
}

Batch ending_of(const BatchIds& ids, std::size_t number) {
  Batch batch;
  for (std::size_t i = 0; i < ids.calls.size(); ++i) {
    const std::size_t seed = number * 3 + i;
    const std::string output(seed % 4 == 0 ? 5000 : 600, 'x');
    batch.writes.emplace_back(
        UpdateCall{.call_id = ids.calls[i],
                   .status = seed % 20 == 0 ? CallStatus::failed : CallStatus::completed,
                   .response = Json(output),
                   .execution_time_ms = static_cast<std::int64_t>(seed * 7919 % 5003)});
    if (i == 0) {
      batch.writes.emplace_back(AppendMessage{
          ids.session, Message::tool({"call_0", one_of(kTools, seed), output, false})});
    }
  }
  batch.writes.emplace_back(AppendMessage{ids.session, Message::assistant("In retry.h.")});
  batch.writes.emplace_back(UpdateSession{
      .session_id = ids.session,
      .status = number % 12 == 0 ? SessionStatus::failed : SessionStatus::completed,
      .result = std::string(400, 'r'),
      .usage = Usage{static_cast<std::int64_t>(number * 31 % 9001), 90, 0, 0, 0, 0.004},
      .worked_ms = static_cast<std::int64_t>(number * 104'729 % 60'013)});
  return batch;
}

// Many sessions in one transaction.
void fill(const std::filesystem::path& path) {
  std::int64_t now = kBegan;
  const auto store = must(open_sqlite_store(path, {.clock = Clocks([&now] { return now; })}));
  constexpr std::size_t kAtOnce = 100;
  for (std::size_t first = 0; first < kSessions; first += kAtOnce) {
    now = kBegan + static_cast<std::int64_t>(first) * (30 * kDay / kSessions);
    std::vector<Batch> batches;
    for (std::size_t i = 0; i < kAtOnce; ++i) batches.push_back(session_of(first + i));
    std::vector<Batch> endings;
    for (auto& made : store->apply_all(batches)) {
      endings.push_back(ending_of(must(std::move(made)), first + endings.size()));
    }
    for (auto& done : store->apply_all(endings)) must(std::move(done));
  }
}

// One file for all of them.
class Filled {
 public:
  static Store& store() {
    static Filled filled;
    return *filled.store_;
  }

 private:
  Filled() {
    const char* given = std::getenv("WRIGHT_FIGURES");
    if (given == nullptr) folder_.emplace();
    const std::filesystem::path path = given != nullptr ? given : folder_->database();
    if (!std::filesystem::exists(path)) fill(path);
    store_ = must(open_sqlite_store(path));
  }

  std::optional<bench::Folder> folder_;
  std::unique_ptr<Store> store_;
};

void stats(benchmark::State& state) {
  Store& store = Filled::store();
  const StatsFilter filter{.started_since = state.range(0) == 0 ? 0 : kNow - state.range(0) * kDay};
  std::int64_t runs = 0;
  for (auto _ : state) {
    const auto statistics = feedback::statistics_of(must(store.get_stats(filter)));
    runs = statistics.all.runs.count;
  }
  state.counters["sessions"] = static_cast<double>(runs);
}
BENCHMARK(stats)->ArgName("days")->Arg(0)->Arg(1)->Arg(30)->Unit(benchmark::kMillisecond);

void series(benchmark::State& state, HistoryFilter::By by) {
  Store& store = Filled::store();
  const std::int64_t span = state.range(0) * kDay;
  const HistoryFilter filter{.by = by, .since = kNow - span, .until = kNow, .step_ms = span / 48};
  std::int64_t rows = 0;
  for (auto _ : state) {
    rows = 0;
    for (const HistorySeries& each : must(store.get_history(filter)).series) rows += each.count;
  }
  state.counters["rows"] = static_cast<double>(rows);
}
BENCHMARK_CAPTURE(series, all, HistoryFilter::By::all)
    ->ArgName("days")
    ->Arg(1)
    ->Arg(30)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(series, by_model, HistoryFilter::By::model)
    ->ArgName("days")
    ->Arg(1)
    ->Arg(30)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(series, by_tool, HistoryFilter::By::tool)
    ->ArgName("days")
    ->Arg(1)
    ->Arg(30)
    ->Unit(benchmark::kMillisecond);

}  // namespace
