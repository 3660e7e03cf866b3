#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "tools/file_tool_list.h"
#include "tools/temporary_folder_testing.h"
#include "tools/workspace/failing_calls_testing.h"

namespace wright::tools {
namespace {

Json write(const TemporaryFolder& base, const JsonObject& arguments) {
  auto result = edit(base, "write_file", arguments);
  EXPECT_TRUE(result) << result.error().message;
  return result.value_or(Json());
}

std::string write_error(const TemporaryFolder& base, const JsonObject& arguments) {
  const auto result = edit(base, "write_file", arguments);
  return result ? "no error" : result.error().message;
}

TEST(WriteFile, answers_in_the_promised_shape) {
  const TemporaryFolder base;
  EXPECT_EQ(to_text(write(base, {{"path", "a"}, {"content", "one\n"}})),
            R"({"path":"a","success":true,"bytes_written":4,"created":true,"modified":false})");
  EXPECT_EQ(to_text(write(base, {{"path", "a"}, {"search", "one"}, {"replace", "two"}})),
            R"({"path":"a","success":true,"bytes_written":4,"created":false,"modified":true,)"
            R"("replacements":1})");
  EXPECT_EQ(content_of(base / "a"), "two\n");
}

TEST(WriteFile, declares_that_it_writes) {
  const TemporaryFolder base;
  const auto tools = editing_tools({.base = base.path(), .writable = {"."}});
  ASSERT_TRUE(tools);
  for (const Tool& tool : *tools) EXPECT_EQ(tool.spec.options.effect, Effect::write);
}

// For a while the system refuses to us what it refuses to others.
class AsSomebodyElse {
 public:
  AsSomebodyElse() {
    constexpr uid_t kNobody = 65'534;
    if (was_root_) EXPECT_EQ(::seteuid(kNobody), 0);
  }
  AsSomebodyElse(const AsSomebodyElse&) = delete;
  AsSomebodyElse& operator=(const AsSomebodyElse&) = delete;
  ~AsSomebodyElse() {
    if (was_root_) EXPECT_EQ(::seteuid(0), 0);
  }

 private:
  const bool was_root_ = ::geteuid() == 0;
};

TEST(WriteFile, does_not_replace_what_its_owner_made_read_only) {
  const TemporaryFolder base;
  base.write("a", "hands off\n");
  ASSERT_EQ(::chmod(base.path().c_str(), 0777), 0);
  ASSERT_EQ(::chmod((base / "a").c_str(), 0444), 0);
  const AsSomebodyElse somebody;
  EXPECT_TRUE(write_error(base, {{"path", "a"}, {"content", "x"}}).contains("is read-only"));
  EXPECT_TRUE(write_error(base, {{"path", "a"}, {"content", "x"}, {"append", true}})
                  .contains("is read-only"));
  const auto patched = edit(
      base, "apply_patch",
      {{"patch", "*** Begin Patch\n*** Update File: a\n@@\n-hands off\n+mine\n*** End Patch"}});
  ASSERT_FALSE(patched);
  EXPECT_TRUE(patched.error().message.contains("is read-only")) << patched.error().message;
  EXPECT_EQ(content_of(base / "a"), "hands off\n");
}

// Who was shown the mark has not seen what stands there.
TEST(WriteFile, does_not_put_a_mark_in_place_of_what_was_hidden) {
  const TemporaryFolder base;
  base.write("a", "key = abc\nx = 1\n").write("b", "[REDACTED] x\n");
  EXPECT_TRUE(write_error(base, {{"path", "a"}, {"content", "key = [REDACTED]\nx = 2\n"}})
                  .contains("would be lost"));
  EXPECT_EQ(content_of(base / "a"), "key = abc\nx = 1\n");
  const auto patched = edit(base, "apply_patch",
                            {{"patch",
                              "*** Begin Patch\n*** Delete File: a\n*** Add File: a\n"
                              "+key = [REDACTED]\n*** End Patch"}});
  EXPECT_FALSE(patched);
  write(base, {{"path", "a"}, {"search", "x = 1"}, {"replace", "x = 2"}});
  write(base, {{"path", "b"}, {"content", "y [REDACTED]\n"}});
  // A new file may be all that is left of one that is deleted next, or with the same patch.
  EXPECT_TRUE(write_error(base, {{"path", "new"}, {"content", "[REDACTED]\n"}})
                  .contains("hidden from you"));
  const auto moved = edit(base, "apply_patch",
                          {{"patch",
                            "*** Begin Patch\n*** Delete File: a\n*** Add File: pkg/a\n"
                            "+key = [REDACTED]\n*** End Patch"}});
  ASSERT_FALSE(moved);
  EXPECT_TRUE(moved.error().message.contains("hidden from you")) << moved.error().message;
  const auto kept = edit(base, "apply_patch",
                         {{"patch",
                           "*** Begin Patch\n*** Delete File: b\n*** Add File: pkg/b\n"
                           "+y [REDACTED]\n*** End Patch"}});
  EXPECT_TRUE(kept) << kept.error().message;
}

TEST(WriteFile, keeps_the_byte_order_mark_of_a_file) {
  const TemporaryFolder base;
  base.write("a", "\xEF\xBB\xBFold\n");
  write(base, {{"path", "a"}, {"content", "new\n"}});
  EXPECT_EQ(content_of(base / "a"), "\xEF\xBB\xBFnew\n");
}

TEST(WriteFile, creates_overwrites_and_appends) {
  const TemporaryFolder base;
  write(base, {{"path", "a"}, {"content", "one"}});
  write(base, {{"path", "a"}, {"content", "two\n"}});
  EXPECT_EQ(content_of(base / "a"), "two\n");
  const Json appended = write(base, {{"path", "a"}, {"content", "three"}, {"append", true}});
  EXPECT_EQ(appended.at("bytes_written"), 5);
  EXPECT_EQ(content_of(base / "a"), "two\nthree");
  write(base, {{"path", "b"}, {"content", "new"}, {"append", true}});
  EXPECT_EQ(content_of(base / "b"), "new");
  write(base, {{"path", "empty"}, {"content", ""}});
  EXPECT_EQ(content_of(base / "empty"), "");
  const Json again = write(base, {{"path", "b"}, {"content", "new"}});
  EXPECT_EQ(again.at("modified"), false);
  EXPECT_EQ(again.at("note").as_string(), "The file already had this content.");
}

TEST(WriteFile, makes_folders_only_when_asked) {
  const TemporaryFolder base;
  EXPECT_EQ(write_error(base, {{"path", "x/y/z"}, {"content", "1"}}),
            "There is no folder 'x/y' to put 'z' into; create_dirs makes it");
  EXPECT_FALSE(std::filesystem::exists(base / "x"));
  write(base, {{"path", "x/y/z"}, {"content", "1"}, {"create_dirs", true}});
  EXPECT_EQ(content_of(base / "x/y/z"), "1");
}

TEST(WriteFile, writes_only_to_existing_files_when_asked) {
  const TemporaryFolder base;
  base.write("there");
  EXPECT_EQ(write_error(base, {{"path", "new"}, {"content", "1"}, {"create_if_not_exists", false}}),
            "There is no 'new', and create_if_not_exists is false");
  write(base, {{"path", "there"}, {"content", "1"}, {"create_if_not_exists", false}});
  EXPECT_EQ(content_of(base / "there"), "1");
}

TEST(WriteFile, replaces_exactly_what_was_found_once) {
  const TemporaryFolder base;
  base.write("a", "x = 1;\ny = 1;\nx = 1;\n").write("aaa", "aaa");
  EXPECT_EQ(write_error(base, {{"path", "a"}, {"search", "x = 1;"}, {"replace", "2"}}),
            "'a': The searched text is there 2 times (lines 1, 3): add lines around it until it is "
            "unique, or set replace_all");
  write(base, {{"path", "a"}, {"search", "y = 1;\nx"}, {"replace", "z"}});
  EXPECT_EQ(content_of(base / "a"), "x = 1;\nz = 1;\n");
  const Json all = write(
      base, {{"path", "a"}, {"search", "= 1"}, {"replace", "= $1\\1"}, {"replace_all", true}});
  EXPECT_EQ(all.at("replacements"), 2);
  EXPECT_EQ(content_of(base / "a"), "x = $1\\1;\nz = $1\\1;\n");
  write(base, {{"path", "a"}, {"search", "x = $1\\1;\n"}, {"replace", ""}});
  EXPECT_EQ(content_of(base / "a"), "z = $1\\1;\n");
  EXPECT_NE(write_error(base, {{"path", "aaa"}, {"search", "aa"}, {"replace", "b"}}), "no error");
}

TEST(WriteFile, shows_the_nearest_lines_when_nothing_was_found) {
  const TemporaryFolder base;
  const std::string text = "int main() {\n  return compute(1);\n}\nvoid other();\n";
  base.write("a", text);
  EXPECT_EQ(write_error(base, {{"path", "a"}, {"search", "return compute(2);"}, {"replace", ""}}),
            "'a': The searched text is not in the file. The lines most like its first line:\n"
            "2:   return compute(1);");
  EXPECT_EQ(
      write_error(base,
                  {{"path", "a"}, {"search", "int main() {\nreturn compute(1);"}, {"replace", ""}}),
      "'a': The searched text is not in the file. The same text with other blanks stands in "
      "line 1:\n1: int main() {");
  EXPECT_NE(write_error(base, {{"path", "a"}, {"search", "qqqq"}, {"replace", ""}})
                .find("No line of the file is like its first line"),
            std::string::npos);
  EXPECT_EQ(content_of(base / "a"), text);
}

TEST(WriteFile, keeps_the_line_breaks_of_dos) {
  const TemporaryFolder base;
  base.write("dos", "one\r\ntwo\r\nthree\r\n").write("mixed", "one\r\ntwo\n");
  write(base, {{"path", "dos"}, {"search", "one\ntwo"}, {"replace", "1\n2"}});
  EXPECT_EQ(content_of(base / "dos"), "1\r\n2\r\nthree\r\n");
  write(base, {{"path", "dos"}, {"search", "three\r\n"}, {"replace", "3\r\n"}});
  EXPECT_EQ(content_of(base / "dos"), "1\r\n2\r\n3\r\n");
  write(base, {{"path", "dos"}, {"content", "4\n"}, {"append", true}});
  EXPECT_EQ(content_of(base / "dos"), "1\r\n2\r\n3\r\n4\r\n");
  write(base, {{"path", "mixed"}, {"search", "two\n"}, {"replace", "2\n"}});
  EXPECT_EQ(content_of(base / "mixed"), "one\r\n2\n");
}

TEST(WriteFile, finds_text_whichever_line_breaks_a_file_mixes) {
  const TemporaryFolder base;
  base.write("mixed", "one\r\ntwo\nthree\r\nfour\n");
  const auto replace = [&](const char* search, const char* replacement) {
    return edit(base, "write_file",
                {{"path", "mixed"}, {"search", search}, {"replace", replacement}});
  };
  ASSERT_TRUE(replace("one\ntwo\nthree", "1\n2\n3"));
  EXPECT_EQ(content_of(base / "mixed"), "1\r\n2\r\n3\r\nfour\n");
  ASSERT_TRUE(replace("3\nfour\n", "3\r\n4\r\n"));
  EXPECT_EQ(content_of(base / "mixed"), "1\r\n2\r\n3\r\n4\r\n");
  base.write("mixed", "a\nb\r\na\nb\r\n");
  EXPECT_FALSE(replace("a\nc", "x"));
  const auto twice = replace("a\nb\n", "x\n");
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("is there 2 times (lines 1, 3)"), std::string::npos);
  ASSERT_TRUE(
      edit(base, "write_file",
           {{"path", "mixed"}, {"search", "\nb\n"}, {"replace", "-"}, {"replace_all", true}}));
  EXPECT_EQ(content_of(base / "mixed"), "a-a-");
}

TEST(WriteFile, writes_every_byte_as_it_is) {
  const TemporaryFolder base;
  const std::string odd = std::string(1, '\0') + "\x01\x7F\r\n\t\"\\é🙂";
  write(base, {{"path", "odd"}, {"content", odd}});
  EXPECT_EQ(content_of(base / "odd"), odd);
  base.write("latin", "caf\xE9 = 1\n");
  write(base, {{"path", "latin"}, {"search", "= 1"}, {"replace", "= 2"}});
  EXPECT_EQ(content_of(base / "latin"), "caf\xE9 = 2\n");
  EXPECT_EQ(write_error(base, {{"path", "odd"}, {"search", "é"}, {"replace", "e"}}),
            "'odd' is not text; nothing is replaced in it");
}

TEST(WriteFile, adds_nothing_to_what_is_not_its_text) {
  using namespace std::string_view_literals;
  const TemporaryFolder base;
  base.write("wide", std::string("\xFF\xFE"
                                 "a\0\n\0"sv))
      .write("odd", std::string("a\0"sv));
  base.write("marked",
             "\xFE\xFF"
             "ab");
  EXPECT_EQ(write_error(base, {{"path", "wide"}, {"content", "b\n"}, {"append", true}}),
            "'wide' is UTF-16, and not UTF-8; nothing is added to it");
  EXPECT_EQ(write_error(base, {{"path", "odd"}, {"content", "b\n"}, {"append", true}}),
            "'odd' is not text; nothing is added to it");
  EXPECT_EQ(write_error(base, {{"path", "marked"}, {"search", "ab"}, {"replace", "b"}}),
            "'marked' is UTF-16, and not UTF-8; nothing is replaced in it");
  EXPECT_EQ(content_of(base / "wide"),
            "\xFF\xFE"
            "a\0\n\0"sv);
  // All of it is another matter: that is written as it is given.
  write(base, {{"path", "wide"}, {"content", "b\n"}});
  EXPECT_EQ(content_of(base / "wide"), "b\n");
}

TEST(WriteFile, refuses_what_makes_no_sense) {
  const TemporaryFolder base;
  base.write("a", "x").make_folder("folder");
  const auto error = [&](JsonObject more) {
    more["path"] = "a";
    return write_error(base, more);
  };
  EXPECT_EQ(error({}), "Give content, or search and replace");
  EXPECT_EQ(error({{"content", "1"}, {"search", "x"}, {"replace", "y"}}),
            "Give either content, or search and replace, not both");
  EXPECT_EQ(error({{"search", "x"}}),
            "search and replace belong together; an empty replace removes what was found");
  EXPECT_EQ(error({{"search", "x"}, {"replace", "y"}, {"append", true}}),
            "append goes with content, not with search and replace");
  EXPECT_NE(error({{"search", ""}, {"replace", "y"}}), "no error");
  EXPECT_NE(write_error(base, {{"path", "none"}, {"search", "x"}, {"replace", "y"}}), "no error");
  EXPECT_EQ(write_error(base, {{"path", "folder"}, {"content", "1"}}),
            "'folder' is a folder, not a file; list_files shows what is in it");
  EXPECT_EQ(write_error(base, {{"path", "a/"}, {"content", "1"}}),
            "'a/' names a folder; give the path of a file");
  EXPECT_EQ(write_error(base, {{"path", "large"}, {"content", std::string(70'000'000, 'x')}}),
            "'large' is larger than 64 MiB, which is more than this tool changes");
  EXPECT_EQ(content_of(base / "a"), "x");
  EXPECT_FALSE(std::filesystem::exists(base / "large"));
}

TEST(WriteFile, says_that_a_name_is_too_long) {
  const TemporaryFolder base;
  const std::string name(300, 'n');
  for (const std::string& path : {name, name + "/a"}) {
    EXPECT_TRUE(write_error(base, {{"path", path}, {"content", "1"}}).ends_with("is too long"))
        << write_error(base, {{"path", path}, {"content", "1"}});
  }
}

TEST(WriteFile, names_where_a_link_leads_only_if_that_may_be_written) {
  const TemporaryFolder outside;
  const TemporaryFolder base;
  base.write("folder/file", "x").link("in", "folder/file").link("folder/beside", "file");
  base.link("absolute", base / "folder/file").link("out", outside / "file").link("git", ".git/x");
  const auto advice = [&](std::string_view path) {
    const std::string error = write_error(base, {{"path", path}, {"content", "1"}});
    return error.substr(error.find(';') + 2);
  };
  for (const char* path : {"in", "folder/beside", "absolute"}) {
    EXPECT_EQ(advice(path), "write to that path itself") << path;
  }
  for (const char* path : {"out", "git"}) {
    EXPECT_EQ(advice(path), "nothing may be written there. Use another path") << path;
  }
}

TEST(WriteFile, takes_file_path_for_path) {
  const TemporaryFolder base;
  write(base, {{"file_path", "a"}, {"content", "1"}});
  EXPECT_EQ(content_of(base / "a"), "1");
  EXPECT_NE(write_error(base, {{"file_path", "a"}, {"path", "b"}, {"content", "1"}}), "no error");
}

TEST(WriteFile, leaves_nothing_behind_when_the_disk_is_full) {
  const TemporaryFolder base;
  base.write("a", "old");
  const auto before = snapshot(base.path());
  for (const int problem : {ENOSPC, EROFS, EDQUOT, EIO}) {
    auto workspace = Workspace::open({.base = base.path(), .writable = {"."}});
    ASSERT_TRUE(workspace);
    const Tool tool =
        write_file_tool(std::make_shared<const Workspace>(std::move(*workspace)),
                        std::make_shared<FailingCalls>([&](std::string_view call, int) {
                          return call == "write" ? problem : 0;
                        }));
    Context context;
    const auto result = tool.function(
        JsonObject{{"path", "x/y/a"}, {"content", "new content"}, {"create_dirs", true}}, context);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("nothing was changed"), std::string::npos);
    EXPECT_EQ(snapshot(base.path()), before);
  }
}

TEST(WriteFile, lets_no_append_get_lost_when_several_write_at_once) {
  const TemporaryFolder base;
  const auto tools = editing_tools({.base = base.path(), .writable = {"."}});
  ASSERT_TRUE(tools);
  std::atomic<int> appended = 0;
  {
    std::vector<std::jthread> writers;
    for (int thread = 0; thread < 4; ++thread) {
      writers.emplace_back([&] {
        for (int i = 0; i < 25; ++i) {
          if (call(*tools, "write_file", R"({"path": "log", "content": "x\n", "append": true})")) {
            ++appended;
          }
        }
      });
    }
  }
  EXPECT_GT(appended, 0);
  EXPECT_EQ(content_of(base / "log").size(), 2U * static_cast<std::size_t>(appended));
}

TEST(WriteFile, is_not_there_where_nothing_may_be_written) {
  const TemporaryFolder base;
  const auto tools = editing_tools({.base = base.path()});
  ASSERT_FALSE(tools);
  EXPECT_EQ(tools.error().message, "No folder may be written: write_file and apply_patch need one");
}

}  // namespace
}  // namespace wright::tools
