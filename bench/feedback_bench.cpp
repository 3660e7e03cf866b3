// CPU and heap allocations of one scripted run of ten tool turns, without debug mode, with it
// switched off, and with it on. The three take turns, so that whatever else the machine does falls
// on all of them alike. Above that, latency with a model that takes its time over what it reads and
// writes, until the answer is there and until the run has ended.
#include <fmt/format.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "allocations.h"
#include "wright/provider.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace {

using namespace wright;

constexpr int kTurns = 10;
constexpr std::string_view kQuery = "Which classes have more than 200 lines and changed last week?";

[[noreturn]] void give_up(std::string_view why) {
  fmt::print(stderr, "feedback_bench: {}\n", why);
  std::exit(1);
}

double cpu_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// About 2 KB, as search tools return them.
Json search_result() {
  JsonArray entities;
  for (int i = 0; i < 16; ++i) {
    entities.push_back({{"name", fmt::format("Class{}", i)},
                        {"file", fmt::format("src/module_{}/class_{}.cpp", i % 4, i)},
                        {"start_line", 10 * i},
                        {"end_line", 10 * i + 245},
                        {"last_modified", "2026-03-01T12:00:00Z"}});
  }
  return {{"entities", std::move(entities)}, {"total", 16}, {"truncated", false}};
}

Tool search_tool(std::function<void()> work) {
  auto made = tool(
      ToolSpec{.name = "query_entities",
               .description = "Finds entities by conditions",
               .parameters = JsonObject{{"type", "object"},
                                        {"properties", {{"entity_type", {{"type", "string"}}}}}},
               .options = {.effect = Effect::read}},
      [result = search_result(), work](const Json&, const Context&) -> Result<Json> {
        work();
        return result;
      });
  if (!made) give_up(made.error().message);
  return *made;
}

// Ten turns of one call each, then the answer; in debug mode with the model's report beside it.
Response scripted(const Request& request) {
  const std::size_t turn = request.messages.size() / 2;
  if (turn < kTurns) {
    return testing::calls({testing::call("query_entities", R"({"entity_type":"class"})")});
  }
  if (request.tools.size() == 1) return testing::says("There are 16 of them.");
  return testing::calls(
      {testing::call("report_tool_feedback",
                     R"({"tools_used":[{"name":"query_entities","purpose":"Find all classes",)"
                     R"("success":true,"result_quality":"good"}],)"
                     R"("limitations":[{"description":"No filter by lines","impact":"high"}],)"
                     R"("answer_quality":{"completeness":60,"confidence":80}})")},
      "There are 16 of them.");
}

struct Setting {
  const char* label;
  bool is_stored;
  bool is_encoded;                  // each request becomes the bytes of a vendor's protocol
  std::function<void()> tool_work;  // beside the result
  int rounds = 400;
};

class Runs {
 public:
  Runs(const Setting& setting, const std::string& database) : is_encoded_(setting.is_encoded) {
    if (setting.is_stored) {
      auto store = open_sqlite_store(database);
      if (!store) give_up(store.error().message);
      store_ = std::move(*store);
    }
    auto endpoint = Catalogue::built_in().find("openai:gpt-5-mini");
    if (!endpoint) give_up(endpoint.error().message);
    endpoint_ = *endpoint;
    agent_ = Agent{.name = "bench",
                   .instructions = "Answer questions about the code base with the tools.",
                   .model = model_from("openai", "gpt-5-mini",
                                       [this](const Request& request, const ModelCall&) {
                                         return Result<Response>(answer(request));
                                       }),
                   .tools = {search_tool(setting.tool_work)},
                   .interceptors = conveniences(),
                   .limits = {.max_iterations = kTurns + 1, .max_repeats = {}}};
  }

  struct Cost {
    double microseconds;
    std::uint64_t allocations;
  };

  Cost once(std::optional<DebugOptions> debug) {
    agent_.debug = std::move(debug);
    const std::uint64_t allocations = bench::allocations();
    const double began = cpu_microseconds();
    const auto answer = wright::run(*store_, agent_, kQuery);
    const Cost took{cpu_microseconds() - began, bench::allocations() - allocations};
    if (!answer) give_up(answer.error().message);
    if (answer->iterations != kTurns + 1) give_up("a run took another number of turns");
    const bool wants_feedback = agent_.debug && agent_.debug->wants_feedback();
    if (answer->feedback.has_value() != wants_feedback) give_up("feedback came uncalled, or not");
    return took;
  }

 private:
  Response answer(const Request& request) {
    if (is_encoded_) {
      const auto encoded = wright::encode(endpoint_, request, Delivery::whole);
      if (!encoded) give_up(encoded.error().message);
      bytes_ += encoded->body.size();
    }
    return scripted(request);
  }

  bool is_encoded_;
  std::unique_ptr<Store> store_;
  Endpoint endpoint_;
  Agent agent_;
  std::size_t bytes_ = 0;
};

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// A file search of a few milliseconds, as grep over a small tree.
void read_files() {
  std::size_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(WRIGHT_SOURCE_FOLDER)) {
    if (!entry.is_regular_file()) continue;
    std::FILE* file = std::fopen(entry.path().c_str(), "r");
    if (file == nullptr) continue;
    std::array<char, 64 * 1024> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file)) {
      bytes += static_cast<std::size_t>(std::count(buffer.data(), buffer.data() + count, '\n'));
    }
    std::fclose(file);
  }
  if (bytes == 0) give_up("there is nothing to read");
}

// --- latency -------------------------------------------------------------------------------------

// A model as fast as those of 2026, ten times as fast so that the measurement ends: the time that
// Wright itself takes weighs ten times as much as it would.
constexpr double kFaster = 10;
constexpr double kFirstTokenSeconds = 0.5;
constexpr double kReadPerSecond = 5'000;     // tokens that are new
constexpr double kCachedPerSecond = 50'000;  // tokens of the request before
constexpr double kWrittenPerSecond = 80;
constexpr std::size_t kBytesPerToken = 4;
constexpr std::string_view kAnswer =
    "There are 16 classes with more than 200 lines that changed last week. The largest is Class15 "
    "in src/module_3/class_15.cpp with 395 lines, then Class14 with 385 and Class13 with 375. All "
    "of them are below src/module_0 to src/module_3; each has a test of its own beside it.\n";
constexpr std::string_view kLatencyReport =
    R"({"tools_used":[{"name":"query_entities","purpose":"Find all classes","success":true,)"
    R"("result_quality":"partial"}],"limitations":[{"description":"No filter by lines",)"
    R"("impact":"high","missing_capability":"operator"}],)"
    R"("answer_quality":{"completeness":60,"confidence":80}})";

void wait_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds / kFaster));
}

// Calls, then the answer as it is written, then the report where one is wanted.
Response slow(const Request& request, const ModelCall& call, const Endpoint& endpoint, int turns,
              bool reports, std::size_t& cached) {
  const auto encoded = wright::encode(endpoint, request, Delivery::streamed);
  if (!encoded) give_up(encoded.error().message);
  const std::size_t fresh = encoded->body.size() - std::min(cached, encoded->body.size());
  wait_for(kFirstTokenSeconds + static_cast<double>(fresh / kBytesPerToken) / kReadPerSecond +
           static_cast<double>(cached / kBytesPerToken) / kCachedPerSecond);
  cached = encoded->body.size();
  const auto write = [](std::string_view text) {
    wait_for(static_cast<double>(text.size() / kBytesPerToken) / kWrittenPerSecond);
  };
  if (request.messages.size() / 2 < static_cast<std::size_t>(turns)) {
    constexpr std::string_view kArguments = R"({"entity_type":"class"})";
    write("query_entities");
    write(kArguments);
    return testing::calls({testing::call("query_entities", std::string(kArguments))});
  }
  write(kAnswer);
  if (call.on_text) call.on_text(kAnswer);
  if (request.tools.size() == 1 || !reports) return testing::says(std::string(kAnswer));
  write(kLatencyReport);
  return testing::calls({testing::call("report_tool_feedback", std::string(kLatencyReport))},
                        std::string(kAnswer));
}

struct Latency {
  double answer_ms = 0;  // until the last of the answer is there
  double end_ms = 0;
};

Latency latency_of(int turns, bool is_on, bool reports) {
  const auto endpoint = Catalogue::built_in().find("openai:gpt-5-mini");
  if (!endpoint) give_up(endpoint.error().message);
  std::size_t cached = 0;
  Agent agent{.name = "bench",
              .instructions = "Answer questions about the code base with the tools.",
              .model = model_from("openai", "gpt-5-mini",
                                  [&](const Request& request, const ModelCall& call) {
                                    return Result<Response>(
                                        slow(request, call, *endpoint, turns, reports, cached));
                                  }),
              .tools = {search_tool([] {})},
              .interceptors = conveniences(),
              .limits = {.max_iterations = turns + 1, .max_repeats = {}}};
  const auto began = std::chrono::steady_clock::now();
  const auto now_ms = [&] {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    return took.count() * kFaster;
  };
  Latency latency;
  const auto answer = wright::run(agent, kQuery,
                                  {.observer =
                                       [&](const Event& event) {
                                         if (std::holds_alternative<TextDelta>(event)) {
                                           latency.answer_ms = now_ms();
                                         }
                                       },
                                   .delivery = Delivery::streamed,
                                   .debug = is_on});
  if (!answer) give_up(answer.error().message);
  if (answer->iterations != turns + 1) give_up("a run took another number of turns");
  latency.end_ms = now_ms();
  return latency;
}

void measure_latency() {
  fmt::print("{:<42} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "latency, answers streamed",
             "answer ms", "on ms", "on adds", "end ms", "on ms", "on adds");
  for (const auto& [label, turns, reports] :
       {std::tuple{"ten tool turns, the model reports", 10, true},
        std::tuple{"three tool turns, the model reports", 3, true},
        std::tuple{"one tool turn, the model reports", 1, true},
        std::tuple{"ten tool turns, it does not report", 10, false}}) {
    std::array<std::vector<double>, 4> samples;
    for (int i = 0; i < 3; ++i) {
      const Latency off = latency_of(turns, false, reports);
      const Latency on = latency_of(turns, true, reports);
      samples[0].push_back(off.answer_ms);
      samples[1].push_back(on.answer_ms);
      samples[2].push_back(off.end_ms);
      samples[3].push_back(on.end_ms);
    }
    const double answer = median(samples[0]);
    const double answer_on = median(samples[1]);
    const double end = median(samples[2]);
    const double end_on = median(samples[3]);
    fmt::print("{:<42} {:>10.0f} {:>10.0f} {:>9.2f}% {:>10.0f} {:>10.0f} {:>9.2f}%\n", label,
               answer, answer_on, (answer_on / answer - 1) * 100, end, end_on,
               (end_on / end - 1) * 100);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  measure_latency();
  const bool wants_latency_only = count > 1 && std::string_view(arguments[1]) == "latency";
  if (wants_latency_only) return 0;
  char folder[] = "/tmp/wright_feedback_XXXXXX";
  if (mkdtemp(folder) == nullptr) give_up("no temporary folder");
  const std::vector<Setting> settings{
      {"in memory, tools that do nothing", false, false, [] {}},
      {"SQLite", true, false, [] {}},
      {"SQLite, requests encoded", true, true, [] {}},
      {"SQLite, encoded, tools that read files", true, true, read_files, 30},
  };
  fmt::print("\n{:<42} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12} {:>12} {:>12}\n",
             "ten tool turns, CPU of a run", "none us", "off us", "on us", "off adds", "on adds",
             "none allocs", "off allocs", "on allocs");
  for (const Setting& setting : settings) {
    const int rounds = setting.rounds;
    Runs runs(setting, fmt::format("{}/feedback.db", folder));
    std::array<std::vector<double>, 3> samples;
    std::array<std::vector<double>, 3> allocations;
    for (int i = 0; i < rounds + 10; ++i) {
      const std::array<Runs::Cost, 3> took{runs.once(std::nullopt), runs.once(DebugOptions{}),
                                           runs.once(DebugOptions{.enabled = true})};
      if (i < 10) continue;  // to warm up
      for (std::size_t way = 0; way < took.size(); ++way) {
        samples[way].push_back(took[way].microseconds);
        allocations[way].push_back(static_cast<double>(took[way].allocations));
      }
    }
    const double none = median(samples[0]);
    const double off = median(samples[1]);
    const double on = median(samples[2]);
    fmt::print("{:<42} {:>10.1f} {:>10.1f} {:>10.1f} {:>9.2f}% {:>9.2f}% {:>12} {:>12} {:>12}\n",
               setting.label, none, off, on, (off / none - 1) * 100, (on / none - 1) * 100,
               median(allocations[0]), median(allocations[1]), median(allocations[2]));
    std::fflush(stdout);
  }
  std::filesystem::remove_all(folder);
}
