#include "app/commands/chat_mentions.h"

#include <gtest/gtest.h>

#include "tools/temporary_folder.h"

namespace wright::app {
namespace {

TEST(Mentions, bring_files_and_folders_along) {
  const tools::TemporaryFolder folder;
  folder.write("a.txt", "alpha").write("my file.md", "```\ncode\n```\n").write("sub/b.txt", "");
  const auto said =
      with_mentions("Compare @a.txt, @\"my file.md\" and @sub. Mail me@a.txt or @nobody",
                    folder.path(), Environment());
  EXPECT_TRUE(said.problems.empty());
  EXPECT_EQ(said.text,
            "Compare @a.txt, @\"my file.md\" and @sub. Mail me@a.txt or @nobody"
            "\n\na.txt,:\n```\nalpha\n```\n"
            "\n\nmy file.md:\n````\n```\ncode\n```\n````\n"
            "\n\nsub.:\n```\nb.txt\n```\n");
}

TEST(Mentions, leave_out_what_is_no_text_or_too_much) {
  const tools::TemporaryFolder folder;
  folder.write("b.bin", std::string("a\0b", 3)).write("l.txt", std::string(300 * 1024, 'x'));
  const auto said = with_mentions("@b.bin @l.txt", folder.path(), Environment());
  EXPECT_EQ(said.text, "@b.bin @l.txt");
  EXPECT_EQ(said.problems.size(), 2U);
}

TEST(Mentions, bring_nothing_from_outside_of_the_folder) {
  const tools::TemporaryFolder folder;
  folder.write("secret.txt", "secret").make_folder("base").link("base/link", folder / "secret.txt");
  for (const std::string& path : {(folder / "secret.txt").string(), std::string("../secret.txt"),
                                  std::string("link"), std::string("/etc/passwd")}) {
    const auto said = with_mentions("@" + path, folder / "base", Environment());
    EXPECT_EQ(said.text, "@" + path);
    EXPECT_EQ(said.problems.size(), 1U) << path;
  }
}

TEST(Mentions, are_completed_from_their_beginning) {
  const tools::TemporaryFolder folder;
  folder.write("alpha.txt").write("src/also.cpp").write(".hidden").write("with blank");
  const auto complete = [&](std::string_view typed) {
    return mentions_beginning_with(typed, folder.path());
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(complete("see @al"), Lines{"see @alpha.txt"});
  EXPECT_EQ(complete("@s"), Lines{"@src/"});
  EXPECT_EQ(complete("@src/a"), Lines{"@src/also.cpp"});
  EXPECT_EQ(complete("@"), (Lines{"@alpha.txt", "@src/"}));
  EXPECT_EQ(complete("@.h"), Lines{"@.hidden"});
  EXPECT_EQ(complete("al"), Lines{});
  EXPECT_EQ(complete("@none/x"), Lines{});
}

}  // namespace
}  // namespace wright::app
