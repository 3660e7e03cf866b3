// What a long life and a great crowd cost, with SQLite on: many sessions one after the other, whose
// memory and descriptors must stay flat; and many at once against a slow model server. Fails when a
// session does not complete, when memory grows, or when a descriptor leaks.
//
//   soak_bench                                       a short form of both
//   soak_bench --sessions 100000 --concurrent 10000  the long one
//
// Other arguments are left alone: they are for the other benchmarks.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "child.h"
#include "measure.h"
#include "wright/agent.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace wright::bench {
namespace {

namespace fs = std::filesystem;

double status_mib(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::atof(line.c_str() + name.size() + 1) / 1024;
  }
  return 0;
}

long descriptors() {
  return static_cast<long>(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
}

template <class T>
T value_of(Result<T> result) {
  if (!result) give_up(result.error().message);
  return std::move(*result);
}

// Calls a tool and a specialist, which calls a tool as well.
AgentPointer delegating_agent() {
  const auto calling = [](std::vector<ToolCall> wanted) {
    return model_from("bench", "calling",
                      [wanted](const Request& request, const ModelCall&) -> Result<Response> {
                        if (request.messages.size() > 1) return testing::says("DONE.");
                        return testing::calls(wanted);
                      });
  };
  const Tool note = tool("note", "", [] { return "noted"; });
  const Agent below{
      .name = "below", .model = calling({testing::call("note", "{}", "1")}), .tools = {note}};
  return std::make_shared<const Agent>(
      Agent{.name = "above",
            .model = calling({testing::call("note", "{}", "1"),
                              testing::call("below", R"({"message":"Go"})", "2")}),
            .tools = {note, delegate_to(below)}});
}

void expect_done(Runtime& runtime, SessionId id) {
  const RunResult answer = value_of(runtime.wait(id));
  if (!answer.text.ends_with("DONE.")) give_up("the answer is not right: " + answer.text);
}

// Runs that many, at most 64 at once.
void run_sessions(Runtime& runtime, const AgentPointer& agent, int sessions) {
  constexpr std::size_t kAtOnce = 64;
  std::deque<SessionId> under_way;
  for (int i = 0; i < sessions; ++i) {
    if (under_way.size() == kAtOnce) {
      expect_done(runtime, under_way.front());
      under_way.pop_front();
    }
    under_way.push_back(value_of(runtime.start(agent, "Go")));
  }
  for (; !under_way.empty(); under_way.pop_front()) expect_done(runtime, under_way.front());
}

void soak(int sessions) {
  constexpr int kWarmUp = 2000;  // a runtime remembers how the last thousand ended
  constexpr int kLines = 10;
  constexpr double kMostGrowthMib = 16;
  const Folder folder;
  const auto store = value_of(open_sqlite_store(folder.database()));
  const auto runtime = value_of(Runtime::open({.store = store.get()}));
  const AgentPointer agent = delegating_agent();
  run_sessions(*runtime, agent, kWarmUp);
  const double warm_mib = status_mib("VmRSS:");
  const long warm_descriptors = descriptors();
  fmt::print("{:>10} {:>12} {:>12} {:>10}\n", "sessions", "memory MiB", "descriptors", "CPU s");
  for (int line = 0; line <= kLines; ++line) {
    if (line > 0) run_sessions(*runtime, agent, sessions / kLines);
    const double mib = status_mib("VmRSS:");
    fmt::print("{:>10} {:>12.1f} {:>12} {:>10.1f}\n", kWarmUp + line * (sessions / kLines), mib,
               descriptors(), cpu_seconds());
    std::fflush(stdout);
    if (mib > warm_mib + kMostGrowthMib) give_up("memory grows");
    if (descriptors() > warm_descriptors) give_up("a descriptor leaks");
  }
}

void crowd(int sessions) {
  Child server({WRIGHT_FAKE_LLM, "--port", "0"});
  Catalogue catalogue = Catalogue::built_in();
  const auto added =
      catalogue.add("[vendors.fake]\nneeds_key = false\nprotocol = \"openai-chat\"\nbase_url = \"" +
                        base_url_of(server) + "\"\n",
                    "soak_bench");
  if (!added) give_up(added.error().message);
  const Models models({.catalogue = std::move(catalogue)});
  const auto agent = std::make_shared<const Agent>(
      Agent{.name = "crowd",
            .model = models.get("fake:fake-k3-l2000"),
            .tools = {tool("note", "", [] { return "noted"; }, {.effect = Effect::read})},
            .limits = {.max_repeats = {}}});
  const Folder folder;
  const auto store = value_of(open_sqlite_store(folder.database()));
  const auto runtime = value_of(Runtime::open({.store = store.get(), .kept_events = 0}));
  const double cpu_before = cpu_seconds();
  const auto began = std::chrono::steady_clock::now();
  std::vector<SessionId> ids;
  for (int i = 0; i < sessions; ++i) ids.push_back(value_of(runtime->start(agent, "Go")));
  const std::size_t at_once = runtime->running();
  for (const SessionId id : ids) expect_done(*runtime, id);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const double cpu = cpu_seconds() - cpu_before;
  fmt::print("{:>10} {:>12} {:>10} {:>10} {:>14} {:>14}\n", "sessions", "at once", "wall s",
             "CPU s", "CPU us a turn", "peak MiB");
  fmt::print("{:>10} {:>12} {:>10.1f} {:>10.1f} {:>14.0f} {:>14.1f}\n", sessions, at_once,
             took.count(), cpu, cpu * 1e6 / (sessions * 4.0), status_mib("VmHWM:"));
}

}  // namespace
}  // namespace wright::bench

int main(int count, char** words) {
  std::map<std::string, int> given{{"--sessions", 3000}, {"--concurrent", 500}};
  for (int i = 1; i + 1 < count; ++i) {
    if (given.contains(words[i])) given[words[i]] = std::atoi(words[i + 1]);
  }
  fmt::print("One after the other, at most 64 at once, each with a specialist:\n");
  wright::bench::soak(given["--sessions"]);
  fmt::print("\nAt once, each with 3 tool turns, against a server that takes 2 s for an answer:\n");
  wright::bench::crowd(given["--concurrent"]);
}
