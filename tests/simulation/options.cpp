#include "simulation/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "simulation/random.h"

namespace wright::simulation {
namespace {

constexpr std::array<std::string_view, kFeatures> kNames{"kill",
                                                         "stop",
                                                         "drain",
                                                         "crash",
                                                         "slow_thread",
                                                         "wall_jump",
                                                         "bury",
                                                         "slow_store",
                                                         "busy",
                                                         "unknown_applied",
                                                         "unknown_lost",
                                                         "read_fails",
                                                         "server_applies",
                                                         "interleave",
                                                         "model_fails",
                                                         "model_cut",
                                                         "repeated_ids",
                                                         "unknown_tool",
                                                         "broken_arguments",
                                                         "many_calls",
                                                         "writes",
                                                         "puts",
                                                         "reads",
                                                         "serial",
                                                         "exclusive",
                                                         "tool_throws",
                                                         "tool_slow",
                                                         "tool_hangs",
                                                         "late_effect",
                                                         "questions",
                                                         "approvals",
                                                         "short_waits",
                                                         "second_answer",
                                                         "no_answer",
                                                         "cancel",
                                                         "send",
                                                         "queue",
                                                         "delegation",
                                                         "handoff",
                                                         "call_limit",
                                                         "token_limit",
                                                         "time_limit",
                                                         "steer"};

constexpr auto kFirstOwnChoice = static_cast<std::size_t>(Feature::steer);

}  // namespace

std::string_view to_string(Feature feature) {
  return kNames[static_cast<std::size_t>(feature)];
}

Result<Feature> feature_from(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    return fail(ErrorCode::invalid_argument, fmt::format("There is no feature '{}'. There are: {}",
                                                         name, fmt::join(kNames, ", ")));
  }
  return static_cast<Feature>(found - kNames.begin());
}

void Options::remove(Feature feature) {
  weights[static_cast<std::size_t>(feature)] = 0;
  if (std::ranges::find(without, feature) == without.end()) without.push_back(feature);
}

Options options_of(std::uint64_t seed, Plant plant) {
  Random random(mixed({seed, mixed("options")}));
  Options options{.seed = seed, .plant = plant};
  options.sessions = static_cast<int>(random.between(1, 8));
  options.processes = static_cast<int>(random.between(1, 4));
  options.length_ms = random.between(5, 60) * 1000;
  options.lease_ms = random.chance(300) ? 30'000 : random.between(2, 10) * 1000;
  for (std::size_t i = 0; i < kFirstOwnChoice; ++i) {
    const int wanted = static_cast<int>(random.between(1, 100));
    options.weights[i] = random.chance(500) ? wanted : 0;
  }
  // What came later is chosen for itself, and seldom: most seeds mean what they meant.
  for (std::size_t i = kFirstOwnChoice; i < kFeatures; ++i) {
    Random own(mixed({mixed(kNames[i]), seed}));
    const int wanted = static_cast<int>(own.between(1, 100));
    options.weights[i] = own.chance(250) ? wanted : 0;
  }
  // Something has to be done at all.
  options.weights[static_cast<std::size_t>(Feature::writes)] =
      static_cast<int>(random.between(20, 100));
  return options;
}

std::string arguments_of(const Options& options) {
  std::string arguments = fmt::format("--seed {}", options.seed);
  const Options plain = options_of(options.seed);
  if (options.sessions != plain.sessions)
    arguments += fmt::format(" --sessions {}", options.sessions);
  if (options.processes != plain.processes) {
    arguments += fmt::format(" --processes {}", options.processes);
  }
  if (options.length_ms != plain.length_ms) {
    arguments += fmt::format(" --length {}", options.length_ms);
  }
  if (!options.without.empty()) {
    std::vector<std::string_view> names;
    for (const Feature feature : options.without) names.push_back(to_string(feature));
    arguments += fmt::format(" --without {}", fmt::join(names, ","));
  }
  if (options.plant != Plant::none)
    arguments += fmt::format(" --plant {}", to_string(options.plant));
  return arguments;
}

}  // namespace wright::simulation
