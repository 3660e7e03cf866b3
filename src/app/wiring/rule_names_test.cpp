#include "app/wiring/rule_names.h"

#include <gtest/gtest.h>

#include "app/wiring/shipped.h"

namespace wright::app {
namespace {

using intercept::Permission;
using intercept::PermissionRule;
using Notes = std::vector<std::string>;

TEST(RuleNames, finds_rules_that_mean_no_tool) {
  RuleNames names;
  names.add_agent("reviewer");
  const std::vector<PermissionRule> rules{{"bsh", Permission::deny},
                                          {"bash", Permission::deny},
                                          {"Bash", Permission::deny},
                                          {"write_file", Permission::ask},
                                          {"write_*", Permission::ask},
                                          {"re?d", Permission::ask},
                                          {"files__remove", Permission::deny},
                                          {"reviewer", Permission::ask},
                                          {"codebase-analysis", Permission::ask},
                                          {"update_plan", Permission::allow},
                                          {"unheard_of", Permission::deny}};
  EXPECT_EQ(
      names.notes_about(rules),
      (Notes{"The rule permissions.bsh means no tool that there is; did you mean 'bash'?",
             "The rule permissions.unheard_of means no tool that there is, and has no effect: "
             "`wright tools` lists them."}));
}

TEST(RuleNames, takes_a_capital_letter_as_rules_do) {
  const std::vector<PermissionRule> rules{{"Bash", Permission::allow}};
  EXPECT_EQ(RuleNames().notes_about(rules),
            Notes{"The rule permissions.Bash means no tool that there is; did you mean 'bash'?"});
}

// What is off has the same names.
TEST(RuleNames, knows_all_names_of_every_tool) {
  SettingFlags flags;
  flags.config = "/dev/null";
  flags.set = {"web.fetch=true", "web.search=https://search.example/search", "agent.writable=."};
  const auto settings = load_settings(flags, Environment());
  ASSERT_TRUE(settings) << settings.error().message;
  const auto tools = make_tools(*settings);
  ASSERT_TRUE(tools) << tools.error().message;
  std::vector<PermissionRule> rules;
  for (const Tool& tool : *tools) {
    rules.push_back({tool.spec.name, Permission::allow});
    for (const std::string& alias : tool.spec.aliases) rules.push_back({alias, Permission::allow});
  }
  EXPECT_EQ(RuleNames().notes_about(rules), Notes{});
}

}  // namespace
}  // namespace wright::app
