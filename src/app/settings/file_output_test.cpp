#include "app/settings/file_output.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/temporary_folder_testing.h"

namespace wright::app {
namespace {

class NewFile : public ::testing::Test {
 protected:
  std::ptrdiff_t files_in_folder() const {
    return std::ranges::distance(std::filesystem::directory_iterator(folder_.path()),
                                 std::filesystem::directory_iterator());
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "record.json";
};

TEST_F(NewFile, is_seen_by_nobody_before_it_is_whole) {
  const std::string text(std::size_t{16} << 20, 'x');
  for (int i = 0; i < 5; ++i) {
    Result<void> created;
    std::atomic<bool> is_over = false;
    std::jthread writer([&] {
      created = create_private_file(path_, text);
      is_over = true;
    });
    std::error_code missing;
    while (!std::filesystem::exists(path_, missing) && !is_over) std::this_thread::yield();
    EXPECT_EQ(std::filesystem::file_size(path_, missing), text.size());
    writer.join();
    ASSERT_TRUE(created) << created.error().message;
    std::filesystem::remove(path_);
  }
}

TEST_F(NewFile, is_its_owners_alone_and_takes_no_ones_place) {
  ASSERT_TRUE(create_private_file(path_, "first"));
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  const auto second = create_private_file(path_, "second");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::already_exists);
  const auto behind_link = folder_ / "link.json";
  std::filesystem::create_symlink(folder_ / "nowhere", behind_link);
  EXPECT_FALSE(create_private_file(behind_link, "third"));
  EXPECT_TRUE(std::filesystem::is_symlink(behind_link));
  EXPECT_EQ(std::filesystem::file_size(path_), 5U);
  EXPECT_EQ(files_in_folder(), 2) << "nothing is left beside them";
}

}  // namespace
}  // namespace wright::app
