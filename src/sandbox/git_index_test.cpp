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

  std::vector<std::string> found() const {
    GitAllowance allowance;
    return submodules_in_index(index(), hash_, allowance).value();
  }

  const std::vector<std::string> all_{"a/module", "module", "second"};
  TemporaryFolder folder_;
  const char* more_ = "true";
  HashLength hash_ = HashLength::sha1;
};

TEST_F(SubmodulesInIndex, are_found_in_every_version) {
  for (const char* version : {"2", "3", "4"}) {
    std::filesystem::remove_all(folder_.path() / ".git");
    const std::string line = fmt::format("git update-index --index-version {}", version);
    more_ = line.c_str();
    make_repository("");
    EXPECT_EQ(found(), all_) << version;
  }
}

TEST_F(SubmodulesInIndex, are_found_where_hashes_are_longer) {
  hash_ = HashLength::sha256;
  make_repository("--object-format=sha256");
  EXPECT_EQ(found(), all_);
}

TEST_F(SubmodulesInIndex, are_found_where_it_is_split) {
  more_ =
      "git update-index --split-index && git init -q third && git -C third -c user.name=a -c "
      "user.email=a commit -q --allow-empty -m x && git add third 2>/dev/null";
  make_repository("");
  EXPECT_EQ(found(), (std::vector<std::string>{"a/module", "module", "second", "third"}));
}

TEST_F(SubmodulesInIndex, are_found_among_many_files) {
  more_ =
      "for i in $(seq 1 9000); do echo \"100644 "
      "1111111111111111111111111111111111111111\ta/long/way/"
      "file-with-a-long-name-$i\"; done | git update-index --index-info";
  make_repository("");
  EXPECT_EQ(found(), all_);
  ASSERT_GT(std::filesystem::file_size(index()), 600'000U);
}

TEST_F(SubmodulesInIndex, lie_inside_of_the_worktree) {
  make_repository("");
  std::fstream file(index(), std::ios::binary | std::ios::in | std::ios::out);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  for (const char* name : {"../../x", "/modulx", "a/../xy", "x/./abc"}) {
    file.clear();
    file.seekp(static_cast<std::streamoff>(whole.find("a/module"))).write(name, 7).flush();
    for (const std::string& each : found()) EXPECT_TRUE(each == "module" || each == "second");
  }
}

TEST_F(SubmodulesInIndex, are_not_looked_for_in_more_than_is_allowed) {
  make_repository("");
  GitAllowance allowance;
  while (allowance.covers_bytes(1U << 20)) continue;
  EXPECT_FALSE(submodules_in_index(index(), hash_, allowance));
  allowance.begin_repository();
  EXPECT_EQ(submodules_in_index(index(), hash_, allowance), all_)
      << "the next one has a share of its own";
  std::filesystem::resize_file(index(), 12);
  EXPECT_EQ(found(), std::vector<std::string>()) << "which is broken";
}

TEST_F(SubmodulesInIndex, are_none_where_it_is_broken_or_missing) {
  EXPECT_TRUE(found().empty());
  make_repository("");
  std::fstream file(index(), std::ios::binary | std::ios::in | std::ios::out);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  file.clear();
  const auto put = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
    ASSERT_TRUE(file.good());
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    put(at, static_cast<char>(0xFF));
    EXPECT_LE(found().size(), all_.size() + 1);
    put(at, whole[at]);
  }
  EXPECT_EQ(found(), all_);
  for (std::size_t length = whole.size(); length-- > 0;) {
    std::filesystem::resize_file(index(), length);
    EXPECT_LE(found().size(), all_.size());
  }
}

}  // namespace
}  // namespace wright::sandbox
