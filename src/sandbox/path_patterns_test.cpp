#include "sandbox/path_patterns.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace wright::sandbox {
namespace {

TEST(PathPatterns, mean_what_they_say) {
  EXPECT_TRUE(is_meant("**/*.env", "x.env"));
  EXPECT_TRUE(is_meant("**/*.env", "a/b/x.env"));
  EXPECT_TRUE(is_meant("**/.env", "a/.env"));
  EXPECT_TRUE(is_meant(".env", "a/.env"));
  EXPECT_TRUE(is_meant("a/*.key", "a/x.key"));
  EXPECT_TRUE(is_meant("**/.aws/credentials", "x/.aws/credentials"));
  EXPECT_TRUE(is_meant("**/a/b", "a/b"));
  EXPECT_TRUE(is_meant("**/?/b", "x/a/b"));
  EXPECT_FALSE(is_meant("**/a/b", "b"));
  EXPECT_FALSE(is_meant("**/a/b", "a/b/c"));
  EXPECT_FALSE(is_meant("**/a/b/c", "b/c"));
  EXPECT_FALSE(is_meant("a/*.key", "b/a/x.key"));
  EXPECT_FALSE(is_meant("*.key", "x.key/readme"));
  EXPECT_FALSE(is_meant("a*key", "a/key"));
  EXPECT_FALSE(is_meant("**/.env", "x.env"));
}

TEST(PathPatterns, mean_what_lies_in_a_folder_that_they_mean) {
  const std::vector<std::string> patterns{"**/.aws/credentials", "*.key", "deploy/prod"};
  EXPECT_TRUE(is_meant_by_any(patterns, "x/.aws/credentials/old"));
  EXPECT_TRUE(is_meant_by_any(patterns, "a/b.key/readme"));
  EXPECT_TRUE(is_meant_by_any(patterns, "deploy/prod/a/b"));
  EXPECT_FALSE(is_meant_by_any(patterns, "x/deploy/prod"));
  EXPECT_FALSE(is_meant_by_any(patterns, ".aws/config"));
}

}  // namespace
}  // namespace wright::sandbox
