#include "core/regular_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "core/temporary_folder_testing.h"

namespace wright {
namespace {

class RegularFile : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
};

TEST_F(RegularFile, is_read_from_its_start) {
  std::ofstream(folder_ / "file") << "some text";
  std::filesystem::create_symlink("file", folder_ / "link");
  EXPECT_EQ(start_of_regular_file(folder_ / "file", 100), "some text");
  EXPECT_EQ(start_of_regular_file(folder_ / "file", 4), "some");
  EXPECT_EQ(start_of_regular_file(folder_ / "link", 100), "some text");
}

TEST_F(RegularFile, may_be_larger_than_the_memory) {
  std::ofstream(folder_ / "huge") << "head";
  std::error_code problem;
  std::filesystem::resize_file(folder_ / "huge", std::uintmax_t{1} << 40, problem);
  if (problem) GTEST_SKIP() << "no such large files here: " << problem.message();
  EXPECT_EQ(start_of_regular_file(folder_ / "huge", 4), "head");
}

TEST_F(RegularFile, is_the_only_kind_that_is_read) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", folder_ / "zero");
  EXPECT_EQ(start_of_regular_file(folder_ / "pipe", 100), "");
  EXPECT_EQ(start_of_regular_file(folder_ / "zero", 100), "");
  EXPECT_EQ(start_of_regular_file(folder_, 100), "");
  EXPECT_EQ(start_of_regular_file(folder_ / "missing", 100), "");
}

}  // namespace
}  // namespace wright
