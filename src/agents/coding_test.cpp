#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "agents/silent_model_testing.h"
#include "core/temporary_folder_testing.h"
#include "wright/agents.h"

namespace wright {
namespace {

class CodingAgent : public ::testing::Test {
 protected:
  CodingOptions options() const {
    return {.access = {.base = folder_, .writable = {"."}}, .bash = {.base = folder_}};
  }
  static std::map<std::string, Effect> tools_of(const Agent& agent) {
    std::map<std::string, Effect> effects;
    for (const Tool& tool : agent.tools) effects[tool.spec.name] = tool.spec.options.effect;
    return effects;
  }

  const TemporaryFolder folder_;
};

TEST_F(CodingAgent, reads_writes_runs_plans_and_asks) {
  const auto agent = coding_agent(options(), silent_model());
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(agent->name, "coding");
  EXPECT_EQ(tools_of(*agent), (std::map<std::string, Effect>{{"list_files", Effect::read},
                                                             {"read_file", Effect::read},
                                                             {"grep", Effect::read},
                                                             {"write_file", Effect::write},
                                                             {"apply_patch", Effect::write},
                                                             {"bash", Effect::write},
                                                             {"update_plan", Effect::read},
                                                             {"ask_user", Effect::read}}));
  EXPECT_TRUE(check(*agent)) << check(*agent).error().message;
  for (const Tool& tool : agent->tools) {
    EXPECT_NE(agent->instructions.find(tool.spec.name), std::string::npos) << tool.spec.name;
  }
}

TEST_F(CodingAgent, has_nothing_to_write_with_where_nothing_is_writable) {
  CodingOptions reading = options();
  reading.access.writable.clear();
  const auto agent = coding_agent(reading, silent_model());
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_FALSE(tools_of(*agent).contains("write_file"));
  EXPECT_NE(agent->instructions.find("Nothing may be written here"), std::string::npos);
}

TEST_F(CodingAgent, knows_the_index_and_what_the_project_asks) {
  CodingOptions more = options();
  more.index = CodeIndexOptions{.base = folder_, .folder = folder_ / "index"};
  more.notes = "\nUse tabs.";
  const auto agent = coding_agent(more, silent_model());
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(agent->tools.size(), 18U);
  for (const Tool& tool : agent->tools) {
    EXPECT_NE(agent->instructions.find(tool.spec.name), std::string::npos) << tool.spec.name;
  }
  EXPECT_TRUE(agent->instructions.ends_with("\nUse tabs."));
}

}  // namespace
}  // namespace wright
