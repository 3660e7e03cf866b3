#include "project/hook_matcher.h"

#include <gtest/gtest.h>

namespace wright::project {
namespace {

TEST(HookMatcher, fits_names_with_wildcards_whatever_their_letter_case) {
  for (const char* matcher : {"", "  ", "bash", "Bash", "BASH", "*", ".*", "^bash$", "b*h", "b?sh",
                              "write_file|Bash", "read_file | bash", "shell"}) {
    EXPECT_TRUE(check_matcher(matcher)) << matcher;
    EXPECT_TRUE(is_about_tool(matcher, "bash")) << matcher;
  }
  for (const char* matcher : {"write_file", "bas", "bashes", "Write|Edit", "*x"}) {
    EXPECT_TRUE(check_matcher(matcher)) << matcher;
    EXPECT_FALSE(is_about_tool(matcher, "bash")) << matcher;
  }
}

TEST(HookMatcher, knows_what_others_call_the_tools) {
  EXPECT_TRUE(is_about_tool("Write|Edit", "write_file"));
  EXPECT_TRUE(is_about_tool("Write|Edit", "apply_patch"));
  EXPECT_TRUE(is_about_tool("MultiEdit", "apply_patch"));
  EXPECT_TRUE(is_about_tool("Read", "read_file"));
  EXPECT_FALSE(is_about_tool("Read", "write_file"));
  EXPECT_TRUE(is_about_tool("Write", "apply_patch")) << "it makes files, too";
  EXPECT_TRUE(is_about_tool(".*Edit", "apply_patch"));
  EXPECT_TRUE(is_about_tool("mcp__Files__.*", "files__remove"));
  EXPECT_FALSE(is_about_tool("mcp__Files__.*", "others__remove"));
}

TEST(HookMatcher, refuses_what_could_never_fit) {
  for (const char* matcher : {"Bash(*)", "Bash(git push:*)", "(bash|write)", "[bw].*", "bash+",
                              "bash||write", "|", "bash,write", "bash write"}) {
    const auto checked = check_matcher(matcher);
    ASSERT_FALSE(checked) << matcher;
    EXPECT_NE(checked.error().message.find(matcher), std::string::npos);
  }
}

}  // namespace
}  // namespace wright::project
