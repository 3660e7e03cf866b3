#include "app/settings/agent_template.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "agents/agent_definition.h"

namespace wright::app {
namespace {

TEST(AgentTemplate, can_be_read_as_it_is) {
  const std::vector<std::string> tools{"list_files", "read_file", "grep"};
  const ExpansionValues variables;
  const auto read = parse_agent_definition(agent_definition_template("my-agent", tools),
                                           {"my-agent.toml", variables, tools, {}, {}});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->definition.name, "my-agent");
  EXPECT_EQ(read->definition.tools, tools);
}

TEST(AgentTemplate, has_comments_that_are_true) {
  const std::vector<std::string> tools{"list_files", "read_file", "grep"};
  const ExpansionValues variables;
  std::string uncommented;
  std::istringstream lines(agent_definition_template("my-agent", tools));
  for (std::string line; std::getline(lines, line);) {
    const bool is_setting = line.starts_with("# ") && line.find(" = ") != std::string::npos &&
                            (line[2] == '"' || (line[2] >= 'a' && line[2] <= 'z'));
    uncommented += (is_setting ? line.substr(2) : line) + "\n";
  }
  const auto read =
      parse_agent_definition(uncommented, {"my-agent.toml", variables, tools, {}, {}});
  ASSERT_TRUE(read) << read.error().message << uncommented;
  EXPECT_EQ(read->definition.model, "openai:gpt-5-mini");
  // Every tool that changes files.
  std::vector<std::string> asked;
  for (const auto& rule : read->definition.permissions) asked.push_back(rule.tool);
  EXPECT_EQ(asked, (std::vector<std::string>{"write_file", "apply_patch"}));
  EXPECT_TRUE(read->definition.is_primary);
  EXPECT_EQ(read->definition.stop_sequences, std::vector<std::string>{"END"});
  EXPECT_EQ(read->definition.values.size(), 6U);
}

}  // namespace
}  // namespace wright::app
