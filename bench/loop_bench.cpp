// CPU of one tool turn of the whole loop over HTTP, and memory of one waiting session, against a
// fake model server on this machine. Runs loop_driver, so that the server's work is not counted.
#include <fmt/format.h>
#include <unistd.h>
#include <boost/json/object.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "child.h"
#include "wright/json.h"

namespace {

using wright::Json;
using wright::bench::Child;
using wright::bench::give_up;

double number(const Json& json, std::string_view key) {
  return json.at(key).to_number<double>();
}

struct Way {
  const char* label;
  std::vector<std::string> options;
};

}  // namespace

int main() {
  Child server({WRIGHT_FAKE_LLM, "--port", "0"});
  const std::string base = wright::bench::base_url_of(server);
  char folder[] = "/tmp/wright_loop_XXXXXX";
  if (mkdtemp(folder) == nullptr) give_up("no temporary folder");

  const std::vector<Way> ways{
      {"not stored, whole", {}},
      {"not stored, streamed", {"--stream", "1"}},
      {"SQLite, whole", {"--persist", "sqlite"}},
      {"SQLite, streamed", {"--persist", "sqlite", "--stream", "1"}},
  };
  std::printf("%-34s %12s %12s %10s\n", "whole loop, 10 tool turns, 16 at once", "CPU us/turn",
              "wall us/turn", "ratio");
  double first = 0;
  for (const Way& way : ways) {
    std::vector<std::string> words{WRIGHT_LOOP_DRIVER,
                                   "--base",
                                   base,
                                   "--model",
                                   "fake-k10",
                                   "--n",
                                   "300",
                                   "--c",
                                   "16",
                                   "--warm",
                                   "30",
                                   "--db",
                                   fmt::format("{}/loop.db", folder)};
    words.insert(words.end(), way.options.begin(), way.options.end());
    const Json result = Child(std::move(words)).read_json();
    const double turns = number(result, "turns");
    const double cpu = (number(result, "user_ms") + number(result, "sys_ms")) * 1e3 / turns;
    if (first == 0) first = cpu;
    std::printf("%-37s %12.1f %12.1f %9.2fx\n", way.label, cpu,
                number(result, "wall_s") * 1e6 / turns, cpu / first);
    std::fflush(stdout);
  }

  constexpr int kWaiting = 1000;
  Child idle({WRIGHT_LOOP_DRIVER, "--base", base, "--model", "fake-k1-l600000", "--warm", "16",
              "--idle", std::to_string(kWaiting)});
  const double before = number(idle.read_json(), "rss");
  idle.press_enter();
  std::this_thread::sleep_for(std::chrono::seconds(3));
  idle.press_enter();
  const double after = number(idle.read_json(), "rss");
  std::printf("%-37s %12.1f KiB\n", "one of 1,000 waiting sessions", (after - before) / kWaiting);
  idle.press_enter();
  std::filesystem::remove_all(folder);
}
