#include <fcntl.h>
#include <sys/stat.h>

#include "tools/temporary_folder_testing.h"

namespace wright::tools {
namespace {

Json list(const TemporaryFolder& base, std::string_view arguments) {
  auto result = call(base, "list_files", arguments);
  EXPECT_TRUE(result) << result.error().message;
  return result.value_or(Json());
}

std::string list_error(const TemporaryFolder& base, std::string_view arguments) {
  const auto result = call(base, "list_files", arguments);
  return result ? "no error" : result.error().message;
}

TEST(ListFiles, answers_in_the_promised_shape) {
  const TemporaryFolder base;
  base.write(".gitignore", "*.o\n").write("a.cpp").write("src/b.cpp").write("src/c.h");
  base.write("x.o");
  EXPECT_EQ(to_text(list(base, R"({"pattern": "*.cpp"})")),
            R"({"current_path":".","files":["a.cpp","src/b.cpp"],"total_files":2,)"
            R"("truncated":false,"limit":1000,"skipped":{"ignored":1,"hidden":1,"unreadable":0}})");
}

TEST(ListFiles, anchors_patterns_with_a_slash_at_the_path) {
  const TemporaryFolder base;
  base.write("src/a.h").write("src/x/b.h").write("lib/src/c.h");
  EXPECT_EQ(strings(list(base, R"({"pattern": "src/**/*.h"})").at("files")),
            (Strings{"src/a.h", "src/x/b.h"}));
  EXPECT_EQ(strings(list(base, R"({"pattern": "src/*.h", "path": "lib"})").at("files")),
            (Strings{"lib/src/c.h"}));
  EXPECT_EQ(strings(list(base, R"({"pattern": "*", "path": "src/x/.."})").at("files")),
            (Strings{"src/a.h", "src/x/b.h"}));
  EXPECT_EQ(list(base, R"({"pattern": "*", "path": "./lib/"})").at("current_path").as_string(),
            "lib");
  const std::string absolute =
      fmt::format(R"({{"pattern": "*", "path": "{}"}})", (base / "src/x").native());
  EXPECT_EQ(strings(list(base, absolute).at("files")), (Strings{"src/x/b.h"}));
}

TEST(ListFiles, gives_paths_that_read_file_takes_as_they_are) {
  const TemporaryFolder base;
  base.write("dir/sub/file name.txt", "found");
  const auto files = strings(list(base, R"({"pattern": "*", "path": "dir/sub"})").at("files"));
  ASSERT_EQ(files.size(), 1U);
  const auto read = call(base, "read_file", to_text(JsonObject{{"file_path", files.front()}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->at("content").as_string(), "found");
}

TEST(ListFiles, shows_direct_entries_with_folders_marked) {
  const TemporaryFolder base;
  base.write("b.txt", "1").write("a/x").write("c/y").write(".hidden/z").write("node_modules/m");
  const Json all = list(base, R"({"pattern": "*", "recursive": false})");
  EXPECT_EQ(strings(all.at("files")), (Strings{"a/", "b.txt", "c/"}));
  EXPECT_EQ(all.at("total_files"), 1);
  EXPECT_EQ(all.at("total_folders"), 2);
  EXPECT_EQ(all.at("truncated"), false);
  EXPECT_EQ(
      strings(list(base, R"({"pattern": "*", "recursive": false, "sort": "size"})").at("files")),
      (Strings{"b.txt", "a/", "c/"}));
  const Json some = list(base, R"({"pattern": "*.txt", "recursive": false})");
  EXPECT_EQ(strings(some.at("files")), (Strings{"b.txt"}));
  EXPECT_EQ(some.at("total_folders"), 0);
  EXPECT_FALSE(list(base, R"({"pattern": "*"})").as_object().contains("total_folders"));
}

TEST(ListFiles, includes_hidden_files_when_asked) {
  const TemporaryFolder base;
  base.write(".env").write(".github/ci.yml").write(".git/config").write("a");
  EXPECT_EQ(strings(list(base, R"({"pattern": "*", "include_hidden": true})").at("files")),
            (Strings{".env", ".github/ci.yml", "a"}));
}

TEST(ListFiles, shows_hidden_files_to_a_pattern_that_names_them) {
  const TemporaryFolder base;
  base.write(".env").write(".github/ci.yml").write("b/.env").write("a.yml");
  const auto files = [&](std::string_view pattern) {
    return strings(list(base, to_text(JsonObject{{"pattern", pattern}})).at("files"));
  };
  EXPECT_EQ(files(".env"), (Strings{".env", "b/.env"}));
  EXPECT_EQ(files(".github/**/*.yml"), (Strings{".github/ci.yml"}));
  EXPECT_EQ(files("**/{.e*,x}"), (Strings{".env", "b/.env"}));
  EXPECT_EQ(files("./*.yml"), (Strings{"a.yml"}));
  EXPECT_EQ(files("*.yml"), (Strings{"a.yml"}));
}

TEST(ListFiles, takes_the_absolute_path_of_its_folder_in_front_of_a_pattern) {
  const TemporaryFolder base;
  base.write("a.h").write("src/b.h").write("src/c/d.h");
  const auto files = [&](const std::string& pattern, std::string_view path) {
    return strings(
        list(base, to_text(JsonObject{{"pattern", pattern}, {"path", path}})).at("files"));
  };
  const std::string absolute = base.path().native();
  EXPECT_EQ(files(absolute + "/*.h", "."), (Strings{"a.h"}));
  EXPECT_EQ(files(absolute + "/src/**/*.h", absolute), (Strings{"src/b.h", "src/c/d.h"}));
  EXPECT_EQ(files(absolute + "/src/*.h", "src"), (Strings{"src/b.h"}));
  EXPECT_EQ(files(absolute + "x/*.h", "."), Strings());
}

TEST(ListFiles, says_how_to_look_into_a_folder_that_a_pattern_names) {
  const TemporaryFolder base;
  base.write("src/core/a.h");
  EXPECT_EQ(list(base, R"({"pattern": "src"})").at("note"),
            "'src' is a folder; 'src/**' matches what is in it, or name it in path");
  EXPECT_EQ(list(base, R"({"pattern": "core", "path": "src"})").at("note"),
            "'src/core' is a folder; 'core/**' matches what is in it, or name it in path");
  EXPECT_EQ(list(base, R"({"pattern": "nothing"})").as_object().if_contains("note"), nullptr);
}

TEST(ListFiles, sorts_by_size_and_by_time_of_change) {
  const TemporaryFolder base;
  base.write("small", "1").write("large", "12345").write("middle", "123").write("also", "123");
  const auto set_time = [&](const char* name, std::time_t seconds) {
    const std::array<timespec, 2> times{timespec{seconds, 0}, timespec{seconds, 5}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (base / name).c_str(), times.data(), 0), 0);
  };
  set_time("small", 1'700'000'000);
  set_time("large", 1'000'000'000);
  set_time("middle", 1'500'000'000);
  set_time("also", -1);
  EXPECT_EQ(strings(list(base, R"({"pattern": "*", "sort": "size"})").at("files")),
            (Strings{"large", "also", "middle", "small"}));
  EXPECT_EQ(strings(list(base, R"({"pattern": "*", "sort": "modified"})").at("files")),
            (Strings{"small", "middle", "large", "also"}));
  const Json first = list(base, R"({"pattern": "*", "sort": "size", "details": true, "limit": 1})");
  EXPECT_EQ(to_text(first.at("files")),
            R"([{"path":"large","size":5,"modified":"2001-09-09T01:46:40Z"}])");
  EXPECT_EQ(first.at("total_files"), 4);
  EXPECT_EQ(first.at("truncated"), true);
  EXPECT_EQ(to_text(list(base, R"({"pattern": "also", "details": true})").at("files")),
            R"([{"path":"also","size":3,"modified":"1969-12-31T23:59:59Z"}])");
}

TEST(ListFiles, counts_beyond_its_limit) {
  const TemporaryFolder base;
  for (int i = 0; i < 50; ++i) base.write(fmt::format("f{:02}", i));
  const Json result = list(base, R"({"pattern": "*", "limit": 3})");
  EXPECT_EQ(strings(result.at("files")), (Strings{"f00", "f01", "f02"}));
  EXPECT_EQ(result.at("total_files"), 50);
  EXPECT_EQ(result.at("truncated"), true);
  EXPECT_EQ(result.at("limit"), 3);
}

TEST(ListFiles, stays_within_what_a_model_gets_to_read) {
  const TemporaryFolder base;
  const std::string long_name(200, 'n');
  for (int i = 0; i < 600; ++i) base.write(fmt::format("{}{:03}", long_name, i));
  for (const char* arguments : {R"({"pattern": "*", "limit": 10000})",
                                R"({"pattern": "*", "limit": 10000, "details": true})"}) {
    const Json result = list(base, arguments);
    EXPECT_LT(to_text(result).size(), ToolOptions{}.output_limit);
    EXPECT_EQ(result.at("total_files"), 600);
    EXPECT_EQ(result.at("truncated"), true);
    EXPECT_GT(result.at("files").as_array().size(), 150U);
    EXPECT_TRUE(result.as_object().contains("note"));
  }
}

TEST(ListFiles, repairs_names_that_are_not_utf8) {
  const TemporaryFolder base;
  base.write("caf\xE9.txt").write("caf\xC3\xA9.md").write("line\nbreak");
  const Json result = list(base, R"({"pattern": "*"})");
  EXPECT_EQ(result.at("total_files"), 3);
  EXPECT_EQ(strings(result.at("files")),
            (Strings{"caf\xC3\xA9.md", "caf\xEF\xBF\xBD.txt", "line\nbreak"}));
  EXPECT_TRUE(parse_json(to_text(result)));
}

TEST(FileTools, open_names_that_are_not_utf8_as_they_show_them) {
  const TemporaryFolder base;
  base.write("caf\xE9/na\xEFve.txt", "found").write("two\xE8", "1").write("two\xE9", "2");
  base.link("caf\xE9/out\xFF", "/etc/passwd");
  const Json listed = list(base, R"({"pattern": "*.txt"})");
  const std::string path(listed.at("files").at(0).as_string());
  const auto read = call(base, "read_file", to_text(JsonObject{{"file_path", path}}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at("content"), "found");
  EXPECT_EQ(read->at("file_path").as_string(), path);
  const auto found =
      call(base, "grep", to_text(JsonObject{{"pattern", "found"}, {"path", "caf\xEF\xBF\xBD"}}));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->at("total_matches"), 1);
  // Nobody can know which of two is meant, and none leads outside.
  EXPECT_FALSE(call(base, "read_file", R"({"file_path": "two\uFFFD"})"));
  EXPECT_FALSE(call(base, "read_file", R"({"file_path": "caf\uFFFD/out\uFFFD"})"));
  EXPECT_FALSE(call(base, "read_file", R"({"file_path": "\uFFFD"})"));
}

TEST(ListFiles, says_what_is_wrong_with_its_arguments) {
  const TemporaryFolder base;
  base.write("file");
  EXPECT_EQ(list_error(base, "{}"), "Missing required parameter: pattern");
  EXPECT_EQ(list_error(base, R"({"pattern": 7})"),
            "Parameter pattern must be a string, not an integer");
  EXPECT_EQ(list_error(base, R"({"pattern": "*", "limit": 0})"),
            "Parameter limit must be at least 1, not 0");
  EXPECT_EQ(list_error(base, R"({"pattern": "*", "limit": 10001})"),
            "Parameter limit must be at most 10000, not 10001");
  EXPECT_EQ(list_error(base, R"({"pattern": "*", "sort": "color"})"),
            "Parameter sort must be one of: name, size, modified");
  EXPECT_EQ(list_error(base, R"({"pattern": "*", "recursive": "yes"})"),
            "Parameter recursive must be a boolean, not a string");
  EXPECT_EQ(list_error(base, R"({"pattern": "{a"})"), "The glob '{a' has a '{' without its '}'");
  EXPECT_EQ(list_error(base, R"({"pattern": "*", "path": "nowhere"})"),
            "There is no 'nowhere' in the base folder");
  EXPECT_EQ(list_error(base, R"({"pattern": "*", "path": "file"})"),
            "'file' is not a folder, or one of the folders before it is a file");
  EXPECT_NE(list_error(base, R"({"pattern": "*", "path": "/etc"})").find("lies outside"),
            std::string::npos);
  EXPECT_NE(list_error(base, R"({"pattern": "*", "path": ".."})").find("lies outside"),
            std::string::npos);
}

TEST(ListFiles, ends_when_it_is_cancelled) {
  const TemporaryFolder base;
  base.write("a");
  std::stop_source source;
  source.request_stop();
  const auto result = call(base, "list_files", R"({"pattern": "*"})", source.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::cancelled);
}

TEST(FileTools, declare_that_they_only_read_and_describe_every_parameter) {
  const TemporaryFolder base;
  const auto tools = file_tools(base.path());
  ASSERT_TRUE(tools);
  Strings names;
  for (const Tool& tool : *tools) {
    names.push_back(tool.spec.name);
    EXPECT_EQ(tool.spec.options.effect, Effect::read);
    for (const auto& [name, schema] : tool.spec.parameters.at("properties").as_object()) {
      EXPECT_TRUE(schema.as_object().contains("description")) << tool.spec.name << "." << name;
    }
  }
  EXPECT_EQ(names, (Strings{"list_files", "read_file", "grep"}));
  EXPECT_TRUE(tools->back().spec.parameters.at("properties").as_object().contains("-i"));
}

TEST(ListFiles, understands_the_names_of_other_systems) {
  const TemporaryFolder base;
  base.write("a").write("src/b").write("src/deep/c").write(".hidden");
  EXPECT_EQ(strings(list(base, R"({"path": "."})").at("files")), (Strings{"a", "src/"}));
  EXPECT_EQ(strings(list(base, R"({"path": "src", "recursive": true})").at("files")),
            (Strings{"src/b", "src/deep/c"}));
  EXPECT_EQ(
      strings(
          list(base, R"({"path": ".", "recursive": false, "include_hidden": true})").at("files")),
      (Strings{".hidden", "a", "src/"}));
  const Json few = list(base, R"({"path": ".", "recursive": true, "max_files": 1})");
  EXPECT_EQ(strings(few.at("files")), (Strings{"a"}));
  EXPECT_EQ(few.at("truncated"), true);
  EXPECT_EQ(few.at("limit"), 1);
}

TEST(ListFiles, advertises_one_set_of_names) {
  const TemporaryFolder base;
  const auto tools = file_tools(base.path());
  ASSERT_TRUE(tools);
  const Json& schema = tools->front().spec.parameters;
  EXPECT_EQ(to_text(schema.at("required")), R"(["pattern"])");
  EXPECT_FALSE(schema.at("properties").as_object().contains("max_files"));
}

TEST(ListFiles, finds_what_comes_after_a_very_deep_folder) {
  const TemporaryFolder base;
  std::string deep;
  for (int i = 0; i < 70; ++i) deep += "d/";
  base.write(deep + "bottom").write("z");
  const Json result = list(base, R"({"pattern": "*"})");
  EXPECT_EQ(strings(result.at("files")), (Strings{deep + "bottom", "z"}));
  EXPECT_EQ(result.at("truncated"), false);
}

TEST(ListFiles, says_what_it_could_not_read) {
  const TemporaryFolder base;
  base.write("a");
  for (int i = 0; i < 7; ++i) base.make_folder(fmt::format("closed{}", i));
  ASSERT_EQ(::chmod(base.path().c_str(), 0755), 0);
  for (int i = 0; i < 7; ++i) {
    ASSERT_EQ(::chmod((base / fmt::format("closed{}", i)).c_str(), 0), 0);
  }
  const auto tools = file_tools(base.path());
  const auto result = [&] {
    const WithoutRoot without_root;
    return call(*tools, "list_files", R"({"pattern": "*"})");
  }();
  for (int i = 0; i < 7; ++i) {
    ASSERT_EQ(::chmod((base / fmt::format("closed{}", i)).c_str(), 0755), 0);
  }
  ASSERT_TRUE(result);
  EXPECT_EQ(strings(result->at("files")), (Strings{"a"}));
  EXPECT_EQ(result->at("truncated"), true);
  EXPECT_EQ(to_text(result->at("skipped")),
            R"({"ignored":0,"hidden":0,"unreadable":7,"unreadable_paths":["closed0","closed1",)"
            R"("closed2","closed3","closed4"]})");
  EXPECT_EQ(result->at("note").as_string(),
            "7 entries could not be read ('closed0', 'closed1', 'closed2', 'closed3', 'closed4', "
            "…), so what is in them is missing here.");
}

TEST(ListFiles, draws_a_tree) {
  const TemporaryFolder base;
  base.write("README").write("src/a.c").write("src/lib/b.c").write("src/lib/c.c").write("src.c");
  const Json all = list(base, R"({"pattern": "*", "mode": "tree"})");
  EXPECT_EQ(all.at("tree").as_string(),
            "README\n"
            "src.c\n"
            "src/\n"
            "  a.c\n"
            "  lib/\n"
            "    b.c\n"
            "    c.c\n");
  EXPECT_EQ(all.at("total_files"), 5);
  EXPECT_EQ(all.at("truncated"), false);
  EXPECT_EQ(
      list(base, R"({"pattern": "*.c", "path": "src", "mode": "tree"})").at("tree").as_string(),
      "a.c\nlib/\n  b.c\n  c.c\n");
  EXPECT_EQ(
      list(base, R"({"pattern": "*", "mode": "tree", "recursive": false})").at("tree").as_string(),
      "README\nsrc.c\nsrc/\n");
}

}  // namespace
}  // namespace wright::tools
