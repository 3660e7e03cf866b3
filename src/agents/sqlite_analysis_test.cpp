#include <gtest/gtest.h>

#include "agents/silent_model_testing.h"
#include "wright/agents.h"

namespace wright {
namespace {

TEST(SqliteAnalysisAgent, offers_tools_that_read_within_its_limits) {
  const auto agent = sqlite_analysis_agent({.databases = {{.path = "shop.db"}}}, silent_model());
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(agent->name, "sqlite-analysis");
  EXPECT_FALSE(agent->description.empty());
  EXPECT_EQ(agent->limits.max_iterations, 10);
  EXPECT_EQ(agent->sampling.max_tokens, 4000);
  ASSERT_EQ(agent->tools.size(), 11U);
  EXPECT_EQ(agent->tools[0].spec.name, "sqlite_reader");
  for (const Tool& tool : agent->tools) {
    EXPECT_EQ(tool.spec.options.effect, Effect::read) << tool.spec.name;
    EXPECT_NE(agent->instructions.find(tool.spec.name), std::string::npos) << tool.spec.name;
  }
  EXPECT_TRUE(check(*agent)) << check(*agent).error().message;
}

TEST(SqliteAnalysisAgent, chooses_among_several_databases_with_sqlite_reader_alone) {
  const auto agent =
      sqlite_analysis_agent({.databases = {{"a", "1.db"}, {"b", "2.db"}}}, silent_model());
  ASSERT_TRUE(agent) << agent.error().message;
  ASSERT_EQ(agent->tools.size(), 1U);
  EXPECT_EQ(agent->instructions.find("query_entities"), std::string::npos);
}

TEST(SqliteAnalysisAgent, is_refused_for_databases_of_one_name) {
  EXPECT_FALSE(
      sqlite_analysis_agent({.databases = {{"a", "1.db"}, {"a", "2.db"}}}, silent_model()));
}

}  // namespace
}  // namespace wright
