// What several calls did to one place: moved away, removed, and made anew.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tools/undo/undo_testing.h"

namespace wright::tools {
namespace {

class UndoOfPlacesTest : public UndoTest {
 protected:
  mode_t mode(std::string_view path) const {
    struct stat status {};
    return ::lstat((base_ / path).c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }
  void take_back() const {
    const auto done = carry_out(plan(), workspace());
    ASSERT_TRUE(done) << done.error().message;
  }
};

TEST_F(UndoOfPlacesTest, gives_a_file_its_permissions_back_that_was_moved_away_and_written_anew) {
  base_.write("run.sh", "#!/bin/sh\n").write("same.sh", "#!/bin/sh\n").write("own", "own\n");
  ASSERT_EQ(::chmod((base_ / "run.sh").c_str(), 0755), 0);
  ASSERT_EQ(::chmod((base_ / "same.sh").c_str(), 0700), 0);
  ASSERT_EQ(::chmod((base_ / "own").c_str(), 0600), 0);
  call("bash", {{"command", "mv run.sh run.old; rm same.sh"}});
  write("run.sh", "#!/bin/bash\n");
  write("run.sh", "#!/bin/dash\n");
  write("same.sh", "#!/bin/sh\n");
  write("own", "agent\n");
  ASSERT_EQ(::chmod((base_ / "own").c_str(), 0640), 0) << "by a person";
  take_back();
  EXPECT_EQ(content("run.sh"), "#!/bin/sh\n");
  EXPECT_EQ(mode("run.sh"), 0755U);
  EXPECT_EQ(mode("same.sh"), 0700U);
  EXPECT_EQ(mode("own"), 0640U);
  EXPECT_FALSE(std::filesystem::exists(base_ / "run.old"));
}

TEST_F(UndoOfPlacesTest, brings_back_an_empty_folder_whose_place_something_else_took) {
  for (const char* after : {"echo 1 > d", "ln -s e d", "ln -s nowhere d"}) {
    base_.make_folder("d/deep").make_folder("e/deep");
    call("bash", {{"command", "rm -r d"}});
    call("bash", {{"command", after}});
    take_back();
    EXPECT_TRUE(std::filesystem::is_directory(std::filesystem::symlink_status(base_ / "d")))
        << after;
    EXPECT_TRUE(std::filesystem::is_directory(base_ / "d/deep")) << after;
    EXPECT_FALSE(plan().does_something()) << diff_of(plan());
    log_->forget(7);
  }
}

TEST_F(UndoOfPlacesTest, says_when_a_persons_file_stands_in_the_place_of_a_folder) {
  base_.make_folder("d");
  call("bash", {{"command", "rmdir d"}});
  base_.write("d", "of a person\n");
  const UndoPlan undo = plan();
  ASSERT_EQ(undo.gaps.size(), 1U);
  EXPECT_EQ(undo.gaps[0], "the folder 'd' does not come back: something else stands there");
  take_back();
  EXPECT_EQ(content("d"), "of a person\n");
}

}  // namespace
}  // namespace wright::tools
