// The validator alone: checking a parsed value, and parsing plus checking the text that a model
// wrote. json_schema_ajv.mjs measures Ajv on the same schema and the same values.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "allocations.h"
#include "wright/json.h"

namespace wright {
namespace {

Json load(const char* name) {
  const std::ifstream file(std::string(WRIGHT_BENCH_FOLDER) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  auto parsed = parse_json(text.str());
  if (!parsed) std::abort();
  return std::move(*parsed);
}

// What both this program and Ajv read: {"schema": …, "small": …, "large": …}.
const Json& input() {
  static const Json loaded = load("json_schema_input.json");
  return loaded;
}

JsonSchema schema() {
  auto compiled = JsonSchema::compile(input().at("schema"));
  if (!compiled) std::abort();
  return *compiled;
}

void check(benchmark::State& state, const char* name) {
  const JsonSchema compiled = schema();
  const Json& value = input().at(name);
  if (!compiled.accepts(value)) state.SkipWithError("the schema refuses the value");
  const std::uint64_t before = bench::allocations();
  for (auto _ : state) benchmark::DoNotOptimize(compiled.accepts(value));
  state.counters["allocations"] = benchmark::Counter(
      static_cast<double>(bench::allocations() - before), benchmark::Counter::kAvgIterations);
}
BENCHMARK_CAPTURE(check, five_properties, "small");
BENCHMARK_CAPTURE(check, 300_bytes, "large");

void parse_and_check(benchmark::State& state, const char* name) {
  const JsonSchema compiled = schema();
  const std::string text = to_text(input().at(name));
  const std::uint64_t before = bench::allocations();
  for (auto _ : state) benchmark::DoNotOptimize(compiled.accepts(*parse_json(text)));
  state.counters["allocations"] = benchmark::Counter(
      static_cast<double>(bench::allocations() - before), benchmark::Counter::kAvgIterations);
  state.counters["bytes"] = static_cast<double>(text.size());
}
BENCHMARK_CAPTURE(parse_and_check, five_properties, "small");
BENCHMARK_CAPTURE(parse_and_check, 300_bytes, "large");

// What the script prints, or null with the reason in `why`.
struct AjvFigures {
  Json figures;
  std::string why;
};

AjvFigures run_ajv() {
  const std::string command =
      "node " WRIGHT_BENCH_FOLDER "/json_schema_ajv.mjs " WRIGHT_AJV_FOLDER " 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {nullptr, "skipped: no shell"};
  std::string output;
  std::array<char, 512> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), count);
  }
  if (pclose(pipe) != 0) return {nullptr, "skipped: needs node, and ajv from npm"};
  const std::size_t end = output.find_last_not_of("\n");
  auto figures = parse_json(std::string_view(output).substr(0, end + 1));
  if (!figures) return {nullptr, "skipped: the script printed no figures"};
  return {std::move(*figures), {}};
}

// Rounds of a few milliseconds: on a busy machine, some of them are not interrupted.
template <class Operation>
double nanoseconds(Operation operation) {
  constexpr int kCount = 20'000;
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 150; ++round) {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < kCount; ++i) benchmark::DoNotOptimize(operation());
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
    best = std::min(best, took.count() / kCount);
  }
  return best;
}

// Both measured in the same way, one after the other; a ratio below 1 means that Wright is faster.
void against_ajv(benchmark::State& state) {
  const AjvFigures ajv = run_ajv();
  if (!ajv.why.empty()) state.SetLabel(ajv.why);
  const JsonSchema compiled = schema();
  for (auto _ : state) {
    if (!ajv.figures.is_object()) continue;
    for (const char* name : {"small", "large"}) {
      const Json& value = input().at(name);
      const std::string text = to_text(value);
      const double check = nanoseconds([&] { return compiled.accepts(value); });
      const double both = nanoseconds([&] { return compiled.accepts(*parse_json(text)); });
      const std::string suffix = std::string("_") + name;
      state.counters["check" + suffix] =
          check / ajv.figures.at("check").at(name).to_number<double>();
      state.counters["parse_and_check" + suffix] =
          both / ajv.figures.at("parse_and_check").at(name).to_number<double>();
    }
  }
}
BENCHMARK(against_ajv)->Iterations(1);

void explain(benchmark::State& state) {
  const JsonSchema compiled = schema();
  Json value = input().at("small");
  value.as_object()["limit"] = "ten";
  value.as_object().erase("query");
  for (auto _ : state) benchmark::DoNotOptimize(compiled.violations(value));
}
BENCHMARK(explain);

void compile(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(JsonSchema::compile(input().at("schema")));
}
BENCHMARK(compile);

}  // namespace
}  // namespace wright
