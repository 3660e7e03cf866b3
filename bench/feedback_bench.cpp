// CPU and heap allocations of one scripted run of ten tool turns, without debug mode, with it
// switched off, and with it on. The three take turns, so that whatever else the machine does falls
// on all of them alike.
#include <fmt/format.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
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
                   .limits = {.max_iterations = kTurns + 1, .max_repeats = 0}};
  }

  struct Cost {
    double microseconds;
    std::uint64_t allocations;
  };

  Cost once(std::optional<DebugOptions> debug) {
    agent_.debug = std::move(debug);
    const std::uint64_t allocations = bench::allocations();
    const double began = cpu_microseconds();
    const auto answer = wright::run(agent_, kQuery, {.store = store_.get()});
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

}  // namespace

int main() {
  char folder[] = "/tmp/wright_feedback_XXXXXX";
  if (mkdtemp(folder) == nullptr) give_up("no temporary folder");
  const std::vector<Setting> settings{
      {"in memory, tools that do nothing", false, false, [] {}},
      {"SQLite", true, false, [] {}},
      {"SQLite, requests encoded", true, true, [] {}},
      {"SQLite, encoded, tools that read files", true, true, read_files, 30},
  };
  fmt::print("{:<42} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12} {:>12} {:>12}\n",
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
