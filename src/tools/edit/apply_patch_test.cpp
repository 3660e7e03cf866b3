#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <random>

#include "core/try.h"
#include "tools/file_tool_list.h"
#include "tools/temporary_folder_testing.h"
#include "tools/workspace/failing_calls_testing.h"

namespace wright::tools {
namespace {

std::string patch_of(std::string_view body) {
  return fmt::format("*** Begin Patch\n{}*** End Patch\n", body);
}

Result<Json> apply_with(SharedFileCalls calls, const TemporaryFolder& base,
                        const std::string& patch) {
  auto workspace = TRY(Workspace::open({.base = base.path(), .writable = {"."}}));
  const Tool tool =
      apply_patch_tool(std::make_shared<const Workspace>(std::move(workspace)), std::move(calls));
  JsonObject arguments;
  arguments["patch"] = patch;
  return testing::answer_of(tool, arguments);
}

Result<Json> apply_body(const TemporaryFolder& base, std::string_view body) {
  return apply_with(std::make_shared<UnsyncedCalls>(), base, patch_of(body));
}

std::string error_of(const TemporaryFolder& base, std::string_view body) {
  const auto result = apply_body(base, body);
  return result ? "no error" : result.error().message;
}

TEST(ApplyPatch, answers_in_the_promised_shape) {
  const TemporaryFolder base;
  base.write("a", "1\n2\n3\n").write("old", "x\n").write("from", "1\n2\n");
  const auto result = apply_body(base,
                                 "*** Update File: a\n@@\n 1\n-2\n+two\n"
                                 "*** Delete File: old\n"
                                 "*** Add File: n/new\n+y\n"
                                 "*** Update File: from\n*** Move to: to\n@@\n-1\n+one\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(to_text(*result),
            R"({"success":true,"files_changed":[)"
            R"({"path":"a","operation":"update","new_path":null,)"
            R"("unified_diff":"--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"},)"
            R"({"path":"old","operation":"delete","new_path":null,)"
            R"("unified_diff":"--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"},)"
            R"({"path":"n/new","operation":"add","new_path":null,)"
            R"("unified_diff":"--- /dev/null\n+++ b/n/new\n@@ -0,0 +1 @@\n+y\n"},)"
            R"({"path":"from","operation":"move","new_path":"to",)"
            R"("unified_diff":"--- a/from\n+++ b/to\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n"}],)"
            R"("total_additions":3,"total_deletions":3,)"
            R"("message":"Applied the patch: 4 files changed, 3 lines added, 3 removed"})");
  EXPECT_EQ(content_of(base / "a"), "1\ntwo\n3\n");
  EXPECT_FALSE(std::filesystem::exists(base / "old"));
  EXPECT_EQ(content_of(base / "n/new"), "y\n");
  EXPECT_FALSE(std::filesystem::exists(base / "from"));
  EXPECT_EQ(content_of(base / "to"), "one\n2\n");
}

TEST(ApplyPatch, changes_nothing_when_any_part_does_not_fit) {
  const TemporaryFolder base;
  base.write("a", "1\n").write("b", "2\n").write("bin", std::string_view("\0x\n", 3));
  base.make_folder("folder").link("link", "a");
  const auto before = snapshot(base.path());
  const std::string good = "*** Update File: a\n@@\n-1\n+one\n*** Add File: x/new\n+y\n";
  for (const std::string_view bad : {
           "*** Update File: b\n@@\n-3\n+three\n",
           "*** Update File: missing\n@@\n-3\n+three\n",
           "*** Delete File: missing\n",
           "*** Delete File: folder\n",
           "*** Add File: b\n+taken\n",
           "*** Add File: folder\n+taken\n",
           "*** Add File: a/below_a_file\n+x\n",
           "*** Add File: ../outside\n+x\n",
           "*** Add File: /etc/wright\n+x\n",
           "*** Update File: b\n*** Move to: a\n@@\n-2\n+two\n",
           "*** Update File: b\n*** Move to: ../outside\n@@\n-2\n+two\n",
           "*** Update File: bin\n@@\n-x\n+y\n",
           "*** Update File: link\n@@\n-1\n+y\n",
           "*** Add File: .git/hooks/pre-commit\n+x\n",
           "*** Update File: b\n@@ nowhere\n-2\n+two\n",
       }) {
    const std::string error = error_of(base, good + std::string(bad));
    EXPECT_TRUE(error.starts_with("The patch was not applied, no file was changed. ")) << error;
    EXPECT_EQ(snapshot(base.path()), before) << bad;
  }
}

TEST(ApplyPatch, suggests_paths_for_one_that_is_not_there) {
  const TemporaryFolder base;
  base.write("src/widget.cpp", "1\n");
  EXPECT_EQ(error_of(base, "*** Update File: src/wigdet.cpp\n@@\n-1\n"),
            "The patch was not applied, no file was changed. There is no 'src/wigdet.cpp'. Similar "
            "paths: src/widget.cpp");
}

TEST(ApplyPatch, follows_one_file_through_several_operations) {
  const TemporaryFolder base;
  base.write("a", "1\n2\n");
  const auto result = apply_body(base,
                                 "*** Update File: a\n@@\n-1\n+one\n"
                                 "*** Update File: a\n@@\n one\n-2\n+two\n"
                                 "*** Update File: a\n*** Move to: b\n@@\n-one\n+ONE\n"
                                 "*** Add File: a\n+fresh\n"
                                 "*** Add File: temporary\n+x\n"
                                 "*** Delete File: temporary\n");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(content_of(base / "a"), "fresh\n");
  EXPECT_EQ(content_of(base / "b"), "ONE\ntwo\n");
  EXPECT_FALSE(std::filesystem::exists(base / "temporary"));
  const auto twice = apply_body(base,
                                "*** Update File: b\n@@\n-ONE\n+1\n"
                                "*** Update File: b\n@@\n-two\n+2\n");
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->at("files_changed").as_array().size(), 2U);
  EXPECT_EQ(twice->at("message"), "Applied the patch: 1 file changed, 2 lines added, 2 removed");
}

TEST(ApplyPatch, refuses_to_change_one_file_under_two_names) {
  const TemporaryFolder base;
  base.write("d/a", "1\n2\n").link("alias", "d");
  const auto before = snapshot(base.path());
  EXPECT_NE(error_of(base,
                     "*** Update File: d/a\n@@\n-1\n+one\n"
                     "*** Update File: alias/a\n@@\n-2\n+two\n"),
            "no error");
  EXPECT_EQ(snapshot(base.path()), before);
}

TEST(ApplyPatch, keeps_the_mode_also_of_what_it_moves) {
  const TemporaryFolder base;
  base.write("run.sh", "1\n");
  ASSERT_EQ(::chmod((base / "run.sh").c_str(), 0755), 0);
  ASSERT_TRUE(apply_body(base, "*** Update File: run.sh\n*** Move to: bin/run.sh\n@@\n-1\n+2\n"));
  struct stat status {};
  ASSERT_EQ(::stat((base / "bin/run.sh").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755U);
}

TEST(ApplyPatch, changes_more_files_than_a_process_may_hold_open) {
  const TemporaryFolder base;
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit small{128, limit.rlim_max};
  std::string added;
  std::string updated;
  for (int i = 0; i < 200; ++i) {
    added += fmt::format("*** Add File: d/{}\n+old\n", i);
    updated += fmt::format("*** Update File: d/{}\n@@\n-old\n+new\n", i);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &small), 0);
  const auto first = apply_body(base, added);
  const auto second = apply_body(base, updated);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(content_of(base / "d/199"), "new\n");
  EXPECT_EQ(std::ranges::distance(std::filesystem::directory_iterator(base / "d")), 200);
}

TEST(ApplyPatch, keeps_its_answer_readable) {
  const TemporaryFolder base;
  std::string body = "*** Add File: large\n";
  for (int i = 0; i < 50'000; ++i) body += "+a line of some length\n";
  const auto result = apply_body(base, body + "*** Add File: small\n+x\n");
  ASSERT_TRUE(result);
  EXPECT_LT(to_text(*result).size(), 64U * 1024);
  const auto& files = result->at("files_changed").as_array();
  EXPECT_NE(files.at(0).at("unified_diff").as_string().find("… [cut, "), std::string::npos);
  EXPECT_NE(files.at(1).at("unified_diff").as_string().find("+x"), std::string::npos);
  EXPECT_EQ(result->at("total_additions"), 50'001);
}

std::string text_of(const Strings& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// A tree of text files, a second state of it, and the patch from one to the other.
class RandomEdit {
 public:
  using Tree = std::map<std::string, Strings>;  // path to lines

  explicit RandomEdit(unsigned seed) : random_(seed) {
    for (unsigned i = 0, count = 1 + below(5); i < count; ++i) {
      Strings lines;
      // Few different lines, so that many places look alike.
      for (unsigned j = 0, length = below(40); j < length; ++j) lines.push_back(line(5));
      before_[fmt::format("{}f{}", below(2) == 0 ? "" : "d/", i)] = std::move(lines);
    }
    after_ = before_;
    for (const auto& [path, lines] : before_) edit(path, lines);
  }

  const Tree& before() const { return before_; }
  const Tree& after() const { return after_; }
  const std::string& body() const { return body_; }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  std::string line(unsigned kinds) {
    return std::string(below(3), ' ') + static_cast<char>('a' + below(kinds));
  }

  void edit(const std::string& path, const Strings& lines) {
    switch (below(4)) {
      case 0:
        body_ += "*** Delete File: " + path + "\n";
        after_.erase(path);
        break;
      case 1:
        body_ += "*** Add File: new/" + path + "\n+fresh\n+\n+lines\n";
        after_["new/" + path] = {"fresh", "", "lines"};
        break;
      case 2:
        body_ += "*** Update File: " + path + "\n";
        after_[path] = changed(lines);
        break;
      default:
        body_ += "*** Update File: " + path + "\n*** Move to: moved/" + path + "\n";
        after_.erase(path);
        after_["moved/" + path] = changed(lines);
    }
  }

  // Writes one hunk with all lines in it, so that nothing is ambiguous.
  Strings changed(const Strings& lines) {
    body_ += "@@\n";
    Strings made;
    for (const std::string& old : lines) {
      const unsigned dice = below(6);
      if (dice == 0) {
        body_ += "-" + old + "\n";
        continue;
      }
      if (dice == 1) {
        made.push_back(line(26));
        body_ += "+" + made.back() + "\n";
      }
      made.push_back(old);
      body_ += " " + old + "\n";
    }
    made.emplace_back("end");
    body_ += "+end\n";
    return made;
  }

  std::mt19937 random_;
  Tree before_;
  Tree after_;
  std::string body_;
};

TEST(ApplyPatch, carries_out_random_edits_exactly) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    const RandomEdit random(seed);
    const TemporaryFolder base;
    for (const auto& [path, lines] : random.before()) base.write(path, text_of(lines));
    const auto result = apply_body(base, random.body());
    ASSERT_TRUE(result) << seed << ": " << result.error().message << "\n" << random.body();
    std::map<std::string, std::string> expected;
    for (const auto& [path, lines] : random.after()) expected[path] = text_of(lines);
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(base.path())) {
      if (!entry.is_regular_file()) continue;
      found[entry.path().lexically_relative(base.path()).native()] = content_of(entry.path());
    }
    ASSERT_EQ(found, expected) << seed << "\n" << random.body();
  }
}

TEST(ApplyPatch, leaves_the_tree_as_it_was_whichever_system_call_fails) {
  const TemporaryFolder base;
  base.write("a", "1\n").write("b", "2\n").write("c", "3\n");
  const auto before = snapshot(base.path());
  const std::string patch = patch_of(
      "*** Update File: a\n@@\n-1\n+one\n*** Update File: b\n*** Move to: x/y/b\n@@\n-2\n+two\n"
      "*** Delete File: c\n*** Add File: x/z/new\n+new\n");
  int failures = 0;
  for (int failing = 0; failing < 200; ++failing) {
    const auto calls = std::make_shared<FailingCalls>(
        [&](std::string_view, int count) { return count == failing ? EIO : 0; });
    const auto result = apply_with(calls, base, patch);
    const bool was_made =
        result || result.error().message.find("All changes were made") != std::string::npos;
    if (was_made) break;
    ++failures;
    ASSERT_EQ(snapshot(base.path()), before) << failing << ": " << result.error().message;
  }
  EXPECT_GT(failures, 20);
  EXPECT_EQ(content_of(base / "a"), "one\n");
  EXPECT_EQ(content_of(base / "x/y/b"), "two\n");
}

}  // namespace
}  // namespace wright::tools
