// wright_simulation: histories from seeds, for as long as one likes.
//
//   wright_simulation --seeds 1..10000            all of them; stops at the first broken promise
//   wright_simulation --seed 7 [--story]          one, and what happened in it
//   wright_simulation --plant NAME [--seeds …]    with a bug, which must be found
//   wright_simulation --plants                    all bugs, and how long each took to find
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/options.h"
#include "simulation/shrink.h"
#include "simulation/world.h"

namespace {

using namespace wright::simulation;  // NOLINT(google-build-using-namespace): this is its main
using wright::Result;

constexpr std::uint64_t kHistories = 200;
// Most bugs show within twenty; that a lease is counted too late, only after thousands.
constexpr std::uint64_t kMostForAPlant = 20'000;

struct Wanted {
  std::uint64_t first = 1;
  std::optional<std::uint64_t> last = {};
  std::optional<std::uint64_t> seed = {};
  std::optional<int> sessions = {};
  std::optional<int> processes = {};
  std::optional<std::int64_t> length_ms = {};
  std::vector<Feature> without = {};
  Plant plant = Plant::none;
  bool all_plants = false;
  bool story = false;
  bool is_quiet = false;
};

struct Totals {
  std::int64_t histories = 0;
  std::int64_t steps = 0;
  std::int64_t sessions = 0;
  Reached reached = {};

  void add(const Report& report) {
    ++histories;
    steps += report.steps;
    sessions += report.sessions;
    for (const auto& [state, count] : report.reached) reached[state] += count;
  }
};

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

Options options_for(const Wanted& wanted, std::uint64_t seed) {
  Options options = options_of(seed, wanted.plant);
  if (wanted.sessions) options.sessions = *wanted.sessions;
  if (wanted.processes) options.processes = *wanted.processes;
  if (wanted.length_ms) options.length_ms = *wanted.length_ms;
  for (const Feature feature : wanted.without) options.remove(feature);
  return options;
}

Result<void> read_list(std::string_view names, std::vector<Feature>& features) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    const auto feature = feature_from(names.substr(0, end));
    if (!feature) return std::unexpected(feature.error());
    features.push_back(*feature);
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return {};
}

Result<Wanted> read_arguments(std::span<char*> arguments) {
  Wanted wanted;
  const auto bad = [](std::string_view argument) {
    return wright::fail(
        wright::ErrorCode::invalid_argument,
        fmt::format("'{}' is not understood; see tests/simulation/main.cpp", argument));
  };
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    if (name == "--story") {
      wanted.story = true;
      continue;
    }
    if (name == "--plants") {
      wanted.all_plants = true;
      continue;
    }
    if (name == "--quiet") {
      wanted.is_quiet = true;
      continue;
    }
    if (i + 1 >= arguments.size()) return bad(name);
    const std::string_view value = arguments[++i];
    bool is_good = true;
    if (name == "--seed") {
      is_good = read_number(value, wanted.seed.emplace());
    } else if (name == "--seeds") {
      const std::size_t dots = value.find("..");
      is_good = dots != std::string_view::npos &&
                read_number(value.substr(0, dots), wanted.first) &&
                read_number(value.substr(dots + 2), wanted.last.emplace());
    } else if (name == "--sessions") {
      is_good = read_number(value, wanted.sessions.emplace());
    } else if (name == "--processes") {
      is_good = read_number(value, wanted.processes.emplace());
    } else if (name == "--length") {
      is_good = read_number(value, wanted.length_ms.emplace());
    } else if (name == "--without") {
      if (auto read = read_list(value, wanted.without); !read) return std::unexpected(read.error());
    } else if (name == "--plant") {
      const auto plant = plant_from(value);
      if (!plant) return std::unexpected(plant.error());
      wanted.plant = *plant;
    } else {
      return bad(name);
    }
    if (!is_good) return bad(value);
  }
  return wanted;
}

void show_failure(const Options& options, const Report& report) {
  fmt::print("\nBroken: {}\n  {}\n  after {} steps: wright_simulation {}\n", report.violation->rule,
             report.violation->what, report.steps, arguments_of(options));
  const Shrunk shrunk = shrink(options, report);
  const Report told = simulate(shrunk.options, Story::told);
  fmt::print("\nThe end of the smallest history found ({} tried):\n", shrunk.tried);
  const std::size_t from = told.story.size() > 60 ? told.story.size() - 60 : 0;
  for (std::size_t i = from; i < told.story.size(); ++i) fmt::print("  {}\n", told.story[i]);
  fmt::print(
      "\nBroken: {}\n  {}\n  after {} steps; repeat it with:\n\n  wright_simulation {} --story\n",
      told.violation ? told.violation->rule : "nothing", told.violation ? told.violation->what : "",
      told.steps, arguments_of(shrunk.options));
}

void show_totals(const Totals& totals, double seconds) {
  fmt::print("\n{} histories, {} sessions, {} steps in {:.1f} s: {:.0f} steps/s\n",
             totals.histories, totals.sessions, totals.steps, seconds,
             static_cast<double>(totals.steps) / seconds);
  for (const auto& [state, count] : totals.reached) fmt::print("{:>10}  {}\n", count, state);
}

int run_seeds(const Wanted& wanted) {
  const auto began = std::chrono::steady_clock::now();
  Totals totals;
  for (std::uint64_t seed = wanted.first; seed <= wanted.last.value_or(kHistories); ++seed) {
    const Options options = options_for(wanted, seed);
    const Report report = simulate(options);
    totals.add(report);
    if (report.violation) {
      show_failure(options, report);
      return 1;
    }
    if (simulate(options).hash != report.hash) {
      fmt::print("Seed {} had two different histories\n", seed);
      return 1;
    }
    if (!wanted.is_quiet && totals.histories % 500 == 0) {
      fmt::print("{} histories, {:.0f} s\n", totals.histories, seconds_since(began));
      std::fflush(stdout);
    }
  }
  show_totals(totals, seconds_since(began));
  return 0;
}

int run_one(const Wanted& wanted) {
  const Options options = options_for(wanted, *wanted.seed);
  const Report report = simulate(options, wanted.story ? Story::told : Story::untold);
  for (const std::string& line : report.story) fmt::print("{}\n", line);
  fmt::print("{} steps, {} sessions, hash {:016x}\n", report.steps, report.sessions, report.hash);
  if (!report.violation) return 0;
  fmt::print("Broken: {}\n  {}\n", report.violation->rule, report.violation->what);
  return 1;
}

// Every planted bug must be found: says after how many steps, and by which promise.
int run_plants(const Wanted& wanted) {
  fmt::print("{:22} {:>9} {:>10}  broken promise\n", "planted bug", "histories", "steps");
  int missed = 0;
  for (const PlantedBug& bug : planted_bugs()) {
    std::int64_t steps = 0;
    std::string rule = "NOT FOUND";
    std::uint64_t seed = wanted.first;
    for (; seed <= wanted.last.value_or(kMostForAPlant); ++seed) {
      const Report report = simulate(options_of(seed, bug.plant));
      steps += report.steps;
      // It counts only where nothing is broken without the bug.
      if (!report.violation || simulate(options_of(seed)).violation) continue;
      rule = report.violation->rule;
      break;
    }
    if (rule == "NOT FOUND") ++missed;
    fmt::print("{:22} {:>9} {:>10}  {}\n", bug.name, seed - wanted.first + 1, steps, rule);
    std::fflush(stdout);
  }
  return missed == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const auto wanted = read_arguments({arguments, static_cast<std::size_t>(count)});
  if (!wanted) {
    fmt::print(stderr, "{}\n", wanted.error().message);
    return 2;
  }
  if (wanted->all_plants) return run_plants(*wanted);
  return wanted->seed ? run_one(*wanted) : run_seeds(*wanted);
}
