#include "tools/files/gitignore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tools/files/tree_walk.h"
#include "tools/temporary_folder_testing.h"

namespace wright::tools {
namespace {

using Verdict = IgnoreFile::Verdict;

TEST(IgnoreFile, reads_lines_as_git_does) {
  const auto rules = IgnoreFile::parse(
      "\xEF\xBB\xBF"
      "first\n# comment\n\\#hash\n\\!bang\ncrlf\r\nspaces   \nkept\\ \n\n   \n[open\nlast\\");
  const auto judge = [&](std::string_view path) { return rules.judge(path, EntryKind::file); };
  for (const char* ignored : {"first", "#hash", "!bang", "crlf", "spaces", "kept ", "a/b/first"}) {
    EXPECT_EQ(judge(ignored), Verdict::ignored) << ignored;
  }
  for (const char* other :
       {"# comment", "kept", "crlf\r", "[open", "open", "last", "last\\", " "}) {
    EXPECT_EQ(judge(other), Verdict::none) << other;
  }
}

TEST(IgnoreFile, lets_the_last_rule_win) {
  const auto rules = IgnoreFile::parse("*.o\n!keep.o\n/build/\n");
  EXPECT_EQ(rules.judge("a.o", EntryKind::file), Verdict::ignored);
  EXPECT_EQ(rules.judge("x/keep.o", EntryKind::file), Verdict::kept);
  EXPECT_EQ(rules.judge("build", EntryKind::folder), Verdict::ignored);
  EXPECT_EQ(rules.judge("build", EntryKind::file), Verdict::none);
  EXPECT_EQ(rules.judge("build", EntryKind::link), Verdict::none);
  EXPECT_EQ(rules.judge("x/build", EntryKind::folder), Verdict::none);
}

// --- against git itself ---------------------------------------------------------------------

// Makes names and rules that have a fair chance to meet.
class RandomRules {
 public:
  explicit RandomRules(unsigned seed) : random_(seed) {}

  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  std::string name() {
    static constexpr const char* kPlain[] = {"a", "b", "c", "ab", "abc", "ba", "b.o"};
    static constexpr const char* kOdd[] = {"a b", "x!",  "#x", "!y", "a]", "-",
                                           "A",   "a\\", "*",  "é",  "c ", "foo"};
    return number(0, 4) == 0 ? one_of(kOdd) : one_of(kPlain);
  }

  std::string rules() {
    std::string made;
    for (int i = number(1, 4); i > 0; --i) made += number(0, 12) == 0 ? "# x\n" : rule() + "\n";
    return made;
  }

 private:
  template <std::size_t N>
  std::string one_of(const char* const (&choices)[N]) {
    return choices[static_cast<std::size_t>(number(0, static_cast<int>(N) - 1))];
  }

  std::string component() {
    static constexpr const char* kPlain[] = {"*", "**", "?", "a", "b", "c", "ab", "[ab]", "[!a]"};
    static constexpr const char* kOdd[] = {"[a-c]", "\\*",   "\\ ",   "[]]",     "[^b-]", "***",
                                           "\\a",   "[a",    "[\\]]", "[[:x:]]", "é",     "[!]a]",
                                           "\\\\",  "[b-a]", "[[:a]", "[a-\\c]", ".o",    "\\"};
    std::string made;
    if (number(0, 3) == 0) return name();
    if (number(0, 5) == 0) return "[[:alpha:]]";
    for (int i = number(1, 2); i > 0; --i) {
      made += number(0, 5) == 0 ? one_of(kOdd) : one_of(kPlain);
    }
    return made;
  }

  std::string rule() {
    std::string made;
    if (number(0, 3) == 0) made += '!';
    if (number(0, 4) == 0) made += '/';
    for (int i = number(1, 3);;) {
      made += component();
      if (--i == 0) break;
      made += number(0, 15) == 0 ? "\\/" : "/";
    }
    if (number(0, 4) == 0) made += '/';
    if (number(0, 9) == 0) made += "  ";
    if (number(0, 19) == 0) made += '\r';
    return made;
  }

  std::mt19937 random_;
};

// What git says of paths that need not exist, relative to a repository.
std::set<std::string> ignored_by_git(const TemporaryFolder& repository, const Strings& paths) {
  std::string all;
  for (const std::string& path : paths) all += path + '\0';
  repository.write(".git/paths", all);
  const std::string ignored = output_of(
      fmt::format("cd {} && HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 "
                  "git check-ignore --no-index -z --stdin < .git/paths",
                  shell_word(repository.path().native())));
  const Strings found = split(ignored, '\0');
  return {found.begin(), found.end()};
}

bool is_ignored(const IgnoreFile& rules, const std::string& path) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const auto kind = end == std::string::npos ? EntryKind::file : EntryKind::folder;
    if (rules.judge(path.substr(0, end), kind) == Verdict::ignored) return true;
  }
  return false;
}

TEST(IgnoreFile, judges_random_rules_as_git_does) {
  const TemporaryFolder repository;
  output_of("git init -q " + shell_word(repository.path().native()));
  constexpr int kFolders = 800;
  constexpr int kPathsEach = 100;
  std::vector<std::string> texts;
  Strings paths;
  for (int i = 0; i < kFolders; ++i) {
    RandomRules random(static_cast<unsigned>(i) + 1);
    texts.push_back(random.rules());
    repository.write(fmt::format("{}/.gitignore", i), texts.back());
    for (int j = 0; j < kPathsEach; ++j) {
      std::string path = std::to_string(i);
      for (int depth = random.number(1, 4); depth > 0; --depth) path += "/" + random.name();
      paths.push_back(path);
    }
  }
  const auto ignored = ignored_by_git(repository, paths);
  EXPECT_GT(ignored.size(), paths.size() / 20);
  EXPECT_LT(ignored.size(), paths.size() / 2);
  for (int i = 0; i < kFolders; ++i) {
    const auto& text = texts[static_cast<std::size_t>(i)];
    const auto rules = IgnoreFile::parse(text);
    for (int j = 0; j < kPathsEach; ++j) {
      const std::string& path = paths[static_cast<std::size_t>(i * kPathsEach + j)];
      ASSERT_EQ(is_ignored(rules, path.substr(path.find('/') + 1)), ignored.contains(path))
          << path << "\n"
          << text;
    }
  }
}

// Files in nested folders, and rules in some of those, below `root`.
void make_random_tree(const TemporaryFolder& folder, const std::string& root, unsigned seed) {
  RandomRules random(seed);
  for (int files = random.number(8, 20); files > 0; --files) {
    std::string path = root;
    for (int depth = random.number(0, 3); depth > 0; --depth) path += random.name() + "/";
    std::error_code ignored;
    std::filesystem::create_directories(folder / path, ignored);
    std::ofstream(folder / (path + random.name())) << "x";  // fails where a folder has the name
  }
  folder.write(root + ".gitignore", random.rules());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / root)) {
    if (entry.is_directory() && random.number(0, 2) == 0) {
      std::ofstream(entry.path() / ".gitignore") << random.rules();
    }
  }
}

// A repository full of random trees: t0/, t1/, …
class RandomRepository : public ::testing::Test {
 protected:
  static constexpr unsigned kTrees = 80;

  RandomRepository() {
    output_of("git init -q " + shell_word(folder.path().native()));
    folder.write(".gitignore", "*.o\n!/t1*/a.o\n/t2?/b/\nfoo/**/c\n/t3[0-4]/**/a*\n");
    folder.write(".git/info/exclude", "ab\n!*.o\n/t4/a\n");
    for (unsigned tree = 0; tree < kTrees; ++tree) {
      make_random_tree(folder, fmt::format("t{}/", tree), tree + 1);
    }
  }

  // The files that git does not ignore, as it says itself.
  std::set<std::string> kept_by_git() const {
    Strings all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      const std::string path = entry.path().lexically_relative(folder.path()).native();
      if (!path.starts_with(".git/") && entry.is_regular_file()) all.push_back(path);
    }
    std::set<std::string> kept(all.begin(), all.end());
    for (const std::string& path : ignored_by_git(folder, all)) kept.erase(path);
    return kept;
  }

  // The files that a walk visits, each with `prefix` before it.
  static std::set<std::string> visited(const std::filesystem::path& base,
                                       const std::string& prefix) {
    const auto workspace = Workspace::open({.base = base});
    const auto root = workspace->open_folder(".");
    std::set<std::string> paths;
    const auto skipped =
        walk(*workspace, *root, {.hidden = Hidden::visit}, {}, [&](const WalkEntry& entry) {
          paths.insert(prefix + entry.path);
          return Visited::proceed;
        });
    EXPECT_TRUE(skipped);
    return paths;
  }

  std::string rules_of(const std::string& tree) const {
    return output_of(
        fmt::format("cd {} && find {} -name .gitignore | while read -r f; do echo \"== $f\"; "
                    "cat -A \"$f\"; done",
                    shell_word(folder.path().native()), shell_word(tree)));
  }

  static std::set<std::string> of_tree(const std::set<std::string>& paths,
                                       const std::string& tree) {
    std::set<std::string> found;
    for (const std::string& path : paths) {
      if (path.starts_with(tree)) found.insert(path);
    }
    return found;
  }

  TemporaryFolder folder;
};

TEST_F(RandomRepository, is_walked_as_git_sees_it) {
  const auto expected = kept_by_git();
  const auto found = visited(folder.path(), "");
  std::size_t with_kept_files = 0;
  for (unsigned i = 0; i < kTrees; ++i) {
    const std::string tree = fmt::format("t{}/", i);
    ASSERT_EQ(of_tree(found, tree), of_tree(expected, tree)) << rules_of(tree);
    with_kept_files += of_tree(expected, tree).size() > 1 ? 1 : 0;
  }
  EXPECT_EQ(found, expected);
  EXPECT_GT(with_kept_files, kTrees / 2) << "the rules should leave something to compare";
}

TEST_F(RandomRepository, gives_its_rules_to_a_base_inside_of_it) {
  const auto expected = kept_by_git();
  for (unsigned i = 0; i < kTrees; i += 4) {
    const std::string tree = fmt::format("t{}/", i);
    ASSERT_EQ(visited(folder / tree, tree), of_tree(expected, tree)) << rules_of(tree);
  }
}

}  // namespace
}  // namespace wright::tools
