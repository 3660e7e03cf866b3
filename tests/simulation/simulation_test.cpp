// A bounded part of the simulation; `make simulate` goes on for as long as one likes.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "simulation/options.h"
#include "simulation/shrink.h"
#include "simulation/world.h"

namespace wright::simulation {
namespace {

constexpr std::uint64_t kSeeds = 40;
constexpr std::uint64_t kMostSeedsForABug = 100;

TEST(Simulation, NoPromiseIsBrokenWhateverHappens) {
  Reached reached;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Options options = options_of(seed);
    const Report report = simulate(options);
    ASSERT_FALSE(report.violation.has_value())
        << report.violation->rule << ": " << report.violation->what << "\nwright_simulation "
        << arguments_of(options) << " --story";
    for (const auto& [state, count] : report.reached) reached[state] += count;
  }
  // What these seeds must have led to; otherwise they prove little.
  for (const std::string_view state : {"a session was completed",
                                       "a session failed",
                                       "a session was cancelled",
                                       "a session waited",
                                       "a session was suspended",
                                       "a driver lost its session",
                                       "a session was loaded",
                                       "a specialist started",
                                       "a call became unknown",
                                       "a call that waited became unknown",
                                       "a call was told that nobody answers",
                                       "a call was executed again",
                                       "a stale driver was refused",
                                       "a wait was answered",
                                       "an answer came to a waiting session",
                                       "a session was claimed from the queue",
                                       "a session that nobody drove was released",
                                       "a tool never returned",
                                       "a call was fenced after a sleep",
                                       "a session still waits at the end",
                                       "a session was spoken to while it worked",
                                       "what was said was taken"}) {
    EXPECT_GT(reached[state], 0) << state;
  }
}

TEST(Simulation, OneSeedIsOneHistory) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Report first = simulate(options_of(seed));
    const Report second = simulate(options_of(seed));
    EXPECT_EQ(first.hash, second.hash) << seed;
    EXPECT_EQ(first.steps, second.steps) << seed;
  }
}

TEST(Simulation, DifferentSeedsAreDifferentHistories) {
  EXPECT_NE(simulate(options_of(1)).hash, simulate(options_of(2)).hash);
}

// Those that are found soon; `wright_simulation --plants` looks for all.
class PlantedBug : public ::testing::TestWithParam<Plant> {};

TEST_P(PlantedBug, IsFound) {
  for (std::uint64_t seed = 1; seed <= kMostSeedsForABug; ++seed) {
    if (simulate(options_of(seed, GetParam())).violation) return;
  }
  ADD_FAILURE() << "in " << kMostSeedsForABug << " histories: wright_simulation --plant "
                << to_string(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Every, PlantedBug,
                         ::testing::Values(Plant::unfenced_writes, Plant::unfenced_calls,
                                           Plant::acts_before_writing, Plant::lost_commit,
                                           Plant::half_commit, Plant::repeated_commit,
                                           Plant::dropped_cancel, Plant::forgotten_answer,
                                           Plant::second_answer_counts, Plant::repeated_writes,
                                           Plant::forgotten_spending, Plant::forgotten_calls,
                                           Plant::hasty_burial, Plant::lost_timer,
                                           Plant::kept_lease, Plant::claimed_twice,
                                           Plant::revived_end, Plant::said_twice, Plant::said_lost),
                         [](const auto& each) { return std::string(to_string(each.param)); });

TEST(Shrinking, KeepsThePromiseThatIsBrokenAndRepeats) {
  Options options;
  Report report;
  for (std::uint64_t seed = 1; !report.violation && seed <= kMostSeedsForABug; ++seed) {
    options = options_of(seed, Plant::repeated_writes);
    report = simulate(options);
  }
  ASSERT_TRUE(report.violation.has_value());
  const std::string rule = report.violation->rule;
  const Shrunk shrunk = shrink(options, std::move(report), 60);
  EXPECT_EQ(shrunk.report.violation->rule, rule);
  EXPECT_LE(shrunk.options.sessions, options.sessions);
  EXPECT_LE(shrunk.options.length_ms, options.length_ms);
  EXPECT_EQ(simulate(shrunk.options).hash, shrunk.report.hash);
}

}  // namespace
}  // namespace wright::simulation
