#include "tools/edit/line_diff.h"

#include <random>

#include "tools/temporary_folder_testing.h"

namespace wright::tools {
namespace {

TEST(LineDiff, writes_the_unified_format) {
  const UnifiedDiff diff = unified_diff({"a.txt", "a.txt"}, "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
                                        "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n");
  EXPECT_EQ(diff.text,
            "--- a/a.txt\n+++ b/a.txt\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n"
            "+10\n");
  EXPECT_EQ(diff.additions, 2);
  EXPECT_EQ(diff.deletions, 1);
}

TEST(LineDiff, parts_changes_that_are_far_from_each_other) {
  std::string before;
  for (int i = 1; i <= 30; ++i) before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("\n2\n"), 3, "\ntwo\n");
  after.replace(after.find("\n29\n"), 4, "\n");
  EXPECT_EQ(unified_diff({"x", "y"}, before, after).text,
            "--- a/x\n+++ b/y\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -26,5 +26,4 @@\n 26\n "
            "27\n 28\n-29\n 30\n");
}

TEST(LineDiff, tells_new_removed_and_unfinished_files) {
  EXPECT_EQ(unified_diff({{}, "n"}, "", "a\nb").text,
            "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n");
  EXPECT_EQ(unified_diff({"n", {}}, "a\n", "").text, "--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
  EXPECT_EQ(unified_diff({"n", "n"}, "a", "a\n").text,
            "--- a/n\n+++ b/n\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  EXPECT_EQ(unified_diff({"n", "n"}, "same\n", "same\n").text, "");
}

TEST(LineDiff, finds_the_smallest_difference) {
  // A line that moved by one is one line removed and one added, not everything.
  const UnifiedDiff diff = unified_diff({"n", "n"}, "a\nb\nc\nd\ne\n", "b\na\nc\nd\ne\n");
  EXPECT_EQ(diff.additions, 1);
  EXPECT_EQ(diff.deletions, 1);
}

TEST(LineDiff, shows_one_large_change_when_everything_differs) {
  constexpr int kLines = 50'000;
  std::string before;
  std::string after;
  for (int i = 0; i < kLines; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  const UnifiedDiff diff = unified_diff({"n", "n"}, before, after);
  EXPECT_EQ(diff.additions, kLines);
  EXPECT_EQ(diff.deletions, kLines);
}

TEST(LineDiff, is_understood_by_git) {
  const TemporaryFolder folder;
  const std::string git = "git -C " + shell_word(folder.path().native());
  output_of(git + " init -q");
  std::mt19937 random(20240607);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  for (int round = 0; round < 40; ++round) {
    Strings lines;
    for (unsigned i = 0, count = 1 + below(40); i < count; ++i) {
      lines.emplace_back(1, static_cast<char>('a' + below(6)));
    }
    Strings changed;
    for (const std::string& line : lines) {
      const unsigned dice = below(8);
      if (dice == 0) continue;
      changed.push_back(dice == 1 ? "changed" : line);
      if (dice == 2) changed.emplace_back("added");
    }
    changed.emplace_back("end");
    const auto join = [&](const Strings& all) {
      const std::string text = fmt::format("{}", fmt::join(all, "\n"));
      return below(4) == 0 ? text : text + "\n";
    };
    const std::string before = join(lines);
    const std::string after = join(changed);
    const UnifiedDiff diff = unified_diff({"f", "f"}, before, after);
    folder.write("f", before).write("patch", diff.text);
    output_of(git + " apply --whitespace=nowarn patch");
    EXPECT_EQ(content_of(folder / "f"), after) << diff.text;
  }
}

}  // namespace
}  // namespace wright::tools
