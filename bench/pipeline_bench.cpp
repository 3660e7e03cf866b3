// One tool call through execute(): bare, with the conveniences off, each of them, and all of them
// with a log that is really formatted. Subtract the bare call to see what was added.
#include <benchmark/benchmark.h>

#include "allocations.h"
#include "wright/interceptors.h"
#include "wright/testing.h"

namespace {

struct Query {
  std::string query;
  int limit = 10;
  std::string order;
  bool exact = false;
  std::vector<std::string> fields;
};
WRIGHT_DESCRIBE(Query, WRIGHT_FIELD(query).min_length(1).max_length(2000),
                WRIGHT_FIELD(limit).at_least(1).at_most(1000), WRIGHT_FIELD(order),
                WRIGHT_FIELD(exact), WRIGHT_FIELD(fields).max_items(20))

struct Found {
  std::string path;
  int line = 0;
};
WRIGHT_DESCRIBE(Found, WRIGHT_FIELD(path), WRIGHT_FIELD(line))

}  // namespace

namespace wright {
namespace {

const char* const kArguments =
    R"({"query":"who wrote the run machine","limit":10,"order":"descending","exact":false,"fields":["path","line"]})";

Tool typed_tool() {
  return tool("search", "",
              [](const Query& query) {
                return Found{"run.cpp", query.limit};
              },
              {.effect = Effect::read});
}

// The same over a schema: here the validation interceptor does the checking.
Tool schema_tool() {
  return *tool({.name = "search", .parameters = schema_of<Query>()},
               [](const Json& arguments, const Context&) -> Result<Json> {
                 return JsonObject{{"path", "run.cpp"}, {"line", arguments.at("limit")}};
               });
}

void run(benchmark::State& state, const Tool& tool, const std::vector<Interceptor>& list) {
  const ToolCall call = testing::call("search", kArguments, "call_1");
  const Context context{.agent_name = "helper", .call_id = call.id};
  if (execute({&tool, 1}, list, call, context).result.is_error) state.SkipWithError("it failed");
  const std::uint64_t before = bench::allocations();
  for (auto _ : state) benchmark::DoNotOptimize(execute({&tool, 1}, list, call, context));
  state.counters["allocations"] = benchmark::Counter(
      static_cast<double>(bench::allocations() - before), benchmark::Counter::kAvgIterations);
}

Logger counting_logger(LogLevel minimum) {
  return line_logger(LogFormat::json, minimum,
                     [](std::string_view line) { benchmark::DoNotOptimize(line.data()); });
}

constexpr ToolExecutionOptions kOff{
    .enable_validation = false, .enable_logging = false, .enable_metadata = false};

void bare(benchmark::State& state) {
  run(state, typed_tool(), {});
}
BENCHMARK(bare);

void all_off(benchmark::State& state) {
  run(state, typed_tool(), conveniences(kOff, counting_logger(LogLevel::debug)));
}
BENCHMARK(all_off);

void all_on(benchmark::State& state) {
  run(state, typed_tool(), conveniences({}, counting_logger(LogLevel::debug)));
}
BENCHMARK(all_on);

void all_on_log_level_info(benchmark::State& state) {
  run(state, typed_tool(), conveniences({}, counting_logger(LogLevel::info)));
}
BENCHMARK(all_on_log_level_info);

void bare_with_schema(benchmark::State& state) {
  run(state, schema_tool(), {});
}
BENCHMARK(bare_with_schema);

void all_on_with_schema(benchmark::State& state) {
  run(state, schema_tool(), conveniences({}, counting_logger(LogLevel::debug)));
}
BENCHMARK(all_on_with_schema);

void only_logging(benchmark::State& state) {
  run(state, typed_tool(), {intercept::logging({.logger = counting_logger(LogLevel::debug)})});
}
BENCHMARK(only_logging);

void only_metadata(benchmark::State& state) {
  run(state, typed_tool(), {intercept::metadata()});
}
BENCHMARK(only_metadata);

void only_cache(benchmark::State& state) {
  run(state, typed_tool(), {intercept::cache()});
}
BENCHMARK(only_cache);

void only_redaction(benchmark::State& state) {
  run(state, typed_tool(), {intercept::redaction(Redactor({"hunter2"}))});
}
BENCHMARK(only_redaction);

}  // namespace
}  // namespace wright
