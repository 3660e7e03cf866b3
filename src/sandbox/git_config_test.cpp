#include "sandbox/git_config.h"

#include <gtest/gtest.h>

namespace wright::sandbox {
namespace {

using Settings = std::vector<GitSetting>;

std::string value_of(std::string_view written) {
  const Settings settings = settings_in_git_config("[s]\nname = " + std::string(written));
  return settings.size() == 1 ? settings.front().value : "not one setting";
}

TEST(GitConfig, has_sections_and_names_in_any_case) {
  EXPECT_EQ(
      settings_in_git_config(
          "[Core]\nhooksPath=h\n[includeIf \"a]b\\\"]\"]\nPath = /y\n[a.b] c = d\n"),
      (Settings{
          {"core", "hookspath", "h"}, {"includeif", "path", "/y", true}, {"a", "c", "d", true}}));
  EXPECT_EQ(settings_in_git_config("\xEF\xBB\xBF[s] a = b\r\n\tc\n"),
            (Settings{{"s", "a", "b"}, {"s", "c", ""}}));
}

TEST(GitConfig, has_values_without_comments_quotes_and_escapes) {
  EXPECT_EQ(value_of("a b  # c"), "a b");
  EXPECT_EQ(value_of("a;b"), "a");
  EXPECT_EQ(value_of("\"a # b \" ; c"), "a # b ");
  EXPECT_EQ(value_of("a\"b\"c"), "abc");
  EXPECT_EQ(value_of("a\\\n  b"), "a  b");
  EXPECT_EQ(value_of("\\\r\n  b"), "b");
  EXPECT_EQ(value_of(R"(a\\b\"c\t)"), "a\\b\"c\t");
  EXPECT_EQ(value_of(""), "");
}

TEST(GitConfig, goes_on_behind_what_git_refuses) {
  EXPECT_EQ(settings_in_git_config("[core\n= x\n1a = b\n[s]\nc = \"d\ne = f\n"),
            (Settings{{"s", "c", "d"}, {"s", "e", "f"}}));
  EXPECT_TRUE(settings_in_git_config("[").empty());
  EXPECT_EQ(settings_in_git_config("[s]a=\\"), (Settings{{"s", "a", ""}}));
}

}  // namespace
}  // namespace wright::sandbox
