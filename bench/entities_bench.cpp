// The index of entities on a generated tree of 10,000 files with 200,000 entities: building it
// beside `ctags -R` on the same files (`ratio` is our time divided by theirs), bringing it up to
// date after one change, and asking it. Of the questions, `p95_cpu_ms` is the CPU time below which
// 95 of a hundred calls stay, whatever else the machine does; `p95_ms` is the time that passed.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "wright/tools.h"

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

double thread_cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "wright-bench-XXXXXX").native();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Classes with methods, functions and constants in three languages, with comments as people write
// them.
class Sources {
 public:
  Sources() {
    for (int file = 0; file < 10'000; ++file) write(file);
  }

  const std::filesystem::path& path() const { return folder_.path(); }

  // Gives one of the files another content.
  void change() {
    const int file = static_cast<int>(random_() % 10'000);
    write(file);
  }

 private:
  std::string name() {
    static constexpr const char* kWords[] = {"parse", "request", "header",  "render", "view",
                                             "cache", "session", "message", "token",  "index",
                                             "query", "result",  "stream",  "buffer", "policy"};
    std::string made;
    for (int i = 0; i < 3; ++i) {
      std::string word = kWords[random_() % std::size(kWords)];
      if (i > 0) word[0] = static_cast<char>(word[0] - 'a' + 'A');
      made += word;
    }
    return made + std::to_string(random_() % 1000);
  }

  std::string body(std::string_view indent) {
    std::string text;
    for (std::size_t i = 0, lines = 3 + random_() % 12; i < lines; ++i) {
      text +=
          fmt::format("{}total = compute(total, {}, \"{}\");\n", indent, random_() % 100, name());
    }
    return text;
  }

  void write(int file) {
    const int kind = file % 3;
    std::string text;
    if (kind == 0) {
      text = "// Generated for a benchmark.\n";
      for (int i = 0; i < 2; ++i) {
        text += fmt::format("class {} {{\n public:\n", name());
        for (int j = 0; j < 6; ++j) {
          text += fmt::format(
              "  // Does the {} of it.\n  int {}(int value) {{\n    int total = 0;\n{}"
              "    return total;\n  }}\n",
              name(), name(), body("    "));
        }
        text += " private:\n  int count_ = 0;\n};\n\n";
      }
      for (int i = 0; i < 5; ++i)
        text += fmt::format("int {}(int a) {{\n{}  return a;\n}}\n", name(), body("  "));
    } else if (kind == 1) {
      for (int i = 0; i < 2; ++i) {
        text += fmt::format("class {}:\n    \"\"\"Keeps the {}.\"\"\"\n\n", name(), name());
        for (int j = 0; j < 6; ++j) {
          text += fmt::format(
              "    def {}(self, value):\n        \"\"\"Does it.\"\"\"\n{}        return value\n\n",
              name(), body("        "));
        }
      }
      for (int i = 0; i < 5; ++i)
        text += fmt::format("def {}(a):\n{}    return a\n\n", name(), body("    "));
    } else {
      for (int i = 0; i < 2; ++i) {
        text += fmt::format("export class {} {{\n", name());
        for (int j = 0; j < 6; ++j) {
          text += fmt::format(
              "  {}(value: number): number {{\n    let total = 0;\n{}    return total;\n  }}\n",
              name(), body("    "));
        }
        text += "}\n";
      }
      for (int i = 0; i < 5; ++i)
        text += fmt::format("export function {}(a: number) {{\n{}}}\n", name(), body("  "));
    }
    static constexpr const char* kEndings[] = {"cpp", "py", "ts"};
    const auto place =
        folder_.path() / fmt::format("package{}", file % 100) / fmt::format("module{}", file % 400);
    std::filesystem::create_directories(place);
    std::ofstream(place / fmt::format("file{}.{}", file, kEndings[kind])) << text;
  }

  Folder folder_;
  std::mt19937 random_{11};
};

Sources& sources() {
  static Sources made;
  return made;
}

std::vector<wright::Tool> tools_with(const std::filesystem::path& folder) {
  wright::CodeIndexOptions options;
  options.base = sources().path();
  options.folder = folder;
  options.recheck_after = std::chrono::milliseconds(0);
  options.policy.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  return wright::code_entity_tools(std::move(options)).value();
}

wright::Json ask(const std::vector<wright::Tool>& tools, std::string_view name,
                 const std::string& arguments) {
  const auto tool = std::ranges::find_if(tools, [&](const auto& t) { return t.spec.name == name; });
  wright::Context context;
  auto answer = tool->function(wright::parse_json(arguments).value(), context);
  if (!answer) {
    fmt::print(stderr, "{}: {}\n", name, answer.error().message);
    std::abort();
  }
  return std::get<wright::Output>(std::move(*answer)).value;
}

constexpr const char* kCount = R"({"entity_type":"any","operation":"COUNT"})";

// CPU of this process and its children.
double cpu_seconds() {
  double total = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    total += static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
             static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  }
  return total;
}

void build(benchmark::State& state) {
  double ours = 0;
  double theirs = 0;
  double our_cpu = 0;
  double their_cpu = 0;
  std::int64_t entities = 0;
  sources();
  for (auto _ : state) {
    const Folder index;
    const double before = cpu_seconds();
    auto began = Clock::now();
    entities = ask(tools_with(index.path()), "aggregate_entities", kCount).at("value").as_int64();
    const double time = milliseconds_since(began);
    const double between = cpu_seconds();
    ours += time;
    our_cpu += between - before;
    began = Clock::now();
    const std::string command = fmt::format("cd '{}' && ctags -R -f '{}/tags' .",
                                            sources().path().native(), index.path().native());
    if (std::system(command.c_str()) != 0) std::abort();
    theirs += milliseconds_since(began);
    their_cpu += cpu_seconds() - between;
    state.SetIterationTime(time / 1000);
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["ctags_ms"] = theirs / runs;
  state.counters["ratio"] = ours / theirs;
  state.counters["cpu_s"] = our_cpu / runs;
  state.counters["ctags_cpu_s"] = their_cpu / runs;
  state.counters["entities"] = static_cast<double>(entities);
}
BENCHMARK(build)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(2);

// One index for all that follows, with files old enough to be told by their times.
const std::vector<wright::Tool>& built() {
  static const Folder folder;
  static const std::vector<wright::Tool> tools = [] {
    auto made = tools_with(folder.path());
    ask(made, "aggregate_entities", kCount);
    ::setenv("TZ", "UTC", 1);
    const auto past = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sources().path())) {
      if (entry.is_regular_file()) std::filesystem::last_write_time(entry.path(), past);
    }
    ask(made, "aggregate_entities", kCount);
    return made;
  }();
  return tools;
}

enum class Change { none, one_file };

void rebuild(benchmark::State& state, Change change) {
  built();
  for (auto _ : state) {
    if (change == Change::one_file) sources().change();
    const auto began = Clock::now();
    ask(built(), "get_schema", "{}");
    state.SetIterationTime(milliseconds_since(began) / 1000);
  }
}
BENCHMARK_CAPTURE(rebuild, after_no_change, Change::none)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(20);
BENCHMARK_CAPTURE(rebuild, after_one_change, Change::one_file)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(20);

// The files are not compared with again, so that the question alone is measured.
const std::vector<wright::Tool>& settled() {
  static const Folder folder;
  static const std::vector<wright::Tool> tools = [] {
    wright::CodeIndexOptions options;
    options.base = sources().path();
    options.folder = folder.path();
    options.recheck_after = std::chrono::hours(1);
    auto made = wright::code_entity_tools(std::move(options)).value();
    ask(made, "aggregate_entities", kCount);
    return made;
  }();
  return tools;
}

// Vectors without a server: the same for the same text, and nothing like those of others.
wright::EmbeddingModel random_vectors(std::size_t dimensions) {
  return {
      "bench:random",
      [dimensions](std::span<const std::string> texts,
                   const std::stop_token&) -> wright::Result<std::vector<wright::Embedding>> {
        std::vector<wright::Embedding> vectors;
        for (const std::string& text : texts) {
          std::minstd_rand random(static_cast<std::uint32_t>(std::hash<std::string>{}(text) | 1U));
          wright::Embedding& vector = vectors.emplace_back(dimensions);
          for (float& element : vector) {
            element = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
          }
        }
        return vectors;
      }};
}

// The same with a vector for each entity. `first_ms` is the question that has them made and stored,
// without the time of a model.
const std::vector<wright::Tool>& with_vectors() {
  static const Folder folder;
  static const std::vector<wright::Tool> tools = [] {
    wright::CodeIndexOptions options;
    options.base = sources().path();
    options.folder = folder.path();
    options.recheck_after = std::chrono::hours(1);
    options.embeddings = {.model = random_vectors(256),
                          .time_at_a_question = std::chrono::minutes(10)};
    auto made = wright::code_entity_tools(std::move(options)).value();
    ask(made, "aggregate_entities", kCount);
    return made;
  }();
  return tools;
}

double p95(std::vector<double> values) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(static_cast<double>(values.size()) * 0.95)];
}

void measure(benchmark::State& state, const std::vector<wright::Tool>& tools, const char* tool,
             const char* arguments) {
  std::vector<double> times;
  std::vector<double> cpu;
  for (auto _ : state) {
    const auto began = Clock::now();
    const double cpu_before = thread_cpu_ms();
    benchmark::DoNotOptimize(ask(tools, tool, arguments));
    cpu.push_back(thread_cpu_ms() - cpu_before);
    times.push_back(milliseconds_since(began));
    state.SetIterationTime(times.back() / 1000);
  }
  state.counters["p95_cpu_ms"] = p95(std::move(cpu));
  state.counters["p95_ms"] = p95(std::move(times));
}

void question(benchmark::State& state, const char* tool, const char* arguments) {
  measure(state, settled(), tool, arguments);
}

void by_meaning(benchmark::State& state) {
  constexpr const char* kQuestion = R"({"entity_type":"any","query":"parse session token"})";
  const auto& tools = with_vectors();
  const auto began = Clock::now();
  ask(tools, "semantic_search", kQuestion);
  state.counters["first_ms"] = milliseconds_since(began);
  measure(state, tools, "semantic_search", kQuestion);
}
BENCHMARK(by_meaning)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(50);

#define QUESTION(name, tool, arguments)              \
  BENCHMARK_CAPTURE(question, name, tool, arguments) \
      ->UseManualTime()                              \
      ->Unit(benchmark::kMillisecond)                \
      ->Iterations(200)

QUESTION(largest_classes, "query_entities",
         R"({"entity_type":"class","order_by":{"field":"line_count","direction":"DESC"}})");
QUESTION(
    by_name, "query_entities",
    R"({"entity_type":"any","conditions":[{"field":"name","operator":"=","value":"parseViewToken7"}]})");
QUESTION(
    name_starts_with, "query_entities",
    R"({"entity_type":"function","conditions":[{"field":"name","operator":"STARTS WITH","value":"parseV"}]})");
QUESTION(more_than_100_lines, "number_range_search",
         R"({"entity_type":"class","field":"line_count","operator":"gt","value":100})");
QUESTION(
    changed_in_the_last_hour, "datetime_range_search",
    R"({"entity_type":"class","field":"last_modified","mode":"relative","relative_period":"last_hour"})");
QUESTION(count_per_language, "aggregate_entities",
         R"({"entity_type":"function","operation":"COUNT","group_by":"language"})");
QUESTION(by_language, "enum_filter_search",
         R"({"entity_type":"class","field":"language","values":["Python"]})");
QUESTION(name_contains, "text_pattern_search",
         R"({"entity_type":"class","field":"name","pattern":"tokenview"})");
QUESTION(by_words, "semantic_search",
         R"({"entity_type":"function","query":"parse session token"})");
QUESTION(words_of_which_none_has_all, "semantic_search",
         R"({"entity_type":"any","query":"where is the session of a token parsed and rendered"})");
QUESTION(public_methods, "enum_filter_search",
         R"({"entity_type":"method","field":"visibility","values":["public"]})");
QUESTION(all_methods, "query_entities", R"({"entity_type":"method"})");
QUESTION(largest_of_any_type, "query_entities",
         R"({"entity_type":"any","order_by":{"field":"line_count","direction":"DESC"}})");
QUESTION(
    changed_of_any_type, "datetime_range_search",
    R"({"entity_type":"any","field":"last_modified","mode":"relative","relative_period":"last_day"})");
QUESTION(schema, "get_schema", "{}");
QUESTION(most_methods, "query_entities",
         R"({"entity_type":"class","order_by":{"field":"method_count","direction":"DESC"}})");

}  // namespace
