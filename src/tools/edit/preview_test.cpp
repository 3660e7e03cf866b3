#include "tools/edit/preview.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>

#include "core/call_preview.h"
#include "tools/temporary_folder_testing.h"
#include "wright/tools.h"

namespace wright::tools {
namespace {

// What a person is shown of a call to one of the editing tools.
JsonObject seen(const TemporaryFolder& base, std::string_view name, const JsonObject& arguments) {
  const auto tools = editing_tools({.base = base.path(), .writable = {"."}});
  if (!tools) return {{"problem", tools.error().message}};
  for (const Tool& tool : *tools) {
    if (tool.spec.name == name) return preview_of(tool, arguments);
  }
  return {};
}

std::string text_of(const JsonObject& seen, std::string_view member) {
  const Json* found = seen.if_contains(member);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "none";
}

std::string whole_patch(std::string_view body) {
  return fmt::format("*** Begin Patch\n{}*** End Patch\n", body);
}

TEST(Preview, of_write_file_is_the_change_and_changes_nothing) {
  const TemporaryFolder base;
  base.write("a", "one\ntwo\n");
  EXPECT_EQ(text_of(seen(base, "write_file", {{"path", "a"}, {"search", "two"}, {"replace", "2"}}),
                    "diff"),
            "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
  EXPECT_EQ(text_of(seen(base, "write_file", {{"file_path", "new"}, {"content", "x\n"}}), "diff"),
            "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n");
  EXPECT_EQ(text_of(seen(base, "write_file", {{"path", "a"}, {"content", "3\n"}, {"append", true}}),
                    "diff"),
            "--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n one\n two\n+3\n");
  EXPECT_EQ(
      text_of(seen(base, "write_file", {{"path", "a"}, {"content", "one\ntwo\n"}}), "problem"),
      "It would change nothing");
  EXPECT_EQ(content_of(base / "a"), "one\ntwo\n");
  EXPECT_FALSE(std::filesystem::exists(base / "new"));
}

TEST(Preview, of_apply_patch_is_the_change_of_all_files_and_changes_nothing) {
  const TemporaryFolder base;
  base.write("a", "1\n2\n").write("old", "x\n").write("from", "1\n");
  const JsonObject shown =
      seen(base, "apply_patch",
           {{"patch", whole_patch("*** Update File: a\n@@\n-2\n+two\n"
                                  "*** Delete File: old\n"
                                  "*** Add File: n/new\n+y\n"
                                  "*** Update File: from\n*** Move to: to\n")}});
  EXPECT_EQ(text_of(shown, "diff"),
            "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+two\n"
            "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
            "--- /dev/null\n+++ b/n/new\n@@ -0,0 +1 @@\n+y\n"
            "rename from from\nrename to to\n");
  EXPECT_EQ(content_of(base / "a"), "1\n2\n");
  EXPECT_TRUE(std::filesystem::exists(base / "old"));
  EXPECT_FALSE(std::filesystem::exists(base / "n"));
}

TEST(Preview, says_why_a_change_would_fail) {
  const TemporaryFolder base;
  base.write("a", "1\n").make_folder(".git");
  const auto problem = [&](std::string_view tool, const JsonObject& arguments) {
    return text_of(seen(base, tool, arguments), "problem");
  };
  EXPECT_NE(problem("apply_patch", {{"patch", whole_patch("*** Update File: a\n@@\n-9\n+two\n")}})
                .find("It would fail: "),
            std::string::npos);
  for (const char* path : {"../outside", "/etc/passwd", ".git/hooks/x", "a/"}) {
    EXPECT_NE(problem("write_file", {{"path", path}, {"content", "x"}}).find("It would fail: "),
              std::string::npos)
        << path;
  }
  EXPECT_NE(problem("apply_patch", {{"patch", whole_patch("*** Add File: .git/config\n+x\n")}})
                .find("It would fail: "),
            std::string::npos);
  for (const JsonObject& wrong : {JsonObject{}, JsonObject{{"patch", 7}, {"path", nullptr}}}) {
    EXPECT_NE(problem("apply_patch", wrong), "none");
    EXPECT_NE(problem("write_file", wrong), "none");
  }
}

TEST(Preview, is_bounded_and_valid_text) {
  const TemporaryFolder base;
  base.write("latin1", "caf\xE9\n").write("zero", std::string("\0\0\n", 3));
  std::string huge;
  for (int i = 0; i < 50'000; ++i) huge += fmt::format("line {}\n", i);
  const JsonObject cut = seen(base, "write_file", {{"path", "big"}, {"content", huge}});
  EXPECT_LT(text_of(cut, "diff").size(), kMostPreviewBytes);
  EXPECT_NE(text_of(cut, "diff").find("more bytes]"), std::string::npos);
  const JsonObject odd = seen(base, "write_file", {{"path", "latin1"}, {"content", "x\n"}});
  EXPECT_TRUE(is_valid_utf8(text_of(odd, "diff")));
  const JsonObject binary = seen(base, "write_file", {{"path", "zero"}, {"content", "x\n"}});
  EXPECT_EQ(text_of(binary, "diff"), "'zero' is not text; 3 bytes would become 2\n");
}

TEST(Preview, differs_with_what_lies_behind_the_cut_and_with_the_folder) {
  const TemporaryFolder base;
  std::string old_text;
  for (int i = 0; i < 50'000; ++i) old_text += fmt::format("line {}\n", i);
  base.write("big", old_text + "last\n");
  const JsonObject call{{"path", "big"}, {"content", "x\n"}};
  const JsonObject first = seen(base, "write_file", call);
  base.write("big", old_text + "LAST\n");
  const JsonObject second = seen(base, "write_file", call);
  EXPECT_EQ(text_of(first, "diff"), text_of(second, "diff"));
  EXPECT_NE(text_of(first, "whole_diff"), text_of(second, "whole_diff"));
  EXPECT_EQ(text_of(first, "folder"), std::filesystem::canonical(base.path()).string());
}

TEST(Preview, of_bash_judges_every_command_and_runs_none) {
  const TemporaryFolder base;
  using intercept::Permission;
  const auto bash = bash_tool({.base = base.path(),
                               .rules = {{"echo *", Permission::allow},
                                         {"touch *", Permission::ask},
                                         {"rm *", Permission::deny}}});
  ASSERT_TRUE(bash) << bash.error().message;
  const JsonObject shown = preview_of(*bash, {{"command", "echo hi && touch made; rm -rf made"}});
  const JsonArray& commands = shown.at("commands").as_array();
  ASSERT_EQ(commands.size(), 3U);
  EXPECT_EQ(commands[0].at("permission"), Json("allow"));
  EXPECT_EQ(commands[1].at("command"), Json("touch made"));
  EXPECT_EQ(commands[1].at("permission"), Json("ask"));
  EXPECT_EQ(commands[2].at("permission"), Json("deny"));
  EXPECT_NE(text_of(shown, "problem").find("It would be refused: "), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(base / "made"));
  EXPECT_NE(text_of(preview_of(*bash, {{"command", nullptr}}), "problem"), "none");
}

}  // namespace
}  // namespace wright::tools
