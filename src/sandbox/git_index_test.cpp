#include "sandbox/git_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/temporary_folder_testing.h"

namespace wright::sandbox {
namespace {

class SubmodulesInIndex : public testing::Test {
 protected:
  // The index is git's own.
  void make_repository(const char* how) const {
    const std::string line = fmt::format(
        "cd '{}' && git init -q {} 2>/dev/null && mkdir -p a/long/way && echo x > a/long/way/file "
        "&& "
        "echo x > z && for i in a/module module second; do git init -q {} $i && git -C $i -c "
        "user.name=a -c user.email=a commit -q --allow-empty -m x; done; git add . 2>/dev/null; "
        "git add -N z && {{ {}; }}",
        folder_.path().string(), how, how, more_);
    ASSERT_EQ(std::system(line.c_str()), 0);
  }
  std::filesystem::path index() const { return folder_.path() / ".git/index"; }

  const std::vector<std::string> all_{"a/module", "module", "second"};
  TemporaryFolder folder_;
  const char* more_ = "true";
};

TEST_F(SubmodulesInIndex, are_found_in_every_version) {
  for (const char* version : {"2", "3", "4"}) {
    std::filesystem::remove_all(folder_.path() / ".git");
    const std::string line = fmt::format("git update-index --index-version {}", version);
    more_ = line.c_str();
    make_repository("");
    EXPECT_EQ(submodules_in_index(index()), all_) << version;
  }
}

TEST_F(SubmodulesInIndex, are_found_where_hashes_are_longer) {
  make_repository("--object-format=sha256");
  EXPECT_EQ(submodules_in_index(index()), all_);
}

TEST_F(SubmodulesInIndex, are_none_where_it_is_broken_or_missing) {
  EXPECT_TRUE(submodules_in_index(index()).empty());
  make_repository("");
  std::ifstream stream(index(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(index(), std::ios::binary) << whole.substr(0, length);
    EXPECT_LE(submodules_in_index(index()).size(), all_.size());
    std::string changed = whole;
    changed[length] = static_cast<char>(0xFF);
    std::ofstream(index(), std::ios::binary) << changed;
    EXPECT_LE(submodules_in_index(index()).size(), all_.size() + 1);
  }
}

}  // namespace
}  // namespace wright::sandbox
