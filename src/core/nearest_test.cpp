#include "core/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace wright {
namespace {

constexpr std::array<std::string_view, 5> kCommands{"run", "sessions", "agents", "tools", "config"};

TEST(Nearest, forgives_one_slip_in_a_short_word_and_more_in_a_long_one) {
  EXPECT_EQ(nearest("rnu", kCommands), "run");
  EXPECT_EQ(nearest("tool", kCommands), "tools");
  EXPECT_EQ(nearest("sesions", kCommands), "sessions");
  EXPECT_EQ(nearest("SESSIONS", kCommands), "sessions");
  EXPECT_EQ(nearest("conf", kCommands), "config");
}

TEST(Nearest, suggests_nothing_that_is_far_away) {
  EXPECT_EQ(nearest("deploy", kCommands), std::nullopt);
  EXPECT_EQ(nearest("", kCommands), std::nullopt);
  EXPECT_EQ(nearest(std::string(1'000'000, 'r'), kCommands), std::nullopt);
}

TEST(Nearest, does_not_care_about_dashes_or_underscores) {
  constexpr std::array<std::string_view, 1> kAgents{"codebase-analysis"};
  EXPECT_EQ(nearest("codebase_anlysis", kAgents), "codebase-analysis");
  EXPECT_EQ(did_you_mean("codebase", kAgents), "; did you mean 'codebase-analysis'?");
  EXPECT_EQ(did_you_mean("x", kAgents), "");
}

}  // namespace
}  // namespace wright
