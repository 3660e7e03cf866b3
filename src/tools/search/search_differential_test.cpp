// Compares what the tools find with what ripgrep and git find, on generated and on real trees.
#include <random>

#include "tools/search/ordered_search.h"
#include "tools/temporary_folder_testing.h"

namespace wright::tools {
namespace {

using Counts = std::map<std::string, std::int64_t>;

bool has_program(const std::string& name) {
  return !output_of("command -v " + name + " || true").empty();
}

Counts counts_of_ours(const std::filesystem::path& base, const std::string& pattern,
                      LetterCase letters) {
  const auto workspace = Workspace::open({.base = base});
  const auto compiled = LinePattern::compile(pattern, letters);
  EXPECT_TRUE(workspace && compiled);
  const auto folder = workspace->open_folder(".");
  EXPECT_TRUE(folder);
  Counts counts;
  const std::stop_token stop;
  OrderedSearch search(*compiled, {}, 0, stop, [&](const auto& file, const auto& matches) {
    if (matches && matches->count > 0) counts[file.path] = matches->count;
    return std::size_t{0};
  });
  EXPECT_TRUE(walk(*workspace, *folder, {}, stop, [&](const WalkEntry& entry) {
    search.add({entry.folder, entry.name, entry.path});
    return Visited::proceed;
  }));
  search.finish();
  return counts;
}

Counts counts_of_ripgrep(const std::filesystem::path& base, const std::string& pattern,
                         LetterCase letters) {
  const std::string command = fmt::format(
      "cd {} && rg --no-config --no-ignore-dot --no-ignore-global --no-require-git --no-messages "
      "--crlf --glob '!node_modules' --count --null {} -- {} .",
      shell_word(base.native()), letters == LetterCase::ignore ? "-i" : "", shell_word(pattern));
  Counts counts;
  for (const std::string& line : split(output_of(command, 1), '\n')) {
    const std::size_t end = line.find('\0');
    if (end == std::string::npos) continue;
    counts[line.substr(2, end - 2)] = std::stoll(line.substr(end + 1));
  }
  return counts;
}

void expect_same_matches(const std::filesystem::path& base, const std::string& pattern,
                         LetterCase letters) {
  const Counts ours = counts_of_ours(base, pattern, letters);
  const Counts theirs = counts_of_ripgrep(base, pattern, letters);
  EXPECT_FALSE(theirs.empty()) << pattern << " is nowhere in " << base;
  for (const auto& [path, count] : theirs) {
    const auto found = ours.find(path);
    EXPECT_EQ(found == ours.end() ? 0 : found->second, count) << pattern << " in " << path;
  }
  EXPECT_EQ(ours.size(), theirs.size()) << pattern;
}

Strings files_of_ours(const std::filesystem::path& base, Hidden hidden) {
  const auto workspace = Workspace::open({.base = base});
  const auto folder = workspace->open_folder(".");
  Strings files;
  EXPECT_TRUE(walk(*workspace, *folder, {.hidden = hidden}, {}, [&](const WalkEntry& entry) {
    files.push_back(entry.path);
    return Visited::proceed;
  }));
  return files;
}

// A tree of source-like files with rules of all kinds in .gitignore files at several depths.
void fill(const TemporaryFolder& base, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  const Strings words{"int", "return", "Value", "needle", "value", "std::string", "TODO",
                      "été", "const",  "x",     "if",     "",      "foo_bar",     "FOO"};
  const Strings folders{"", "src/", "src/core/", "build/", "docs/", "src/core/deep/", "a b/"};
  const Strings endings{".cpp", ".h", ".o", ".md", ".log", ""};
  const Strings rules{"*.o",    "/build/",     "!keep.o", "*.log",    "docs/*.md", "deep",
                      "**/f1*", "src/**/f2.h", "!f1.cpp", "f[3-5].*", "a b/",      "/f6*"};
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (unsigned line = 0, lines = below(30); line < lines; ++line) {
      for (unsigned word = 0, count = below(6); word < count; ++word) {
        text += words[below(static_cast<unsigned>(words.size()))] + " ";
      }
      text += below(20) == 0 ? "\r\n" : "\n";
    }
    if (below(3) == 0) text += "no break at the end needle";
    base.write(fmt::format("{}f{}{}", folders[below(static_cast<unsigned>(folders.size()))], i,
                           endings[below(static_cast<unsigned>(endings.size()))]),
               text);
  }
  for (const std::string& folder : folders) {
    std::string text;
    for (unsigned i = 0, count = below(4); i < count; ++i) {
      text += rules[below(static_cast<unsigned>(rules.size()))] + "\n";
    }
    base.write(folder + ".gitignore", text);
  }
}

TEST(Differential, finds_what_ripgrep_finds_in_generated_trees) {
  ASSERT_TRUE(has_program("rg")) << "install ripgrep, as `make test` does";
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const TemporaryFolder base;
    fill(base, seed);
    for (const char* pattern :
         {"needle", "value", "needle|foo_bar|TODO", "[A-Z]{3,}", "^int .*needle", "needle$",
          "\\bif\\b", "std::\\w+", "^$", "(foo|bar)_(foo|bar)", "été", "x.*x"}) {
      for (const LetterCase letters : {LetterCase::distinguish, LetterCase::ignore}) {
        expect_same_matches(base.path(), pattern, letters);
      }
    }
  }
}

TEST(Differential, finds_what_ripgrep_finds_in_the_headers_of_this_system) {
  ASSERT_TRUE(has_program("rg")) << "install ripgrep, as `make test` does";
  const std::filesystem::path base = "/usr/include/c++";
  ASSERT_TRUE(std::filesystem::exists(base)) << base;
  expect_same_matches(base, "allocator_traits", LetterCase::distinguish);
  expect_same_matches(base, "hash_combine|basic_format|ranges::", LetterCase::distinguish);
  expect_same_matches(base, "uninitialized_copy", LetterCase::ignore);
  expect_same_matches(base, "^#\\s*include <[a-z]+>$", LetterCase::distinguish);
}

TEST(Differential, finds_what_ripgrep_finds_in_this_repository) {
  ASSERT_TRUE(has_program("rg")) << "install ripgrep, as `make test` does";
  const std::filesystem::path base = WRIGHT_SOURCE_FOLDER;
  expect_same_matches(base, "namespace", LetterCase::distinguish);
  expect_same_matches(base, "workspace|Wright", LetterCase::ignore);
  expect_same_matches(base, "Result<\\w+>", LetterCase::distinguish);
}

struct Query {
  JsonObject arguments;
  std::string flags;  // that say the same to ripgrep
};

// Lines, or matches across lines, and the files that they are in.
std::pair<std::int64_t, std::int64_t> totals_of_ours(const std::filesystem::path& base,
                                                     JsonObject arguments) {
  const auto tools = file_tools(base);
  EXPECT_TRUE(tools);
  arguments["output_mode"] = "count";
  const auto result = call(*tools, "grep", to_text(arguments));
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  return {result->at("total_matches").as_int64(), result->at("files_with_matches").as_int64()};
}

std::pair<std::int64_t, std::int64_t> totals_of_ripgrep(const std::filesystem::path& base,
                                                        const Query& query) {
  const std::string command = fmt::format(
      "cd {} && rg --no-config --no-ignore-dot --no-ignore-global --no-require-git --no-messages "
      "--crlf --count --null --glob '!node_modules' {} -- {} .",
      shell_word(base.native()), query.flags,
      shell_word(std::string(query.arguments.at("pattern").as_string())));
  std::int64_t lines = 0;
  std::int64_t files = 0;
  for (const std::string& line : split(output_of(command, 1), '\n')) {
    const std::size_t end = line.find('\0');
    if (end == std::string::npos) continue;
    lines += std::stoll(line.substr(end + 1));
    ++files;
  }
  return {lines, files};
}

TEST(Differential, understands_every_option_as_ripgrep_does_in_large_trees) {
  ASSERT_TRUE(has_program("rg")) << "install ripgrep, as `make test` does";
  const std::vector<Query> queries{
      {{{"pattern", "include"}, {"type", "cpp"}}, "-tcpp"},
      {{{"pattern", "define"}, {"type", "c"}}, "-tc"},
      {{{"pattern", "import"}, {"type", "py"}}, "-tpy"},
      {{{"pattern", "^# "}, {"type", "md"}}, "-tmd"},
      {{{"pattern", "the"}, {"glob", "*.{h,txt,py}"}}, "-g '*.{h,txt,py}'"},
      {{{"pattern", "the"}, {"glob", "!*.[hH]*"}}, "-g '!*.[hH]*'"},
      {{{"pattern", "return"}, {"glob", "!tests"}}, "-g '!tests'"},
      {{{"pattern", "COPYRIGHT"}, {"-i", true}}, "-i"},
      {{{"pattern", R"(\s+$)"}}, ""},
      {{{"pattern", R"(^\w.*\w$)"}, {"glob", "*.py"}}, "-g '*.py'"},
      {{{"pattern", R"(\{\n\s*return)"}, {"multiline", true}}, "-U --multiline-dotall"},
      {{{"pattern", "error"}, {"multiline", true}}, "-U --multiline-dotall"},
  };
  // Both come with packages that the tests need.
  for (const char* base : {"/usr/include/c++", "/usr/lib/python3.11"}) {
    ASSERT_TRUE(std::filesystem::exists(base)) << base;
    std::int64_t found = 0;
    for (const Query& query : queries) {
      const auto theirs = totals_of_ripgrep(base, query);
      EXPECT_EQ(totals_of_ours(base, query.arguments), theirs)
          << to_text(query.arguments) << " in " << base;
      found += theirs.first;
    }
    EXPECT_GT(found, 1000) << base;
  }
}

TEST(Differential, understands_globs_as_ripgrep_does) {
  ASSERT_TRUE(has_program("rg")) << "install ripgrep, as `make test` does";
  const TemporaryFolder base;
  for (const char* path :
       {"a.h",     "a/x.h",     "a/b/x.h",    "a/b/c/x.h",  "a/b/c/abc", "a/bb",
        "src/a.h", "src/x/a.h", "src/ab/c/d", "ab/c",       "abc",       "b",
        "c",       "xa",        "x/a",        "-",          "]",         "a b/c d",
        "été/é.h", "b.tar.gz",  "Makefile",   "x/Makefile", "x/y/z/b"}) {
    base.write(path);
  }
  for (const std::string glob :
       {"a/**",      "a/**/x.h",     "**/x.h",   "**/a/**",  "a/**/**/x.h",   "**",
        "*",         "a/*",          "*/x.h",    "a/*/x.h",  "src/**.h",      "src/a**",
        "src/**a.h", "src/**b/c/d",  "a**c",     "a/b**",    "**a",           "a/***",
        "***",       "{a,b}",        "{a}",      "*.{h,gz}", "a/{b,b/c}/x.h", "{a/**,src/**}",
        "{x,a}/**",  "{a/*,**/abc}", "?",        "??",       "a?c",           "src/?/a.h",
        "[a-c]",     "[!a]",         "[^a]",     "a/[!x]*",  "[]a]",          "[a-]",
        "/a.h",      "/a/*",         "a b/*",    "é*/*",     "**/é.h",        "[!x]*.h",
        "Make*",     "x/**/b",       "x/**/z/*", "*a*",      "a*/**/c*",      "**/c/**",
        "src/**/d"}) {
    Strings theirs = split(output_of("cd " + shell_word(base.path().native()) +
                                         " && rg --no-config --files --null --glob " +
                                         shell_word(glob) + " | LC_ALL=C sort -z",
                                     1),
                           '\0');
    const auto ours = call(base, "list_files", to_text(JsonObject{{"pattern", glob}}));
    ASSERT_TRUE(ours) << glob << ": " << ours.error().message;
    EXPECT_EQ(strings(ours->at("files")), theirs) << glob;
    EXPECT_FALSE(theirs.empty() && glob != "a/b**") << glob << " matches nothing";
  }
}

TEST(Differential, lists_what_git_lists_in_this_repository) {
  const std::filesystem::path base = WRIGHT_SOURCE_FOLDER;
  const std::string git = "git -C " + shell_word(base.native()) + " -c core.excludesFile=/dev/null";
  if (output_of(git + " rev-parse --is-inside-work-tree 2>/dev/null || true").empty()) {
    GTEST_SKIP() << "this is no repository";
  }
  Strings theirs;
  for (std::string& path :
       split(output_of(git + " ls-files -z --cached --others --exclude-standard"), '\0')) {
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(base / path))) {
      theirs.push_back(std::move(path));
    }
  }
  std::ranges::sort(theirs);
  EXPECT_GT(theirs.size(), 100U);
  EXPECT_EQ(files_of_ours(base, Hidden::visit), theirs);
}

TEST(Differential, lists_what_ripgrep_lists_among_the_headers_of_this_system) {
  ASSERT_TRUE(has_program("rg")) << "install ripgrep, as `make test` does";
  const std::filesystem::path base = "/usr/include";
  Strings theirs =
      split(output_of("cd /usr/include && rg --no-config --no-ignore-dot --no-ignore-global "
                      "--no-require-git --no-messages --files --null --glob '!node_modules' | "
                      "LC_ALL=C sort -z"),
            '\0');
  EXPECT_GT(theirs.size(), 1000U);
  EXPECT_EQ(files_of_ours(base, Hidden::leave_out), theirs);
}

}  // namespace
}  // namespace wright::tools
