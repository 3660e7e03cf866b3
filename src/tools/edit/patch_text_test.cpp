#include "tools/edit/patch_text.h"

#include <gtest/gtest.h>

#include "core/try.h"

namespace wright::tools {
namespace {

// Applies hunks as they are written in a patch.
Result<PatchedText> apply_lines(std::string_view text, std::string_view hunks) {
  const auto files = TRY(parse_patch("*** Begin Patch\n*** Update File: f\n" + std::string(hunks) +
                                     "*** End Patch\n"));
  return apply_hunks(text, files.front().hunks);
}

std::string applied(std::string_view text, std::string_view hunks) {
  const auto result = apply_lines(text, hunks);
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->text : "";
}

std::string error_of(std::string_view text, std::string_view hunks) {
  const auto result = apply_lines(text, hunks);
  return result ? "no error: " + result->text : result.error().message;
}

TEST(PatchText, replaces_adds_and_removes_lines) {
  EXPECT_EQ(applied("a\nb\nc\n", "@@\n a\n-b\n+B\n c\n"), "a\nB\nc\n");
  EXPECT_EQ(applied("a\nb\nc\n", "@@\n-b\n"), "a\nc\n");
  EXPECT_EQ(applied("a\nb\n", "@@\n a\n+x\n+y\n b\n"), "a\nx\ny\nb\n");
  EXPECT_EQ(applied("a\nb\nc\nd\n", "@@\n-a\n+A\n@@\n-d\n+D\n"), "A\nb\nc\nD\n");
  EXPECT_EQ(applied("a\n", "@@\n-a\n"), "");
}

TEST(PatchText, goes_below_its_anchors) {
  const std::string text = "class A\n  f\n    x\n  g\n    x\nclass B\n  f\n    x\n  g\n    x\n";
  EXPECT_EQ(applied(text, "@@ class B\n@@   g\n-    x\n+    y\n"),
            "class A\n  f\n    x\n  g\n    x\nclass B\n  f\n    x\n  g\n    y\n");
  EXPECT_EQ(applied(text, "@@ class B\n+  new\n"),
            "class A\n  f\n    x\n  g\n    x\nclass B\n  new\n  f\n    x\n  g\n    x\n");
  EXPECT_EQ(applied(text, "@@   g\n-    x\n+    1\n@@   g\n-    x\n+    2\n"),
            "class A\n  f\n    x\n  g\n    1\nclass B\n  f\n    x\n  g\n    2\n");
}

TEST(PatchText, takes_an_anchor_that_is_repeated_as_the_first_line_of_its_hunk) {
  const std::string text = "def f():\n  x\ndef g():\n  x\n";
  EXPECT_EQ(applied(text, "@@ def g():\n def g():\n-  x\n+  y\n"),
            "def f():\n  x\ndef g():\n  y\n");
  EXPECT_EQ(applied(text, "@@ def g():\n-def g():\n+def h():\n"), "def f():\n  x\ndef h():\n  x\n");
  // What stands below the anchor comes first.
  EXPECT_EQ(applied("a\nb\na\nb\n", "@@ a\n a\n-b\n+c\n"), "a\nb\na\nc\n");
}

TEST(PatchText, takes_the_beginning_of_a_line_for_an_anchor_where_there_is_no_such_line) {
  const std::string text =
      "class A(Base):\n  def f(self):\n    x\nclass B:\n  def f(self):\n    x\n";
  EXPECT_EQ(applied(text, "@@ class B\n@@ def f\n-    x\n+    y\n"),
            "class A(Base):\n  def f(self):\n    x\nclass B:\n  def f(self):\n    y\n");
  EXPECT_EQ(applied("if x\nif\ny\n", "@@ if\n-y\n+z\n"), "if x\nif\nz\n");
  EXPECT_NE(error_of(text, "@@ class C\n-    x\n").find("its anchor was not found"),
            std::string::npos);
}

TEST(PatchText, leaves_out_the_last_line_break_when_told_so) {
  const std::string marker = "\\ No newline at end of file\n";
  EXPECT_EQ(applied("a\nb", "@@\n a\n-b\n" + marker + "+c\n" + marker), "a\nc");
  EXPECT_EQ(applied("a\nb\n", "@@\n-b\n+c\n" + marker), "a\nc");
  EXPECT_EQ(applied("a\nb\n", "@@\n+c\n" + marker), "a\nb\nc");
  EXPECT_EQ(applied("a\nb", "@@\n-a\n+c\n b\n" + marker), "c\nb");
  // Nothing but the last line can do without.
  EXPECT_EQ(applied("a\nb\n", "@@\n-a\n+c\n" + marker + " b\n"), "c\nb\n");
}

TEST(PatchText, keeps_a_byte_order_mark_where_it_is) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(applied(mark + "a\nb\n", "@@\n-a\n+A\n b\n"), mark + "A\nb\n");
  EXPECT_EQ(applied(mark + "a\nb\n", "@@ a\n-b\n+B\n"), mark + "a\nB\n");
  EXPECT_EQ(applied(mark, "@@\n+a\n"), mark + "a\n");
}

TEST(PatchText, finds_lines_that_differ_in_blanks_and_punctuation) {
  EXPECT_EQ(applied("a  \nb\n", "@@\n a\n-b\n+c\n"), "a  \nc\n");
  EXPECT_EQ(applied("\t  a\n    b\n", "@@\n a\n-b\n+c\n"), "\t  a\nc\n");
  const std::string typographic =
      "\xE2\x80\x9Cquoted\xE2\x80\x9D \xE2\x80\x94 it\xE2\x80\x99s\xC2\xA0"
      "fine\n";
  EXPECT_EQ(applied(typographic + "b\n", "@@\n \"quoted\" - it's fine\n-b\n+c\n"),
            typographic + "c\n");
  // The strictest likeness wins, even where a laxer one would fit earlier.
  EXPECT_EQ(applied("  a\na\n", "@@\n-a\n+b\n"), "  a\nb\n");
}

TEST(PatchText, gives_added_lines_the_blanks_that_the_hunk_has_left_out) {
  EXPECT_EQ(applied("f:\n    x = 1\n    y\n", "@@\n-x = 1\n+x = 9\n+\n+  z\n y\n"),
            "f:\n    x = 9\n\n      z\n    y\n");
  EXPECT_EQ(applied("f:\n  x = 1\n", "@@\n-      x = 1\n+      x = 9\n"), "f:\n  x = 9\n");
  EXPECT_EQ(applied("\tx\n    y\n", "@@\n-x\n+z\n y\n"), "z\n    y\n")
      << "they differ by other blanks each";
}

TEST(PatchText, gives_added_lines_tabs_or_spaces_like_those_of_the_file) {
  EXPECT_EQ(applied("def f():\n\tif x:\n\t\tgo()\n",
                    "@@\n def f():\n     if x:\n-        go()\n+        run()\n+    else:\n+\n+    "
                    "      odd()\n"),
            "def f():\n\tif x:\n\t\trun()\n\telse:\n\n\t\t  odd()\n");
  EXPECT_EQ(applied("all:\n\tcc a.c\n", "@@\n all:\n-    cc a.c\n+    cc b.c\n"),
            "all:\n\tcc b.c\n");
  EXPECT_EQ(applied("f:\n  a\n    b\n", "@@\n f:\n \ta\n-\t\tb\n+\t\tc\n+\t\t\td\n"),
            "f:\n  a\n    c\n      d\n");
}

TEST(PatchText, notes_blanks_that_follow_no_rule) {
  const auto result = apply_lines("f:\n\ta\n   b\n", "@@\n f:\n-    a\n+    c\n         b\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->text, "f:\n    c\n   b\n");
  ASSERT_EQ(result->notes.size(), 1U);
  EXPECT_NE(result->notes[0].find("See whether its indentation is right"), std::string::npos);
}

TEST(PatchText, says_when_a_hunk_fits_in_several_places) {
  const auto twice = apply_lines("f\n  a\ng\n  a\n", "@@\n-  a\n+  b\n");
  ASSERT_TRUE(twice) << twice.error().message;
  EXPECT_EQ(twice->text, "f\n  b\ng\n  a\n");
  ASSERT_EQ(twice->notes.size(), 1U);
  EXPECT_TRUE(twice->notes[0].contains("line 2 and again in line 4")) << twice->notes[0];

  const auto anchored = apply_lines("f\n  a\ng\n  a\n", "@@ g\n-  a\n+  b\n");
  EXPECT_TRUE(anchored && anchored->notes.empty());
  const auto both = apply_lines("a\nx\na\n", "@@\n-a\n+b\n@@\n-a\n+c\n");
  EXPECT_TRUE(both && both->notes.empty() && both->text == "b\nx\nc\n");
}

TEST(PatchText, refuses_to_guess_between_places_that_fit_apart_from_blanks) {
  const std::string error = error_of("f\n        x\ng\n    x\n", "@@\n-x\n+y\n");
  EXPECT_TRUE(error.contains("both in line 2 and in line 4")) << error;
  EXPECT_EQ(applied("f\n        x\ng\n    x\n", "@@ g\n-x\n+y\n"), "f\n        x\ng\n    y\n");
}

TEST(PatchText, ties_a_hunk_to_the_end_of_the_file) {
  EXPECT_EQ(applied("x\ny\nx\n", "@@\n-x\n+z\n*** End of File\n"), "x\ny\nz\n");
  EXPECT_NE(error_of("x\ny\n", "@@\n-x\n+z\n*** End of File\n")
                .find("its lines were not found at the end of the file"),
            std::string::npos);
  EXPECT_EQ(applied("x\n", "@@\n+end\n*** End of File\n"), "x\nend\n");
}

TEST(PatchText, puts_what_has_no_context_at_the_end) {
  EXPECT_EQ(applied("a\nb\n", "@@\n+c\n"), "a\nb\nc\n");
  EXPECT_EQ(applied("", "@@\n+c\n"), "c\n");
  EXPECT_EQ(applied("a\nb", "@@\n+c\n"), "a\nb\nc\n");
  EXPECT_EQ(applied("a\nb\n", "@@\n+c\n@@\n-a\n+A\n"), "A\nb\nc\n");
}

TEST(PatchText, keeps_line_breaks_as_they_are) {
  EXPECT_EQ(applied("a\r\nb\r\nc\r\n", "@@\n-a\n+A\n b\n+x\n c\n"), "A\r\nb\r\nx\r\nc\r\n");
  EXPECT_EQ(applied("a\r\nb\nc\r\n", "@@\n a\n b\n+x\n c\n"), "a\r\nb\nx\nc\r\n");
  EXPECT_EQ(applied("a\nb\nlast", "@@\n-a\n+A\n"), "A\nb\nlast");
  EXPECT_EQ(applied("a\nlast", "@@\n-last\n+LAST\n"), "a\nLAST\n");
  EXPECT_EQ(applied("a\nlast", "@@\n last\n+more\n"), "a\nlast\nmore\n");
}

TEST(PatchText, forgives_an_empty_line_at_the_end_of_a_hunk) {
  EXPECT_EQ(applied("a\nb\n", "@@\n-a\n+A\n\n"), "A\nb\n");
  EXPECT_EQ(applied("a\nb\n", "@@\n a\n-b\n+B\n\n"), "a\nB\n");
  EXPECT_EQ(applied("a\nb\n", "@@\n-b\n+B\n\n\n*** End of File\n"), "a\nB\n");
  EXPECT_EQ(applied("a\nb\n", "@@\n-b\n+B\n\t\n"), "a\nB\n");
}

TEST(PatchText, forgives_an_empty_line_before_a_hunk) {
  EXPECT_EQ(applied("a\nb\n", "@@\n\n-b\n+B\n"), "a\nB\n");
  EXPECT_EQ(applied("a\nb\n", "\n-b\n+B\n\n"), "a\nB\n");
  EXPECT_NE(error_of("a\nb\nc\n", "@@\n a\n\n-b\n+B\n").find("does not fit"), std::string::npos)
      << "only around it";
}

TEST(PatchText, adds_at_the_end_what_has_only_empty_lines_around_it) {
  EXPECT_EQ(applied("a\nb\n", "@@\n+c\n\n"), "a\nb\nc\n");
  EXPECT_EQ(applied("a\nb\n", "@@ a\n+x\n\n"), "a\nx\nb\n");
  EXPECT_EQ(applied("a\n\nb\n", "@@ a\n+x\n\n b\n"), "a\nx\n\nb\n");
}

TEST(PatchText, finds_the_end_of_a_file_before_its_empty_lines) {
  EXPECT_EQ(applied("x\ny\nx\n\n \n", "@@\n-x\n+z\n*** End of File\n"), "x\ny\nz\n\n \n");
}

TEST(PatchText, changes_lines_that_end_in_a_carriage_return_alone) {
  EXPECT_EQ(applied("a\rb\rc\r", "@@\n a\n-b\n+B\n+C\n c\n"), "a\rB\rC\rc\r");
  EXPECT_EQ(applied("a\rlast", "@@\n last\n+more\n"), "a\rlast\rmore\r");
  EXPECT_EQ(applied("a\rb\r", "@@\n+c\n"), "a\rb\rc\r");
  EXPECT_EQ(applied("x\ry\nb\n", "@@\n-b\n+B\n"), "x\ry\nB\n")
      << "beside other line ends it is a character like others";
}

TEST(PatchText, says_which_hunk_does_not_fit_and_why) {
  EXPECT_EQ(error_of("int main() {\n  return 1;\n}\n", "@@\n-  return 2;\n+  return 3;\n"),
            "The hunk in line 3 of the patch does not fit: its lines were not found:\n"
            "  return 2;\nThe lines most like its first line:\n2:   return 1;");
  EXPECT_EQ(error_of("a\nb\n", "@@\n-b\n+B\n@@\n-a\n+A\n"),
            "The hunk in line 6 of the patch does not fit: its lines were not found after line 2:\n"
            "a\nThey stand in line 1, above the hunk or anchor before: write hunks in the order of "
            "the file.");
  EXPECT_NE(error_of("a\n", "@@ nowhere\n-a\n").find("its anchor was not found:\nnowhere"),
            std::string::npos);
  EXPECT_NE(error_of("", "@@\n-a\n").find("The file is empty."), std::string::npos);
}

TEST(PatchText, is_not_slowed_down_by_lines_that_are_all_alike) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "a\n";
  std::string hunk = "@@\n";
  for (int i = 0; i < 25'000; ++i) hunk += " a\n";
  hunk += "-b\n";
  EXPECT_NE(error_of(text, hunk).find("does not fit"), std::string::npos);
}

}  // namespace
}  // namespace wright::tools
