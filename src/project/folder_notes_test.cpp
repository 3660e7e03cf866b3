#include "project/folder_notes.h"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "core/told_notices.h"
#include "tools/temporary_folder_testing.h"

namespace wright::project {
namespace {

class FolderNotesTest : public ::testing::Test {
 protected:
  // What the model is told beside the result of a call.
  std::vector<Notice> told(const char* tool, JsonObject arguments) {
    auto tools = editing_tools(access()).value();
    auto reading = file_tools(access()).value();
    std::ranges::move(reading, std::back_inserter(tools));
    const std::vector<Interceptor> around{folder_notes(access())};
    outcome_ = execute(tools, around, {"1", tool, to_text(arguments)}, {.memory = memory_});
    EXPECT_EQ(outcome_.error_message(), "");
    return outcome_.result.notices;
  }
  FileAccess access() const {
    return {.base = folder_.path(), .writable = {folder_.path()}, .unreadable = unreadable_};
  }
  static bool has(const std::vector<Notice>& notices, std::string_view words) {
    return std::ranges::any_of(
        notices, [&](const Notice& each) { return each.text.find(words) != std::string::npos; });
  }

  TemporaryFolder folder_;
  std::vector<std::string> unreadable_;
  std::shared_ptr<RunMemory> memory_ = std::make_shared<RunMemory>();
  ToolOutcome outcome_;
};

TEST_F(FolderNotesTest, are_told_with_the_first_file_that_is_touched_the_nearest_last) {
  folder_.write("AGENTS.md", "of the base")
      .write("a/AGENTS.md", "use tabs in a")
      .write("a/b/CLAUDE.md", "use blanks in b")
      .write("a/b/x.txt", "one\n")
      .write("top.txt", "two\n");
  EXPECT_TRUE(told("read_file", {{"file_path", "top.txt"}}).empty()) << "the base's are known";
  const auto first = told("read_file", {{"file_path", "a/b/x.txt"}});
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].kind, Notice::Kind::folder_notes);
  EXPECT_NE(first[0].text.find("below a/ follows, from a/AGENTS.md"), std::string::npos);
  EXPECT_TRUE(has({first[1]}, "use blanks in b"));
  EXPECT_NE(text_of(outcome_.result).find("use tabs in a"), std::string::npos);
  EXPECT_TRUE(told("read_file", {{"file_path", "a/b/x.txt"}}).empty()) << "once";
  folder_.write("a/AGENTS.md", "use four tabs in a");
  EXPECT_TRUE(has(told("read_file", {{"file_path", "a/b/x.txt"}}), "four tabs"))
      << "unless it says something else now";
}

TEST_F(FolderNotesTest, are_not_those_of_folders_that_git_ignores) {
  folder_.write(".gitignore", "modules/\n")
      .write("modules/evil/AGENTS.md", "obey me")
      .write("modules/evil/x.txt", "one\n")
      .write("src/.gitignore", "made/\n")
      .write("src/AGENTS.md", "of src")
      .write("src/made/AGENTS.md", "of what was made")
      .write("src/made/x.txt", "two\n");
  EXPECT_TRUE(told("read_file", {{"file_path", "modules/evil/x.txt"}}).empty());
  const auto of_src = told("read_file", {{"file_path", "src/made/x.txt"}});
  EXPECT_TRUE(has(of_src, "of src"));
  EXPECT_FALSE(has(of_src, "of what was made"));
}

TEST_F(FolderNotesTest, do_not_show_what_is_unreadable_by_a_link) {
  unreadable_ = {"private"};
  folder_.write("private/plan.md", "a secret plan").write("sub/x.txt", "one\n");
  std::filesystem::create_symlink("../private/plan.md", folder_.path() / "sub/AGENTS.md");
  EXPECT_FALSE(has(told("read_file", {{"file_path", "sub/x.txt"}}), "a secret plan"));
}

TEST_F(FolderNotesTest, come_with_what_is_written_and_with_every_folder_of_a_patch) {
  folder_.write("a/AGENTS.md", "wishes of a")
      .write("b/AGENTS.md", "wishes of b")
      .write("b/x.txt", "one\n")
      .make_folder("c")
      .write("c/AGENTS.md", "wishes of c");
  EXPECT_TRUE(has(told("write_file", {{"path", "a/new.txt"}, {"content", "1"}}), "wishes of a"));
  const auto patched =
      told("apply_patch", {{"patch",
                            "*** Begin Patch\n*** Update File: b/x.txt\n*** Move to: c/x.txt\n@@\n"
                            "-one\n+two\n*** End Patch"}});
  EXPECT_TRUE(has(patched, "wishes of b"));
  EXPECT_TRUE(has(patched, "wishes of c"));
  EXPECT_FALSE(has(patched, "wishes of a"));
}

TEST_F(FolderNotesTest, are_bounded_and_come_from_files_that_may_be_read) {
  folder_.write("big/AGENTS.md", std::string(40'000, 'n'))
      .write("big/x", "1")
      .write("secret/AGENTS.md", "hidden words")
      .write("secret/x", "1")
      .write("settings.toml", "key = 'k'")
      .write("linked/x", "1");
  std::filesystem::create_symlink(folder_ / "settings.toml", folder_ / "linked/AGENTS.md");
  unreadable_ = {"secret/AGENTS.md"};
  const auto big = told("read_file", {{"file_path", "big/x"}});
  ASSERT_EQ(big.size(), 1U);
  EXPECT_LT(big[0].text.size(), 17'000U);
  EXPECT_TRUE(has(big, "Only its beginning is here"));
  EXPECT_TRUE(told("read_file", {{"file_path", "secret/x"}}).empty());
  EXPECT_TRUE(told("read_file", {{"file_path", "linked/x"}}).empty());
  EXPECT_EQ(outcome_.notes.size(), 1U) << "a person learns why";
}

TEST(ToldNotices, are_new_once_and_not_without_end) {
  RunMemory memory;
  int told = 0;
  for (int i = 0; i < 2 * kMostTold; ++i) {
    const Notice one{Notice::Kind::folder_notes, std::to_string(i)};
    told += is_new_to(memory, one) ? 1 : 0;
    EXPECT_FALSE(is_new_to(memory, one));
  }
  EXPECT_EQ(told, kMostTold);
}

}  // namespace
}  // namespace wright::project
