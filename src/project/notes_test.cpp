#include "project/notes.h"

#include <gtest/gtest.h>

#include "tools/temporary_folder_testing.h"

namespace wright::project {
namespace {

std::size_t place(const Notes& notes, std::string_view words) {
  return notes.text.find(words);
}
bool says(const Notes& notes, std::string_view words) {
  return place(notes, words) != std::string::npos;
}

TEST(Notes, are_those_from_the_repository_down_to_the_base_and_the_nearest_comes_last) {
  const TemporaryFolder folder;
  folder.make_folder("repo/.git")
      .write("AGENTS.md", "outside of the repository")
      .write("person/AGENTS.md", "my own wishes")
      .write("repo/AGENTS.md", "use tabs")
      .write("repo/lib/CLAUDE.md", "use spaces in lib")
      .write("repo/lib/AGENTS.md", "use two spaces in lib")
      .write("repo/lib/deep/inner/AGENTS.md", "for inner alone")
      .write("repo/lib/node_modules/x/AGENTS.md", "not ours");
  const Notes notes = read_notes({.base = folder / "repo/lib", .person = folder / "person"});
  EXPECT_TRUE(notes.problems.empty()) << notes.problems.front();
  EXPECT_EQ(notes.files.size(), 3U);
  EXPECT_LT(place(notes, "my own wishes"), place(notes, "use tabs"));
  EXPECT_LT(place(notes, "use tabs"), place(notes, "use two spaces in lib"));
  EXPECT_FALSE(says(notes, "outside of the repository"));
  EXPECT_FALSE(says(notes, "use spaces in lib")) << "AGENTS.md stands in place of CLAUDE.md";
  EXPECT_FALSE(says(notes, "for inner alone"));
  EXPECT_TRUE(says(notes, "- deep/inner/AGENTS.md")) << notes.text;
  EXPECT_FALSE(says(notes, "node_modules"));
}

TEST(Notes, are_empty_where_nobody_wrote_any) {
  const TemporaryFolder folder;
  folder.write("AGENTS.md", " \n");
  EXPECT_EQ(read_notes({.base = folder.path()}).text, "");
  EXPECT_EQ(read_notes({.base = folder / "missing"}).text, "");
}

TEST(Notes, are_bounded_and_the_nearest_are_kept) {
  const TemporaryFolder folder;
  folder.make_folder(".git")
      .write("AGENTS.md", "FAR" + std::string(5000, 'f'))
      .write("in/AGENTS.md", "NEAR" + std::string(900, 'n'));
  const Notes notes = read_notes({.base = folder / "in", .most_bytes = 1000});
  EXPECT_LT(notes.text.size(), 2000U);
  EXPECT_TRUE(says(notes, "NEAR" + std::string(900, 'n')));
  EXPECT_TRUE(says(notes, "FAR"));
  ASSERT_EQ(notes.problems.size(), 1U);
  EXPECT_NE(notes.problems.front().find("AGENTS.md is cut"), std::string::npos);
}

TEST(Notes, leave_out_what_is_no_text_too_large_or_elsewhere) {
  const TemporaryFolder folder;
  folder.make_folder("repo/.git")
      .write("secret.md", "the password is")
      .write("repo/a/AGENTS.md", std::string("bin\0ary", 7))
      .write("repo/a/b/AGENTS.md", "\xff\xfe broken")
      .write("repo/a/b/c/AGENTS.md", std::string((1 << 20) + 1, 'x'))
      .link("repo/a/b/c/d/AGENTS.md", folder / "secret.md")
      .write("repo/a/b/c/d/e/AGENTS.md", "good");
  const Notes notes = read_notes({.base = folder / "repo/a/b/c/d/e"});
  EXPECT_EQ(notes.files.size(), 1U);
  EXPECT_TRUE(says(notes, "good"));
  EXPECT_FALSE(says(notes, "password"));
  EXPECT_EQ(notes.problems.size(), 4U);
}

TEST(Notes, take_no_home_folder_for_a_project) {
  const TemporaryFolder home;
  home.make_folder(".git").write("AGENTS.md", "of the home").write("work/x.txt", "");
  EXPECT_EQ(project_root(home / "work", home.path()), home / "work");
  EXPECT_EQ(read_notes({.base = home / "work", .home = home.path()}).text, "");
}

TEST(Notes, are_no_links_to_what_is_not_markdown) {
  const TemporaryFolder folder;
  folder.make_folder("repo/.git").write("repo/.env", "SECRET=1").link("repo/AGENTS.md", ".env");
  const Notes secret = read_notes({.base = folder / "repo"});
  EXPECT_FALSE(says(secret, "SECRET"));
  EXPECT_EQ(secret.problems.size(), 1U);
  folder.write("repo/docs/agents.md", "use tabs").link("repo/CLAUDE.md", "docs/agents.md");
  EXPECT_TRUE(says(read_notes({.base = folder / "repo"}), "use tabs"));
}

TEST(Notes, of_other_users_of_the_machine_do_not_count) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kOther = 65534;
  const auto give = [](const std::filesystem::path& path) {
    ASSERT_EQ(::lchown(path.c_str(), kOther, kOther), 0);
  };
  const TemporaryFolder folder;
  folder.make_folder("par/.git").write("par/AGENTS.md", "orders").write("par/x/AGENTS.md", "mine");
  EXPECT_TRUE(says(read_notes({.base = folder / "par/x"}), "orders"));
  give(folder / "par");
  const Notes below = read_notes({.base = folder / "par/x"});
  EXPECT_FALSE(says(below, "orders"));
  EXPECT_TRUE(says(below, "mine"));
  EXPECT_EQ(below.problems.size(), 1U);
  EXPECT_TRUE(says(read_notes({.base = folder / "par"}), "orders")) << "it was chosen";
  // A folder that all may write into, like /tmp.
  folder.make_folder("all/.git").write("all/AGENTS.md", "orders").make_folder("all/x");
  give(folder / "all/.git");
  EXPECT_FALSE(says(read_notes({.base = folder / "all/x"}), "orders"));
  give(folder / "all/AGENTS.md");
  EXPECT_FALSE(says(read_notes({.base = folder / "all"}), "orders"));
}

}  // namespace
}  // namespace wright::project
