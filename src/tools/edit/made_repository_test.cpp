#include "tools/edit/made_repository.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "tools/temporary_folder_testing.h"

namespace wright::tools {
namespace {

class MadeRepository : public ::testing::Test {
 protected:
  // "ok", or the code of the error.
  std::string write(std::initializer_list<const char*> paths) {
    const auto workspace = Workspace::open({.base = base_.path(), .writable = {"."}});
    EXPECT_TRUE(workspace);
    std::vector<FileChange> changes;
    for (const char* path : paths) changes.push_back({*workspace->locate(path), "x", {}, {}});
    FileCalls calls;
    const auto applied = apply_changes(*workspace, changes, MissingFolders::create, calls);
    return applied ? "ok" : std::string(to_string(applied.error().code));
  }
  bool has(const char* path) const { return std::filesystem::exists(base_ / path); }

  const TemporaryFolder base_;
};

TEST_F(MadeRepository, is_refused_when_one_patch_makes_all_of_it) {
  EXPECT_EQ(write({"docs/HEAD", "docs/objects/x", "docs/refs/x", "docs/config"}),
            "permission_denied");
  EXPECT_EQ(write({"docs/config", "docs/commondir", "docs/HEAD"}), "permission_denied");
  EXPECT_EQ(write({"docs/objects", "docs/refs", "docs/HEAD"}), "permission_denied");
  EXPECT_EQ(write({"HEAD", "objects/x", "refs/x"}), "permission_denied") << "the base itself";
  EXPECT_EQ(write({"a/b/head", "a/b/Objects/x/y", "a/b/refs/x/y"}), "permission_denied");
  EXPECT_FALSE(has("docs"));
  EXPECT_FALSE(has("HEAD"));
}

TEST_F(MadeRepository, is_refused_at_the_step_that_completes_it) {
  EXPECT_EQ(write({"one/config"}), "ok");
  EXPECT_EQ(write({"one/objects/x"}), "ok");
  EXPECT_EQ(write({"one/refs/x"}), "ok");
  EXPECT_EQ(write({"one/HEAD"}), "permission_denied");
  EXPECT_EQ(write({"HEAD"}), "ok");
  EXPECT_EQ(write({"objects/x"}), "ok");
  EXPECT_EQ(write({"refs/x"}), "permission_denied") << "the base itself";
  EXPECT_EQ(write({"commondir"}), "permission_denied");
  base_.make_folder("far/objects").make_folder("far/refs").link("way", "far");
  EXPECT_EQ(write({"way/HEAD"}), "permission_denied") << "through a link";
}

TEST_F(MadeRepository, is_told_from_folders_that_only_have_such_names) {
  EXPECT_EQ(write({"src/objects/x.cpp", "src/refs/y.cpp", "src/heads/z.cpp"}), "ok");
  EXPECT_EQ(write({"HEAD", "docs/objects/x", "docs/refs/x"}), "ok");
  EXPECT_EQ(write({"docs/HEAD/x"}), "ok");
  EXPECT_EQ(write({"docs/commondir/x"}), "ok");
}

// Work on such a folder that is there already goes on; its parts below the base are git's own.
TEST_F(MadeRepository, is_not_what_a_base_becomes_that_is_one_already) {
  base_.write("HEAD", "ref: refs/heads/main").make_folder("objects").make_folder("refs");
  EXPECT_EQ(write({"README"}), "ok");
  EXPECT_EQ(write({"refs/x"}), "ok");
}

}  // namespace
}  // namespace wright::tools
