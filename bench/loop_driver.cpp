// The whole loop against a server: many sessions at once, each asking a model over HTTP, calling
// its tool and, with --persist sqlite, storing every step. loop_bench runs it; it can also be run
// beside programs of other frameworks that speak the same command line:
//
//   loop_driver --base URL/v1 --model fake-k10 --n 200 --c 16 [--warm 20] [--stream 0|1]
//               [--persist none|sqlite] [--db PATH] [--protocol openai-chat]
//   loop_driver … --once      one session
//   loop_driver … --idle N    N sessions that wait; see below
//
// Prints one JSON line: sessions, turns, wall_s, user_ms, sys_ms, rss, allocations.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <thread>

#include "allocations.h"
#include "sqlite/memory.h"
#include "wright/wright.h"

namespace {

using namespace wright;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "loop_driver: %s\n", why.c_str());
  std::exit(1);
}

std::atomic<long> tool_calls = 0;

Tool read_file() {
  const Json parameters = {{"type", "object"},
                           {"properties",
                            {{"path", {{"type", "string"}}},
                             {"limit", {{"type", "integer"}}},
                             {"mode", {{"type", "string"}, {"enum", {"text", "binary"}}}}}},
                           {"required", {"path", "limit", "mode"}}};
  auto made = tool({.name = "read_file",
                    .description = "Read a file from the workspace.",
                    .parameters = parameters,
                    .options = {.effect = Effect::read}},
                   [](const Json& arguments, const Context&) -> Result<Json> {
                     ++tool_calls;
                     const JsonObject& given = arguments.get_object();
                     return Json{{"ok", true},
                                 {"path", given.at("path")},
                                 {"mode", given.at("mode")},
                                 {"bytes", 1024 + given.at("limit").to_number<std::int64_t>()},
                                 {"head", "lorem ipsum dolor sit amet"}};
                   });
  if (!made) give_up(made.error().message);
  return std::move(*made);
}

// Runs sessions, at most `most` at once.
class Crowd {
 public:
  Crowd(Runtime& runtime, AgentPointer agent, Delivery delivery)
      : runtime_(runtime), agent_(std::move(agent)), delivery_(delivery) {}

  // Each starter waits for its session before it starts the next one.
  void run(int sessions, int most) {
    std::atomic<int> left = sessions;
    std::vector<std::thread> starters;
    for (int i = 0; i < std::min(most, sessions); ++i) {
      starters.emplace_back([&] {
        while (left.fetch_sub(1) > 0) run_one();
      });
    }
    for (std::thread& starter : starters) starter.join();
  }

  void start_one() {
    auto id = runtime_.start(agent_, kPrompt, {.delivery = delivery_});
    if (!id) give_up(id.error().message);
  }

 private:
  static constexpr std::string_view kPrompt =
      "Read the files you need and summarise what they hold.";

  void run_one() {
    auto id = runtime_.start(agent_, kPrompt, {.delivery = delivery_});
    if (!id) give_up(id.error().message);
    const auto answer = runtime_.wait(*id);
    if (!answer) give_up(answer.error().message);
    if (!answer->text.ends_with("DONE.")) give_up("the answer is not right: " + answer->text);
  }

  Runtime& runtime_;
  AgentPointer agent_;
  Delivery delivery_;
};

long rss_kib(const char* name) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(name)) return std::atol(line.c_str() + std::string_view(name).size() + 1);
  }
  return 0;
}

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

rusage used() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

void wait_for_line() {
  std::string line;
  std::getline(std::cin, line);
}

}  // namespace

int main(int count, char** words) {
  sqlite::count_memory_by_thread();  // as the program `wright` does
  std::map<std::string, std::string> given{{"--n", "1"},
                                           {"--c", "1"},
                                           {"--warm", "0"},
                                           {"--stream", "0"},
                                           {"--persist", "none"},
                                           {"--db", "loop.db"},
                                           {"--protocol", "openai-chat"}};
  for (int i = 1; i < count; ++i) {
    const std::string name = words[i];
    given[name] = name == "--once" || i + 1 == count ? "1" : words[++i];
  }
  Catalogue catalogue = Catalogue::built_in();
  const auto added =
      catalogue.add("[vendors.fake]\nneeds_key = false\nprotocol = \"" + given["--protocol"] +
                        "\"\nbase_url = \"" + given["--base"] + "\"\n",
                    "--base");
  if (!added) give_up(added.error().message);
  const Models models({.catalogue = std::move(catalogue)});
  std::unique_ptr<Store> store;
  if (given["--persist"] == "sqlite") {
    auto opened = open_sqlite_store(given["--db"]);
    if (!opened) give_up(opened.error().message);
    store = std::move(*opened);
  }
  const auto agent_for = [&](const std::string& model) {
    return std::make_shared<const Agent>(
        Agent{.name = "loop",
              .instructions = "You are a careful assistant. Use the tool when you need it.",
              .model = models.get("fake:" + model),
              .tools = {read_file()},
              // The server asks for the same call again and again.
              .limits = {.max_iterations = 1'000'000, .max_repeats = {}}});
  };
  auto runtime = Runtime::open({.store = store.get(), .kept_events = 0});
  if (!runtime) give_up(runtime.error().message);
  const Delivery delivery = given["--stream"] == "1" ? Delivery::streamed : Delivery::whole;
  const int warm = std::stoi(given["--warm"]);
  if (given.contains("--idle")) {
    Crowd(**runtime, agent_for("fake-k3"), delivery).run(std::max(warm, 1), 16);
    std::printf("{\"rss\": %ld}\n", rss_kib("VmRSS:"));
    std::fflush(stdout);
    wait_for_line();
    Crowd waiting(**runtime, agent_for(given["--model"]), delivery);
    for (int i = 0; i < std::stoi(given["--idle"]); ++i) waiting.start_one();
    wait_for_line();
    std::printf("{\"rss\": %ld}\n", rss_kib("VmRSS:"));
    std::fflush(stdout);
    wait_for_line();
    std::_Exit(0);
  }
  Crowd crowd(**runtime, agent_for(given["--model"]), delivery);
  const int sessions = given.contains("--once") ? 1 : std::stoi(given["--n"]);
  crowd.run(warm, std::stoi(given["--c"]));
  tool_calls = 0;
  const std::uint64_t allocated = bench::allocations();
  const rusage before = used();
  const auto began = std::chrono::steady_clock::now();
  crowd.run(sessions, std::stoi(given["--c"]));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const rusage after = used();
  std::printf(
      "{\"sessions\": %d, \"turns\": %ld, \"wall_s\": %.3f, \"user_ms\": %.1f, \"sys_ms\": %.1f, "
      "\"rss\": %ld, \"allocations\": %lu}\n",
      sessions, tool_calls.load(), took.count(),
      milliseconds(after.ru_utime) - milliseconds(before.ru_utime),
      milliseconds(after.ru_stime) - milliseconds(before.ru_stime), rss_kib("VmHWM:"),
      bench::allocations() - allocated);
}
