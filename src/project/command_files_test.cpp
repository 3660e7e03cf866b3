#include "project/command_files.h"

#include <gtest/gtest.h>

#include "project/front_matter.h"
#include "tools/temporary_folder_testing.h"

namespace wright::project {
namespace {

TEST(FrontMatter, is_read_forgivingly) {
  const auto front = parse_front_matter(
      "---\r\nname: a: b # not c\r\ntext: 'it''s'\nquoted: \"x\\\"y\\n\"\nlong: >\n  one\n  two\n\n"
      "lines: |\n  1\n   2\nmetadata:\n  author: me\n# no\nnothing\nempty:\n---\nBody\n---\n");
  ASSERT_TRUE(front) << front.error().message;
  EXPECT_EQ(front->value("name"), "a: b");
  EXPECT_EQ(front->value("text"), "it's");
  EXPECT_EQ(front->value("quoted"), "x\"y\n");
  EXPECT_EQ(front->value("long"), "one two");
  EXPECT_EQ(front->value("lines"), "1\n 2");
  EXPECT_EQ(front->value("metadata.author"), "me");
  EXPECT_EQ(front->body, "Body\n---\n");
  EXPECT_EQ(parse_front_matter("no head")->body, "no head");
  EXPECT_FALSE(parse_front_matter("---\nname: x\n"));
  EXPECT_EQ(parse_front_matter("---\n---")->body, "");
  EXPECT_EQ(parse_front_matter("")->body, "");
}

TEST(CommandFiles, become_messages_with_what_was_typed) {
  const CommandFile all{.body = "Fix $ARGUMENTS now. $10 $1$2|$3"};
  EXPECT_EQ(expanded(all, " a  b "), "Fix a  b now. $10 ab|");
  EXPECT_EQ(expanded({.body = "Review."}, "the tests"), "Review.\n\nthe tests");
  EXPECT_EQ(expanded({.body = "Review $"}, ""), "Review $");
}

TEST(CommandFiles, are_found_by_name_and_the_later_folder_wins) {
  const TemporaryFolder folder;
  folder.write("mine/Deploy.md", "---\ndescription: Mine\nargument-hint: WHERE\n---\nmine")
      .write("mine/note.txt", "no")
      .write("theirs/deploy.md", "# Deploy it\nwith care")
      .write("theirs/has blank.md", "x")
      .write("theirs/empty.md", " \n")
      .write("theirs/binary.md", std::string("a\0b", 3))
      .write("theirs/huge.md", std::string(70'000, 'x'))
      .write("outside.md", "secret")
      .link("theirs/link.md", folder / "outside.md");
  const auto found = find_commands({folder / "mine", folder / "theirs", folder / "missing"});
  ASSERT_EQ(found.commands.size(), 1U);
  EXPECT_EQ(found.commands[0].name, "deploy");
  EXPECT_EQ(found.commands[0].description, "Deploy it");
  EXPECT_EQ(found.problems.size(), 5U);
  EXPECT_EQ(find_commands({folder / "mine"}).commands.at(0).hint, "WHERE");
}

TEST(CommandFiles, of_one_name_are_told_of) {
  const TemporaryFolder folder;
  folder.write("project/deploy.md", "theirs").write("person/deploy.md", "mine");
  const auto found = find_commands({folder / "project", folder / "person"});
  ASSERT_EQ(found.commands.size(), 1U);
  EXPECT_EQ(found.commands[0].body, "mine");
  EXPECT_EQ(found.unused.size(), 1U);
}

}  // namespace
}  // namespace wright::project
