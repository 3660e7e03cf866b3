// CPU of one tool turn of the whole loop over HTTP, and memory of one waiting session, against a
// fake model server on this machine. Runs loop_driver, so that the server's work is not counted.
#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "child.h"
#include "measure.h"
#include "wright/json.h"

namespace {

using wright::Json;
using wright::bench::Child;
using wright::bench::give_up;

double number(const Json& json, std::string_view key) {
  return json.at(key).to_number<double>();
}

// One run of the driver: CPU and wall time of a tool turn.
struct Figures {
  double cpu_us = 0;
  double wall_us = 0;
  double sessions_per_second = 0;
  double allocations = 0;
};

Figures drive(const std::string& base, int concurrency, const std::vector<std::string>& options) {
  const wright::bench::Folder folder;
  const int sessions = concurrency == 1 ? 100 : std::max(300, 2 * concurrency);
  std::vector<std::string> words{WRIGHT_LOOP_DRIVER,
                                 "--base",
                                 base,
                                 "--model",
                                 "fake-k10",
                                 "--n",
                                 fmt::to_string(sessions),
                                 "--c",
                                 fmt::to_string(concurrency),
                                 "--warm",
                                 fmt::to_string(std::max(16, concurrency)),
                                 "--db",
                                 folder.database().string()};
  words.insert(words.end(), options.begin(), options.end());
  const Json result = Child(std::move(words)).read_json();
  const double turns = number(result, "turns");
  const double wall = number(result, "wall_s");
  return {.cpu_us = (number(result, "user_ms") + number(result, "sys_ms")) * 1e3 / turns,
          .wall_us = wall * 1e6 / turns,
          .sessions_per_second = number(result, "sessions") / wall,
          .allocations = number(result, "allocations") / turns};
}

void print_turns(const std::string& base) {
  struct Way {
    const char* label;
    std::vector<std::string> options;
  };
  const std::vector<Way> ways{
      {"not stored", {}},
      {"not stored, streamed", {"--stream", "1"}},
      {"SQLite", {"--persist", "sqlite"}},
      {"SQLite, streamed", {"--persist", "sqlite", "--stream", "1"}},
  };
  std::printf("%-28s %8s %14s %14s %12s %14s\n", "whole loop, 10 tool turns", "at once",
              "CPU us/turn", "wall us/turn", "sessions/s", "allocs/turn");
  for (const Way& way : ways) {
    for (const int concurrency : {1, 16, 64, 256}) {
      const Figures figures = drive(base, concurrency, way.options);
      std::printf("%-28s %8d %14.1f %14.1f %12.0f %14.1f\n", way.label, concurrency, figures.cpu_us,
                  figures.wall_us, figures.sessions_per_second, figures.allocations);
      std::fflush(stdout);
    }
  }
}

void print_waiting(const std::string& base, const char* label,
                   const std::vector<std::string>& options) {
  constexpr int kWaiting = 1000;
  const wright::bench::Folder folder;
  std::vector<std::string> words{WRIGHT_LOOP_DRIVER,
                                 "--base",
                                 base,
                                 "--model",
                                 "fake-k1-l600000",
                                 "--warm",
                                 "64",
                                 "--db",
                                 folder.database().string(),
                                 "--idle",
                                 fmt::to_string(kWaiting)};
  words.insert(words.end(), options.begin(), options.end());
  Child idle(std::move(words));
  const double before = number(idle.read_json(), "rss");
  idle.press_enter();
  std::this_thread::sleep_for(std::chrono::seconds(3));
  idle.press_enter();
  const double after = number(idle.read_json(), "rss");
  std::printf("%-37s %14.1f KiB\n", label, (after - before) / kWaiting);
  std::fflush(stdout);
  idle.press_enter();
}

}  // namespace

int main() {
  Child server({WRIGHT_FAKE_LLM, "--port", "0"});
  const std::string base = wright::bench::base_url_of(server);
  print_turns(base);
  print_waiting(base, "one of 1,000 waiting, not stored", {});
  print_waiting(base, "one of 1,000 waiting, SQLite", {"--persist", "sqlite"});
}
