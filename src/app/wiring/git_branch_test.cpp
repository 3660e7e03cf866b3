#include "app/wiring/git_branch.h"

#include <gtest/gtest.h>

#include "tools/temporary_folder_testing.h"

namespace wright::app {
namespace {

constexpr const char* kHash = "0123456789abcdef0123456789abcdef01234567\n";

TEST(GitBranch, is_the_one_of_the_repository_or_the_beginning_of_the_hash) {
  const TemporaryFolder folder;
  EXPECT_EQ(git_branch(folder.path()), "");
  folder.write(".git/HEAD", "ref: refs/heads/feature/x\n");
  EXPECT_EQ(git_branch(folder.path()), "feature/x");
  folder.write(".git/HEAD", kHash);
  EXPECT_EQ(git_branch(folder.path()), "0123456");
  folder.write(".git/HEAD", "something else\n");
  EXPECT_EQ(git_branch(folder.path()), "");
}

TEST(GitBranch, is_that_of_a_work_tree_or_submodule_whose_git_is_a_file) {
  const TemporaryFolder folder;
  folder.write("main/.git/worktrees/side/HEAD", "ref: refs/heads/side\n")
      .write("side/.git", "gitdir: " + (folder / "main/.git/worktrees/side").string() + "\n")
      .write("main/.git/modules/lib/HEAD", kHash)
      .write("main/lib/.git", "gitdir: ../.git/modules/lib\n");
  EXPECT_EQ(git_branch(folder / "side"), "side");
  EXPECT_EQ(git_branch(folder / "main/lib"), "0123456");
}

}  // namespace
}  // namespace wright::app
