#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "agents/silent_model_testing.h"
#include "core/temporary_folder_testing.h"
#include "wright/agents.h"
#include "wright/testing.h"

namespace wright {
namespace {

class CodebaseAnalysisAgent : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
};

TEST_F(CodebaseAnalysisAgent, offers_the_three_file_tools_within_its_limits) {
  const auto agent = codebase_analysis_agent(folder_, silent_model());
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(agent->name, "codebase-analysis");
  EXPECT_EQ(agent->limits.max_iterations, 10);
  EXPECT_EQ(agent->sampling.max_tokens, 4000);
  EXPECT_EQ(agent->sampling.temperature, 0.7);
  EXPECT_EQ(agent->model.provider(), "test");
  std::set<std::string> names;
  for (const Tool& tool : agent->tools) {
    names.insert(tool.spec.name);
    EXPECT_EQ(tool.spec.options.effect, Effect::read) << tool.spec.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"list_files", "read_file", "grep"}));
  EXPECT_TRUE(check(*agent)) << check(*agent).error().message;
}

TEST_F(CodebaseAnalysisAgent, tells_the_model_of_every_tool_it_has) {
  const auto agent = codebase_analysis_agent(folder_, silent_model());
  ASSERT_TRUE(agent);
  for (const Tool& tool : agent->tools) {
    EXPECT_NE(agent->instructions.find(tool.spec.name), std::string::npos) << tool.spec.name;
  }
  EXPECT_FALSE(agent->description.empty());
}

TEST_F(CodebaseAnalysisAgent, offers_the_entity_tools_where_an_index_can_be_kept) {
  const auto agent = codebase_analysis_agent(
      FileAccess{.base = folder_}, {.base = folder_, .folder = folder_ / "index"}, silent_model());
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(agent->tools.size(), 13U);
  for (const Tool& tool : agent->tools) {
    EXPECT_EQ(tool.spec.options.effect, Effect::read) << tool.spec.name;
    EXPECT_NE(agent->instructions.find(tool.spec.name), std::string::npos) << tool.spec.name;
  }
  EXPECT_TRUE(check(*agent)) << check(*agent).error().message;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "index")) << "built before anybody asked";
}

TEST_F(CodebaseAnalysisAgent, has_an_index_that_tells_no_more_than_its_tools_for_files) {
  folder_.write("secrets.py", "x\n").write("hidden.py", "x\n").write("kept.py", "x\n");
  const auto agent = codebase_analysis_agent(
      FileAccess{
          .base = folder_, .hidden = {folder_ / "hidden.py"}, .unreadable = {"**/secrets.py"}},
      {.base = folder_, .folder = folder_ / ".index"}, silent_model());
  ASSERT_TRUE(agent) << agent.error().message;
  const auto tool = std::ranges::find(agent->tools, "query_entities",
                                      [](const Tool& each) { return each.spec.name; });
  ASSERT_NE(tool, agent->tools.end());
  const auto answer = testing::answer_of(*tool, JsonObject{{"entity_type", "file"}});
  const std::string text = to_text(answer.value());
  EXPECT_NE(text.find("kept.py"), std::string::npos) << text;
  EXPECT_EQ(text.find("secrets.py"), std::string::npos) << text;
  EXPECT_EQ(text.find("hidden.py"), std::string::npos) << text;
}

TEST_F(CodebaseAnalysisAgent, is_refused_for_a_folder_that_is_not_there) {
  const auto agent = codebase_analysis_agent(folder_ / "missing", silent_model());
  ASSERT_FALSE(agent);
  EXPECT_NE(agent.error().message.find("missing"), std::string::npos) << agent.error().message;
}

}  // namespace
}  // namespace wright
