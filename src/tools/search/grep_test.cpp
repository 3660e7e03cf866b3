#include <sys/stat.h>

#include <map>
#include <random>

#include "tools/temporary_folder_testing.h"

namespace wright::tools {
namespace {

Json grep(const TemporaryFolder& base, std::string_view arguments) {
  auto result = call(base, "grep", arguments);
  EXPECT_TRUE(result) << result.error().message;
  return result.value_or(Json());
}

std::string grep_error(const TemporaryFolder& base, std::string_view arguments) {
  const auto result = call(base, "grep", arguments);
  return result ? "no error" : result.error().message;
}

// "path:line" of each match.
Strings places(const Json& result) {
  Strings made;
  for (const Json& match : result.at("matches").as_array()) {
    made.push_back(fmt::format("{}:{}", std::string_view(match.at("file_path").as_string()),
                               match.at("line_number").as_int64()));
  }
  return made;
}

TEST(Grep, answers_in_the_promised_shape) {
  const TemporaryFolder base;
  base.write("a.cpp", "int x;\n  int main() {}\n").write(".hidden").write("b", "nothing");
  base.write("c.bin", std::string_view("int\0", 4));
  EXPECT_EQ(to_text(grep(base, R"({"pattern": "main"})")),
            R"({"matches":[{"file_path":"a.cpp","line_number":2,"line_content":"  int main() {}",)"
            R"("match_start":6,"match_end":10,"matched_text":"main"}],"total_matches":1,)"
            R"("files_with_matches":1,)"
            R"("files_searched":2,"truncated":false,)"
            R"("skipped":{"ignored":0,"hidden":1,"unreadable":0,"binary":1}})");
  EXPECT_EQ(to_text(grep(base, R"({"pattern": "int", "output_mode": "files"})").at("files")),
            R"(["a.cpp"])");
  const Json count = grep(base, R"({"pattern": "int", "output_mode": "count"})");
  EXPECT_EQ(to_text(count.at("files")), R"([{"file_path":"a.cpp","count":2}])");
  EXPECT_EQ(count.at("total_matches"), 2);
}

TEST(Grep, sorts_by_path_then_line) {
  const TemporaryFolder base;
  base.write("b", "x\nx\n").write("a/z", "-\nx").write("a.c", "x").write("a-b/y", "x");
  EXPECT_EQ(places(grep(base, R"({"pattern": "x"})")),
            (Strings{"a-b/y:1", "a.c:1", "a/z:2", "b:1", "b:2"}));
}

TEST(Grep, matches_within_one_line_and_each_line_once) {
  const TemporaryFolder base;
  base.write("a", "one\ntwo two\n\nlast");
  const auto lines = [&](std::string_view pattern) {
    return places(grep(base, to_text(JsonObject{{"pattern", pattern}})));
  };
  EXPECT_EQ(lines("two"), (Strings{"a:2"}));
  EXPECT_EQ(lines("^one$"), (Strings{"a:1"}));
  EXPECT_EQ(lines("e\\s+t"), Strings());
  EXPECT_EQ(lines("e[^x]t"), Strings());
  EXPECT_EQ(lines("t[^\\n]+two"), (Strings{"a:2"}));
  EXPECT_EQ(lines("^[\\nt]w"), (Strings{"a:2"}));
  EXPECT_EQ(lines("(?s)e.t"), Strings());
  EXPECT_EQ(lines("^$"), (Strings{"a:3"}));
  EXPECT_EQ(lines("q*"), (Strings{"a:1", "a:2", "a:3", "a:4"}));
  EXPECT_EQ(lines("$"), (Strings{"a:1", "a:2", "a:3", "a:4"}));
  EXPECT_EQ(lines("o|l"), (Strings{"a:1", "a:2", "a:4"}));
}

TEST(Grep, ends_lines_before_cr_lf) {
  const TemporaryFolder base;
  base.write("a", "foo\r\n\r\nbar baz\r\none\rtwo\n");
  const auto lines = [&](std::string_view pattern, bool over_lines = false) {
    return places(grep(base, to_text(JsonObject{{"pattern", pattern}, {"multiline", over_lines}})));
  };
  EXPECT_EQ(lines("foo$"), (Strings{"a:1"}));
  EXPECT_EQ(lines("^$"), (Strings{"a:2"}));
  EXPECT_EQ(lines("ba[^r]$"), (Strings{"a:3"}));
  EXPECT_EQ(lines("foo\n\nbar", true), (Strings{"a:1"}));
  EXPECT_EQ(lines("\\r$"), (Strings{"a:1", "a:2", "a:3"})) << "whoever asks for them finds them";
  EXPECT_EQ(lines("one.two"), (Strings{"a:4"}));
}

TEST(Grep, does_not_see_a_line_behind_the_last_line_break) {
  const TemporaryFolder base;
  base.write("a", "x\n").write("empty").write("break", "\n");
  EXPECT_EQ(places(grep(base, R"({"pattern": "^"})")), (Strings{"a:1", "break:1"}));
  EXPECT_EQ(grep(base, R"({"pattern": "z*"})").at("total_matches"), 2);
}

TEST(Grep, ignores_case_when_asked) {
  const TemporaryFolder base;
  base.write("a", "Hello\nHELLO\nhello\nÉ\n");
  EXPECT_EQ(grep(base, R"({"pattern": "hello"})").at("total_matches"), 1);
  EXPECT_EQ(grep(base, R"({"pattern": "hello", "-i": true})").at("total_matches"), 3);
  EXPECT_EQ(grep(base, R"({"pattern": "hello", "-i": false})").at("total_matches"), 1);
  EXPECT_EQ(grep(base, R"({"pattern": "é", "-i": true})").at("total_matches"), 1);
}

TEST(Grep, filters_by_type_and_glob) {
  const TemporaryFolder base;
  for (const char* path : {"a.cpp", "a.H", "a.py", "src/b.cpp", "CMakeLists.txt", "x.quux"}) {
    base.write(path, "x");
  }
  const auto files = [&](std::string_view more) {
    const auto result =
        grep(base, fmt::format(R"({{"pattern": "x", "output_mode": "files", {}}})", more));
    return strings(result.at("files"));
  };
  EXPECT_EQ(files(R"("type": "cpp")"), (Strings{"a.H", "a.cpp", "src/b.cpp"}));
  EXPECT_EQ(files(R"("type": "python")"), (Strings{"a.py"}));
  EXPECT_EQ(files(R"("type": "cmake")"), (Strings{"CMakeLists.txt"}));
  EXPECT_EQ(files(R"("type": "quux")"), (Strings{"x.quux"}));
  EXPECT_EQ(files(R"("glob": "*.cpp")"), (Strings{"a.cpp", "src/b.cpp"}));
  EXPECT_EQ(files(R"("glob": "src/**")"), (Strings{"src/b.cpp"}));
  EXPECT_EQ(files(R"("glob": "!*.{cpp,txt,quux}")"), (Strings{"a.H", "a.py"}));
  EXPECT_EQ(files(R"("glob": "!src", "type": "cpp")"), (Strings{"a.H", "a.cpp"}));
  EXPECT_EQ(files(R"("exclude_pattern": "src/", "type": "cpp")"), (Strings{"a.H", "a.cpp"}));
  EXPECT_EQ(files(R"("glob": "src/*", "type": "py")"), Strings());
  const Json unknown = grep(base, R"({"pattern": "x", "type": "nope"})");
  EXPECT_EQ(unknown.at("files_searched"), 0);
  EXPECT_EQ(unknown.at("note").as_string().find(
                "'nope' is not a known type, and there are no text files with that extension"),
            0U);
}

TEST(Grep, searches_a_named_file_whatever_else_would_leave_it_out) {
  const TemporaryFolder base;
  base.write(".gitignore", "*.log\n").write("a.log", "x").write(".hidden", "x").write("b", "x");
  EXPECT_EQ(places(grep(base, R"({"pattern": "x", "path": "a.log"})")), (Strings{"a.log:1"}));
  EXPECT_EQ(places(grep(base, R"({"pattern": "x", "path": ".hidden"})")), (Strings{".hidden:1"}));
  EXPECT_EQ(places(grep(base, R"({"pattern": "x"})")), (Strings{"b:1"}));
  EXPECT_EQ(grep(base, R"({"pattern": "x"})").at("skipped").at("ignored"), 1);
}

TEST(Grep, follows_no_links) {
  const TemporaryFolder base;
  const TemporaryFolder outside;
  outside.write("secret", "x");
  base.write("a", "x").link("b", "a").link("c", outside / "secret").link("d", outside.path());
  EXPECT_EQ(places(grep(base, R"({"pattern": "x"})")), (Strings{"a:1"}));
  EXPECT_EQ(places(grep(base, R"({"pattern": "x", "path": "b"})")), (Strings{"b:1"}));
  EXPECT_NE(grep_error(base, R"({"pattern": "x", "path": "c"})").find("out of the base folder"),
            std::string::npos);
}

TEST(Grep, counts_honestly_beyond_its_limit) {
  const TemporaryFolder base;
  std::string text;
  for (int i = 0; i < 200; ++i) text += "x\n";
  base.write("a", text).write("b", text).write("c", "x");
  const Json result = grep(base, R"({"pattern": "x", "limit": 201})");
  EXPECT_EQ(result.at("matches").as_array().size(), 201U);
  EXPECT_EQ(places(result).back(), "b:1");
  EXPECT_EQ(result.at("total_matches"), 401);
  EXPECT_EQ(result.at("files_with_matches"), 3);
  EXPECT_EQ(result.at("truncated"), true);
  const Json files = grep(base, R"({"pattern": "x", "output_mode": "files", "limit": 2})");
  EXPECT_EQ(strings(files.at("files")), (Strings{"a", "b"}));
  EXPECT_EQ(files.at("truncated"), true);
  EXPECT_EQ(files.at("total_matches"), 401);
  EXPECT_EQ(grep(base, R"({"pattern": "x", "output_mode": "count", "limit": 3})").at("truncated"),
            false);
}

TEST(Grep, stays_within_what_a_model_gets_to_read) {
  const TemporaryFolder base;
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += std::string(100, '"') + "x" + std::string(400, '\\') + "\n";
  base.write("a", text);
  const Json result = grep(base, R"({"pattern": "x", "limit": 1000})");
  EXPECT_LT(to_text(result).size(), ToolOptions{}.output_limit);
  EXPECT_EQ(result.at("total_matches"), 1000);
  EXPECT_EQ(result.at("truncated"), true);
  EXPECT_GT(result.at("matches").as_array().size(), 50U);
}

TEST(Grep, cuts_long_lines_around_the_match_between_characters) {
  const TemporaryFolder base;
  std::string accents;
  for (int i = 0; i < 1000; ++i) accents += "é";
  base.write("middle", accents + "needle" + accents);
  base.write("start", "needle" + accents).write("end", accents + "needle\r\n");
  base.write("long", "needle" + std::string(5000, 's') + "!");
  for (const char* path : {"middle", "start", "end"}) {
    const Json result = grep(base, fmt::format(R"({{"pattern": "needle", "path": "{}"}})", path));
    const Json& match = result.at("matches").at(0);
    const std::string line(match.at("line_content").as_string());
    const auto start = static_cast<std::size_t>(match.at("match_start").to_number<int>());
    const auto end = static_cast<std::size_t>(match.at("match_end").to_number<int>());
    EXPECT_EQ(line.substr(start, end - start), "needle") << path;
    EXPECT_TRUE(is_valid_utf8(line));
    EXPECT_EQ(line.find("\xEF\xBF\xBD"), std::string::npos);
    EXPECT_GT(line.size(), 280U);
    EXPECT_LE(line.size(), 306U);
  }
  const Json match = grep(base, R"({"pattern": "needles+!", "path": "long"})").at("matches").at(0);
  EXPECT_EQ(match.at("match_start"), 0);
  EXPECT_EQ(match.at("match_end"), 300);
}

TEST(Grep, repairs_lines_that_are_not_utf8_and_keeps_the_offsets_right) {
  const TemporaryFolder base;
  base.write("a", "\xE9\xE9 x \xE9\n");
  const Json match = grep(base, R"({"pattern": "x"})").at("matches").at(0);
  EXPECT_EQ(match.at("line_content").as_string(), "\xEF\xBF\xBD\xEF\xBF\xBD x \xEF\xBF\xBD");
  EXPECT_EQ(match.at("match_start"), 7);
  EXPECT_EQ(match.at("match_end"), 8);
}

TEST(Grep, finds_lines_in_files_larger_than_its_blocks) {
  const TemporaryFolder base;
  std::string text;
  for (int i = 1; i <= 1'000'000; ++i) text += i % 100'000 == 0 ? "needle here\n" : "padding\n";
  base.write("large", text);
  const Json result = grep(base, R"({"pattern": "needle"})");
  EXPECT_EQ(result.at("total_matches"), 10);
  EXPECT_EQ(places(result).back(), "large:1000000");
  EXPECT_EQ(grep(base, R"({"pattern": "^pad.*g$", "limit": 1})").at("total_matches"), 999'990);
}

TEST(Grep, searches_a_bounded_part_of_an_endless_line_and_says_so) {
  const TemporaryFolder base;
  std::string text = "first\n" + std::string(33 << 20, 'x') + "needle";
  text[100] = 'y';
  base.write("a", text + "\nneedle\nlast");
  const Json result = grep(base, R"({"pattern": "needle|xxy"})");
  EXPECT_EQ(places(result), (Strings{"a:2", "a:3"}));
  EXPECT_EQ(result.at("matches").at(0).at("matched_text"), "xxy");
  EXPECT_EQ(result.at("note"), "1 very long lines were searched only at their start.");
  EXPECT_EQ(grep(base, R"({"pattern": "^"})").at("total_matches"), 4);
}

TEST(Grep, takes_a_nul_byte_anywhere_for_a_sign_that_a_file_is_no_text) {
  const TemporaryFolder base;
  const std::string late = "x\n" + std::string(5 << 20, '-');
  base.write("late", late + '\0').write("text", "x");
  const Json result = grep(base, R"({"pattern": "x"})");
  EXPECT_EQ(places(result), (Strings{"text:1"}));
  EXPECT_EQ(result.at("skipped").at("binary"), 1);
  const Json named = grep(base, R"({"pattern": "x", "path": "late"})");
  EXPECT_EQ(named.at("total_matches"), 0);
  EXPECT_EQ(named.at("note"), "'late' is not text and was not searched");
}

TEST(Grep, sees_text_behind_byte_order_marks) {
  const TemporaryFolder base;
  base.write("utf8", "\xEF\xBB\xBFusing x\n");
  base.write("little", std::string_view("\xFF\xFEu\0s\0i\0n\0g\0\n\0\xE4\0", 16));
  base.write("big", std::string_view("\xFE\xFF\0u\0s\0i\0n\0g\0\n\0\xE4", 16));
  EXPECT_EQ(places(grep(base, R"({"pattern": "^using"})")),
            (Strings{"big:1", "little:1", "utf8:1"}));
  EXPECT_EQ(places(grep(base, R"({"pattern": "^using\\s", "multiline": true})")),
            (Strings{"big:1", "little:1", "utf8:1"}));
  EXPECT_EQ(places(grep(base, R"({"pattern": "^\u00E4$"})")), (Strings{"big:2", "little:2"}));
}

TEST(Grep, takes_classes_as_unicode_has_them) {
  const TemporaryFolder base;
  base.write("a", "\u00E9t\u00E9\n\u00A0\n\u0663\nabc\n-\n");
  const auto lines = [&](std::string_view pattern) {
    return places(grep(base, to_text(JsonObject{{"pattern", pattern}})));
  };
  EXPECT_EQ(lines(R"(^\w+$)"), (Strings{"a:1", "a:3", "a:4"}));
  EXPECT_EQ(lines(R"(^\s$)"), (Strings{"a:2"}));
  EXPECT_EQ(lines(R"(^[\d\s]$)"), (Strings{"a:2", "a:3"}));
  EXPECT_EQ(lines(R"(^[^\w\s]$)"), (Strings{"a:5"}));
  EXPECT_EQ(lines(R"(\A\w\w\w\z)"), (Strings{"a:1", "a:4"}));
  // Too large for anything but ASCII.
  EXPECT_EQ(lines(R"(^(\w{1,30}){1,30}$)"), (Strings{"a:4"}));
}

TEST(Grep, counts_a_line_once_where_no_match_can_leave_it) {
  const TemporaryFolder base;
  base.write("a", "xx\nx\n");
  EXPECT_EQ(grep(base, R"({"pattern": "x", "multiline": true})").at("total_matches"), 2);
  EXPECT_EQ(grep(base, R"({"pattern": "x\\s", "multiline": true})").at("total_matches"), 2);
}

TEST(Grep, counts_files_that_it_may_not_read) {
  const TemporaryFolder base;
  base.write("a", "x").write("closed", "x");
  ASSERT_EQ(::mkfifo((base / "pipe").c_str(), 0600), 0);
  ASSERT_EQ(::chmod(base.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod((base / "closed").c_str(), 0), 0);
  const auto tools = file_tools(base.path());
  const auto result = [&] {
    const WithoutRoot without_root;
    return call(*tools, "grep", R"({"pattern": "x"})");
  }();
  ASSERT_TRUE(result);
  EXPECT_EQ(places(*result), (Strings{"a:1"}));
  EXPECT_EQ(result->at("skipped").at("unreadable"), 2);
  EXPECT_EQ(strings(result->at("skipped").at("unreadable_paths")), (Strings{"pipe", "closed"}));
  EXPECT_EQ(result->at("files_searched"), 1);
  EXPECT_EQ(result->at("truncated"), true);
  EXPECT_EQ(result->at("note").as_string(),
            "One entry could not be read ('closed'), so what is in it is missing here.");
}

TEST(Grep, finds_what_comes_after_a_very_deep_folder) {
  const TemporaryFolder base;
  std::string deep;
  for (int i = 0; i < 70; ++i) deep += "d/";
  base.write(deep + "bottom", "needle").write("z", "needle").write("link_target", "x");
  base.link("linked", "z");
  const Json result = grep(base, R"({"pattern": "needle"})");
  EXPECT_EQ(places(result), (Strings{deep + "bottom:1", "z:1"}));
  EXPECT_EQ(result.at("truncated"), false);
  EXPECT_EQ(result.at("skipped").at("unreadable"), 0);
  EXPECT_EQ(result.at("skipped").at("links"), 1);
  EXPECT_EQ(strings(result.at("skipped").at("link_paths")), (Strings{"linked"}));
}

TEST(Grep, says_what_is_wrong_with_its_arguments) {
  const TemporaryFolder base;
  base.write("folder/file.txt", "x");
  EXPECT_EQ(grep_error(base, "{}"), "Missing required parameter: pattern");
  EXPECT_EQ(grep_error(base, R"({"pattern": ""})"),
            "Parameter pattern must have at least 1 character, not 0");
  EXPECT_EQ(grep_error(base, R"({"pattern": "x", "-i": "yes"})"),
            "Parameter -i must be a boolean, not a string");
  EXPECT_EQ(grep_error(base, R"({"pattern": "x", "limit": 1001})"),
            "Parameter limit must be at most 1000, not 1001");
  EXPECT_EQ(grep_error(base, R"({"pattern": "(x"})"),
            "The pattern is not a valid regular expression: missing ): (x");
  EXPECT_EQ(grep_error(base, R"json({"pattern": "a(?=b)"})json"),
            "The pattern is not a valid regular expression: invalid perl operator: (?= (the "
            "syntax is RE2's: no look-around, no back-references)");
  EXPECT_EQ(grep_error(base, R"({"pattern": "(a)\\1"})"),
            "The pattern is not a valid regular expression: invalid escape sequence: \\1 (the "
            "syntax is RE2's: no look-around, no back-references)");
  EXPECT_EQ(grep_error(base, R"({"pattern": "a\\nb"})"),
            "The pattern contains a line break, but each line is searched by itself; set "
            "multiline to search across lines");
  EXPECT_EQ(grep_error(base, R"({"pattern": "a{1000}{1000}"})").find("The pattern is not a valid"),
            0U);
  EXPECT_EQ(grep_error(base, R"({"pattern": "x", "glob": "[a"})"),
            "The glob '[a' has a '[' without its ']'");
  EXPECT_EQ(grep_error(base, R"({"pattern": "x", "path": "file.txt"})"),
            "There is no 'file.txt' in the base folder. Similar paths: folder/file.txt");
  EXPECT_NE(grep_error(base, R"({"pattern": "x", "path": "../x"})").find("lies outside"),
            std::string::npos);
}

TEST(Grep, ends_when_it_is_cancelled) {
  const TemporaryFolder base;
  base.write("a", "x");
  std::stop_source source;
  source.request_stop();
  for (const char* arguments : {R"({"pattern": "x"})", R"({"pattern": "x", "path": "a"})"}) {
    const auto result = call(base, "grep", arguments, source.get_token());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::cancelled);
    EXPECT_EQ(result.error().message, "The search was cancelled");
  }
}

// Random text, mostly of a few letters, so that patterns have something to find.
std::string random_text(std::mt19937& random) {
  static constexpr std::string_view kAlphabet = "aabbccx.(_ \t\n\n";
  std::uniform_int_distribution<std::size_t> letter(0, kAlphabet.size() - 1);
  std::uniform_int_distribution<int> length(0, 400);
  std::string made;
  for (int i = length(random); i > 0; --i) made += kAlphabet[letter(random)];
  return made;
}

TEST(Grep, counts_as_the_grep_of_the_system_does) {
  const TemporaryFolder base;
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) base.write(fmt::format("d{}/f{}", i % 7, i), random_text(random));
  for (const char* pattern :
       {"a", "abc", "^a", "c$", "^$", "a.c", "[^a]b", "a|b_", "(ab)+c", "x{2,}", "\\.", "\\(x",
        "a*", "[[:space:]]a", "^[abc]+$", "b b|c c", "aaaaaaaaaaaaaaaa", "_$|^x", "\\bab\\b"}) {
    for (const bool ignores_case : {false, true}) {
      std::map<std::string, std::int64_t> expected;
      const std::string command = fmt::format("cd {} && LC_ALL=C.UTF-8 grep -rcE {} -e {} .",
                                              shell_word(base.path().native()),
                                              ignores_case ? "-i" : "", shell_word(pattern));
      for (const std::string& line : split(output_of(command, 1), '\n')) {
        const std::size_t colon = line.rfind(':');
        const std::int64_t count = std::stoll(line.substr(colon + 1));
        if (count > 0) expected[line.substr(2, colon - 2)] = count;
      }
      std::map<std::string, std::int64_t> found;
      const Json result = grep(base, to_text(JsonObject{{"pattern", pattern},
                                                        {"output_mode", "count"},
                                                        {"-i", ignores_case},
                                                        {"limit", 1000}}));
      for (const Json& file : result.at("files").as_array()) {
        found[std::string(file.at("file_path").as_string())] = file.at("count").as_int64();
      }
      EXPECT_EQ(found, expected) << pattern;
    }
  }
}

TEST(Grep, finds_the_lines_that_the_grep_of_the_system_finds) {
  const TemporaryFolder base;
  std::mt19937 random(8);
  for (int i = 0; i < 20; ++i) base.write(fmt::format("f{:02}", i), random_text(random));
  for (const char* pattern : {"ab", "^[ab]+", "c.?$", "x|\\(", "^$"}) {
    const std::string command = fmt::format("cd {} && LC_ALL=C.UTF-8 grep -nHE -e {} f*",
                                            shell_word(base.path().native()), shell_word(pattern));
    std::string found;
    const Json result = grep(base, to_text(JsonObject{{"pattern", pattern}, {"limit", 1000}}));
    for (const Json& match : result.at("matches").as_array()) {
      found += fmt::format("{}:{}:{}\n", std::string_view(match.at("file_path").as_string()),
                           match.at("line_number").as_int64(),
                           std::string_view(match.at("line_content").as_string()));
    }
    EXPECT_EQ(result.at("truncated"), false) << pattern;
    EXPECT_EQ(found, output_of(command, 1)) << pattern;
  }
}

TEST(Grep, understands_the_names_of_other_systems) {
  const TemporaryFolder base;
  base.write("a.cpp", "Hello\n").write("b.py", "hello\n").write("d/c.cpp", "hello\n");
  const auto found = [&](std::string_view more) {
    return places(grep(base, fmt::format(R"({{"pattern": "hello", {}}})", more)));
  };
  EXPECT_EQ(found(R"("case_sensitive": true)"), (Strings{"b.py:1", "d/c.cpp:1"}));
  EXPECT_EQ(found(R"("case_sensitive": false)"), (Strings{"a.cpp:1", "b.py:1", "d/c.cpp:1"}));
  EXPECT_EQ(found(R"("include_pattern": "*.cpp")"), (Strings{"d/c.cpp:1"}));
  EXPECT_EQ(found(R"("exclude_pattern": "*.cpp")"), (Strings{"b.py:1"}));
  EXPECT_EQ(found(R"("-i": true, "include_pattern": "*.cpp", "exclude_pattern": "d/**")"),
            (Strings{"a.cpp:1"}));
  EXPECT_EQ(found(R"("max_results": 1)"), (Strings{"b.py:1"}));
  EXPECT_EQ(found(R"("recursive": false)"), (Strings{"b.py:1"}));
  const Json few = grep(base, R"({"pattern": "hello", "max_files_searched": 2})");
  EXPECT_EQ(few.at("files_searched"), 2);
  EXPECT_EQ(few.at("truncated"), true);
  EXPECT_EQ(few.at("note").as_string(),
            "Only the first 2 files were searched, as max_files_searched says.");
  const Json all = grep(base, R"({"pattern": "hello", "max_files_searched": 3})");
  EXPECT_EQ(all.at("truncated"), false);
  const Json bare = grep(base, R"({"pattern": "hello", "include_line_numbers": false})");
  EXPECT_FALSE(bare.at("matches").at(0).as_object().contains("line_number"));
  EXPECT_EQ(
      strings(
          grep(base, R"({"pattern": "hello", "output_mode": "files_with_matches"})").at("files")),
      (Strings{"b.py", "d/c.cpp"}));
  EXPECT_NE(grep_error(base, R"({"pattern": "hello", "frobnicate": 1})"), "no error");
}

TEST(Grep, keeps_the_names_of_other_systems_from_the_model) {
  const TemporaryFolder base;
  const auto tools = file_tools(base.path());
  ASSERT_TRUE(tools);
  const auto& shown = tools->at(2).spec.parameters.at("properties").as_object();
  for (const char* name :
       {"pattern", "path", "type", "glob", "-i", "-A", "-B", "-C", "multiline"}) {
    EXPECT_TRUE(shown.contains(name)) << name;
  }
  for (const char* name : {"include_pattern", "exclude_pattern", "case_sensitive", "max_results",
                           "max_files_searched", "recursive", "include_line_numbers"}) {
    EXPECT_FALSE(shown.contains(name)) << name;
  }
}

TEST(Grep, shows_lines_around_a_match) {
  const TemporaryFolder base;
  base.write("a", "1\n2\n3 x\n4\r\n5\n6 x");
  const auto around = [&](std::string_view more) {
    Strings made;
    const Json found = grep(base, fmt::format(R"({{"pattern": "x", {}}})", more));
    for (const Json& match : found.at("matches").as_array()) {
      const auto joined = [&](const char* side) {
        const Json* lines = match.as_object().if_contains(side);
        return lines == nullptr ? std::string()
                                : fmt::format("{}", fmt::join(strings(*lines), ","));
      };
      made.push_back(fmt::format("{}<{}>{}", joined("before"),
                                 std::string_view(match.at("line_content").as_string()),
                                 joined("after")));
    }
    return made;
  };
  EXPECT_EQ(around(R"("-C": 1)"), (Strings{"2<3 x>4", "5<6 x>"}));
  EXPECT_EQ(around(R"("-B": 5)"), (Strings{"1,2<3 x>", "1,2,3 x,4,5<6 x>"}));
  EXPECT_EQ(around(R"("-A": 2)"), (Strings{"<3 x>4,5", "<6 x>"}));
  EXPECT_EQ(around(R"("-A": 0, "-C": 1)"), (Strings{"2<3 x>", "5<6 x>"}));
}

TEST(Grep, matches_across_lines_when_asked) {
  const TemporaryFolder base;
  base.write("a", "begin {\n  one\n}\nbegin { two }\nend\n");
  EXPECT_NE(grep_error(base, R"({"pattern": "one\\n}"})").find("set multiline"), std::string::npos);
  const Json found = grep(base, R"({"pattern": "begin \\{.*?\\}", "multiline": true})");
  EXPECT_EQ(found.at("total_matches"), 2);
  EXPECT_EQ(places(found), (Strings{"a:1", "a:4"}));
  EXPECT_EQ(found.at("matches").at(0).at("line_content").as_string(), "begin {\n  one\n}");
  EXPECT_EQ(found.at("matches").at(0).at("matched_text").as_string(), "begin {\n  one\n}");
  EXPECT_EQ(places(grep(base, R"({"pattern": "one\\n\\}", "multiline": true})")), (Strings{"a:2"}));
  EXPECT_EQ(grep(base, R"({"pattern": "q*", "multiline": true})").at("truncated"), false);
}

TEST(Grep, finds_every_form_of_a_letter_when_case_is_ignored) {
  const TemporaryFolder base;
  base.write("a",
             "\xE2\x84\xAA"
             "elvin\nKELVIN\nmis\xC5\xBFion\nMISSION\n\xC3\x89TAT\n");
  EXPECT_EQ(places(grep(base, R"({"pattern": "kelvin", "-i": true})")), (Strings{"a:1", "a:2"}));
  EXPECT_EQ(places(grep(base, R"({"pattern": "(?i)kelvin"})")), (Strings{"a:1", "a:2"}));
  EXPECT_EQ(places(grep(base, R"({"pattern": "mission", "-i": true})")), (Strings{"a:3", "a:4"}));
  EXPECT_EQ(places(grep(base, R"({"pattern": "état", "-i": true})")), (Strings{"a:5"}));
  EXPECT_EQ(places(grep(base, R"({"pattern": "État"})")), Strings());
  EXPECT_EQ(places(grep(base, R"({"pattern": "ÉTAT"})")), (Strings{"a:5"}));
}

TEST(Grep, keeps_its_order_however_many_threads_search) {
  const TemporaryFolder base;
  Strings expected;
  for (int i = 0; i < 300; ++i) {
    const std::string path = fmt::format("d{:02}/f{:03}", i % 20, i);
    base.write(path, i % 7 == 0 ? std::string(200'000, '-') + "\nx\n" : "x\n");
    expected.push_back(fmt::format("{}:{}", path, i % 7 == 0 ? 2 : 1));
  }
  std::ranges::sort(expected);
  const Json all = grep(base, R"({"pattern": "x", "limit": 1000})");
  EXPECT_EQ(all.at("total_matches"), 300);
  EXPECT_EQ(places(all), expected);
  const Json some = grep(base, R"({"pattern": "x", "limit": 10})");
  EXPECT_EQ(places(some), Strings(expected.begin(), expected.begin() + 10));
  EXPECT_EQ(some.at("total_matches"), 300);
}

}  // namespace
}  // namespace wright::tools
