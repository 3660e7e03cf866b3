#include "tools/files/wildcard.h"

#include <gtest/gtest.h>

#include <string>

namespace wright::tools {
namespace {

TEST(Wildcard, takes_linear_time_on_patterns_that_blow_others_up) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "*a";
  const auto wildcard = Wildcard::compile(pattern + "b", WildcardStyle::people);
  ASSERT_TRUE(wildcard);
  EXPECT_FALSE(wildcard->matches(std::string(3000, 'a')));
  EXPECT_TRUE(wildcard->matches(std::string(3000, 'a') + "b"));

  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "**/a/";
  const auto folders = Wildcard::compile(deep + "b", WildcardStyle::git);
  std::string path;
  for (int i = 0; i < 1000; ++i) path += "a/";
  ASSERT_TRUE(folders);
  EXPECT_FALSE(folders->matches(path + "c"));
  EXPECT_TRUE(folders->matches(path + "b"));
}

TEST(Wildcard, works_on_patterns_longer_than_a_machine_word) {
  const std::string start = "?";
  const std::string middle(200, 'x');
  const auto wildcard = Wildcard::compile(start + middle + "*" + middle, WildcardStyle::people);
  ASSERT_TRUE(wildcard);
  EXPECT_TRUE(wildcard->matches("a" + middle + middle));
  EXPECT_TRUE(wildcard->matches("a" + middle + "zz" + middle));
  EXPECT_FALSE(wildcard->matches("a" + middle + "zz" + middle.substr(1)));
}

TEST(Wildcard, gives_double_stars_gits_meaning_only_as_whole_components) {
  const auto git = Wildcard::compile("x/?**y", WildcardStyle::git);
  const auto people = Wildcard::compile("x/?**y", WildcardStyle::people);
  ASSERT_TRUE(git && people);
  EXPECT_TRUE(git->matches("x/a.y"));
  EXPECT_FALSE(git->matches("x/a/b/y"));
  EXPECT_TRUE(people->matches("x/a.y"));
  EXPECT_FALSE(people->matches("x/a/b/y"));
}

}  // namespace
}  // namespace wright::tools
