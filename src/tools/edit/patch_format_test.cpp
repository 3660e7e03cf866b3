#include "tools/edit/patch_format.h"

#include <gtest/gtest.h>

namespace wright::tools {
namespace {

using Kind = HunkLine::Kind;

std::vector<FilePatch> parsed(std::string_view text) {
  auto files = parse_patch(text);
  EXPECT_TRUE(files) << files.error().message;
  return files.value_or(std::vector<FilePatch>());
}

std::string error_of(std::string_view text) {
  const auto files = parse_patch(text);
  return files ? "no error" : files.error().message;
}

TEST(PatchFormat, reads_all_operations) {
  const auto files = parsed(
      "*** Begin Patch\n"
      "*** Add File: new.txt\n"
      "+one\n"
      "+\n"
      "++two\n"
      "*** Delete File: old file.txt\n"
      "*** Update File: a.cpp\n"
      "*** Move to: b/a.cpp\n"
      "@@ class A\n"
      "@@ void f() {\n"
      " context\n"
      "-removed\n"
      "+added\n"
      "@@\n"
      "-last\n"
      "*** End of File\n"
      "*** End Patch\n");
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0], (FilePatch{.operation = FilePatch::Operation::add,
                                 .path = "new.txt",
                                 .content = "one\n\n+two\n"}));
  EXPECT_EQ(files[1],
            (FilePatch{.operation = FilePatch::Operation::remove, .path = "old file.txt"}));
  EXPECT_EQ(files[2].new_path, "b/a.cpp");
  ASSERT_EQ(files[2].hunks.size(), 2U);
  EXPECT_EQ(files[2].hunks[0], (Hunk{.patch_line = 9,
                                     .anchors = {"class A", "void f() {"},
                                     .lines = {{Kind::context, "context"},
                                               {Kind::removed, "removed"},
                                               {Kind::added, "added"}}}));
  EXPECT_EQ(
      files[2].hunks[1],
      (Hunk{.patch_line = 14, .lines = {{Kind::removed, "last"}}, .is_at_end_of_file = true}));
}

TEST(PatchFormat, tolerates_what_models_write_around_it) {
  const auto plain = parsed("*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch");
  EXPECT_EQ(parsed("  *** Begin Patch  \n  *** Update File: a \n@@\n-x\n+y\n*** End Patch \n\n"),
            plain);
  EXPECT_EQ(parsed("*** Begin Patch\r\n*** Update File: a\r\n@@\r\n-x\r\n+y\r\n*** End Patch\r\n"),
            plain);
  EXPECT_EQ(parsed("*** Begin Patch\n*** Update File: a\n@@ -1,7 +1,8 @@ int f()\n-x\n+y\n"
                   "*** End Patch"),
            plain);
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {"<<'EOF'\n", "\nEOF\n"}, {"```patch\n", "\n```\n"}, {"\n\n", "\n\n"}}) {
    const auto files =
        parsed(before + "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch" + after);
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files[0].hunks[0].lines, plain[0].hunks[0].lines);
  }
}

TEST(PatchFormat, ends_at_its_last_line_however_that_is_indented) {
  const auto plain = parsed("*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch");
  for (const char* end : {" *** End Patch", "    *** End Patch\n", "\t*** End Patch\n\n```\n"}) {
    EXPECT_EQ(parsed(std::string("*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n") + end),
              plain);
  }
  EXPECT_EQ(parsed("*** Begin Patch\n*** Add File: a\n+x\n *** End Patch")[0].content, "x\n");
  // A line of context that looks like it, in a patch that goes on.
  EXPECT_EQ(parsed("*** Begin Patch\n*** Update File: a\n@@\n *** End Patch\n-x\n*** End Patch")[0]
                .hunks[0]
                .lines,
            (std::vector<HunkLine>{{Kind::context, "*** End Patch"}, {Kind::removed, "x"}}));
}

TEST(PatchFormat, takes_lines_that_end_in_a_carriage_return_alone) {
  EXPECT_EQ(parsed("*** Begin Patch\r*** Update File: a\r@@\r-x\r+y\r*** End Patch\r"),
            parsed("*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n"));
  EXPECT_EQ(parsed("*** Begin Patch\n*** Add File: a\n+x\ry\n*** End Patch\n")[0].content, "x\ry\n")
      << "inside of a line it is a character like others";
}

TEST(PatchFormat, takes_blank_lines_between_its_parts) {
  const auto files = parsed(
      "*** Begin Patch\n\n*** Update File: a\n\n*** Move to: b\n \n@@\n-x\n+y\n\t\n@@\n-z\n\n"
      "*** Delete File: c\n\n*** End Patch");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].new_path, "b");
  ASSERT_EQ(files[0].hunks.size(), 2U);
  EXPECT_EQ(files[0].hunks[0].lines,
            (std::vector<HunkLine>{{Kind::removed, "x"}, {Kind::added, "y"}, {}}));
}

TEST(PatchFormat, tolerates_what_belongs_to_other_formats) {
  const auto hunks = [](const std::string& lines) {
    auto made = parsed("*** Begin Patch\n*** Update File: a\n" + lines + "*** End Patch")[0].hunks;
    for (Hunk& hunk : made) hunk.patch_line = 0;
    return made;
  };
  const auto plain = hunks("@@\n-x\n+y\n");
  EXPECT_EQ(hunks("--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\n+y\n"), plain);
  EXPECT_EQ(hunks("@@ @@\n-x\n+y\n"), plain);
  EXPECT_EQ(hunks("@@ ... @@\n-x\n+y\n"), plain);
  EXPECT_EQ(hunks("@@ int f() @@\n-x\n+y\n"), hunks("@@ int f()\n-x\n+y\n"));
  // Where no hunk follows, they are lines like any others.
  EXPECT_EQ(hunks("--- a\n+++ b\n")[0].lines,
            (std::vector<HunkLine>{{Kind::removed, "-- a"}, {Kind::added, "++ b"}}));
  EXPECT_EQ(parsed("apply_patch <<-\"THE_END\"\n*** Begin Patch\n*** Delete File: a\n"
                   "*** End Patch\nTHE_END\n"),
            parsed("*** Begin Patch\n*** Delete File: a\n*** End Patch\n"));
}

TEST(PatchFormat, takes_empty_lines_of_an_added_file_that_have_lost_their_plus) {
  const auto content = [](const std::string& lines) {
    return parsed("*** Begin Patch\n*** Add File: a\n" + lines + "*** End Patch")[0].content;
  };
  EXPECT_EQ(content("+x\n\n\n+y\n"), "x\n\n\ny\n");
  EXPECT_EQ(content("+x\n\n"), "x\n");
  EXPECT_EQ(content("+x\n\\ No newline at end of file\n"), "x");
}

TEST(PatchFormat, needs_no_marker_before_the_first_hunk) {
  const auto files = parsed(
      "*** Begin Patch\n*** Update File: a\n import x\n+import y\n\n"
      "*** Add File: b\n*** End Patch");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].hunks[0].lines,
            (std::vector<HunkLine>{
                {Kind::context, "import x"}, {Kind::added, "import y"}, {Kind::context, ""}}));
  EXPECT_EQ(files[1].content, "");
}

TEST(PatchFormat, allows_a_move_without_changes) {
  const auto files = parsed("*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].new_path, "b");
  EXPECT_TRUE(files[0].hunks.empty());
}

TEST(PatchFormat, says_what_is_wrong_and_where) {
  EXPECT_EQ(error_of(""),
            "Line 1 of the patch is malformed: a patch begins with '*** Begin Patch'");
  EXPECT_EQ(error_of("--- a/x\n+++ b/x\n"),
            "Line 1 of the patch is malformed: a patch begins with '*** Begin Patch', but the line "
            "is '--- a/x'");
  EXPECT_EQ(error_of("*** Begin Patch\n*** End Patch\n"), "The patch is empty: it names no file");
  EXPECT_EQ(error_of("*** Begin Patch\n*** Add File: a\n+x\n"),
            "Line 4 of the patch is malformed: the patch ends without '*** End Patch', so it may "
            "be cut off");
  EXPECT_EQ(error_of("*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n"),
            "Line 6 of the patch is malformed: the patch ends without '*** End Patch', so it may "
            "be cut off");
  EXPECT_EQ(error_of("*** Begin Patch\n*** Frobnicate File: a\n*** End Patch"),
            "Line 2 of the patch is malformed: '*** Add File: path', '*** Update File: path', "
            "'*** Delete File: path' or '*** End Patch' is expected, but the line is "
            "'*** Frobnicate File: a'");
  EXPECT_EQ(error_of("*** Begin Patch\n*** Add File:  \n+x\n*** End Patch"),
            "Line 2 of the patch is malformed: the path is missing, but the line is "
            "'*** Add File:  '");
  EXPECT_EQ(error_of("*** Begin Patch\n*** Update File: a\n@@\n-x\nyy\n*** End Patch"),
            "Line 5 of the patch is malformed: lines of a hunk begin with a blank (context), '-' "
            "(removed) or '+' (added), but the line is 'yy'");
  EXPECT_NE(error_of("*** Begin Patch\n*** Update File: a\n*** End Patch"), "no error");
  EXPECT_NE(error_of("*** Begin Patch\n*** Update File: a\n@@\n*** End Patch"), "no error");
  EXPECT_NE(error_of("*** Begin Patch\n*** Update File: a\n*** Move to:\n*** End Patch"),
            "no error");
  EXPECT_NE(error_of("*** Begin Patch\n*** Delete File: a\n*** End Patch\nrm -rf /"), "no error");
  EXPECT_NE(error_of("*** Begin Patch\n*** Update File: a\n-x\n*** End of File\nz\n*** End Patch"),
            "no error");
}

}  // namespace
}  // namespace wright::tools
