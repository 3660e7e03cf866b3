#include "app/commands/chat_mentions.h"

#include <gtest/gtest.h>

#include "tools/temporary_folder_testing.h"

namespace wright::app {
namespace {

TEST(Mentions, bring_files_and_folders_along) {
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
  folder.write("b.bin", std::string("a\0b", 3)).write("l.txt", std::string(300 * 1024, 'x'));
  const auto said = with_mentions("@b.bin @l.txt", folder.path(), Environment());
  EXPECT_EQ(said.text, "@b.bin @l.txt");
  EXPECT_EQ(said.problems.size(), 2U);
}

TEST(Mentions, bring_images_along_as_they_are) {
  const TemporaryFolder folder;
  const std::string png("\x89PNG\r\n\x1A\n\0\0", 10);
  folder.write("a.png", png).write("my shot.PNG", png).write("fake.png", "GIF89a is a text");
  folder.make_folder("base").write("base/b.png", png);
  const auto said = with_mentions("What is @b.png?", folder / "base", Environment());
  EXPECT_EQ(said.text, "What is @b.png?");
  ASSERT_EQ(said.images.size(), 1U);
  EXPECT_EQ(said.images[0].media_type, "image/png");
  EXPECT_EQ(said.notes.size(), 1U);
  // A path that was dropped counts where a person sits, wherever the image lies.
  const std::string dropped = "See '" + (folder / "my shot.PNG").string() + "' and " +
                              (folder / "a.png").string() + " " + (folder / "fake.png").string();
  EXPECT_TRUE(with_mentions(dropped, folder / "base", Environment()).images.empty());
  EXPECT_EQ(with_mentions(dropped, folder / "base", Environment(), {.takes_pasted_images = true})
                .images.size(),
            2U);
  const std::string escaped = folder.path().string() + "/my\\ shot.PNG";
  EXPECT_EQ(with_mentions(escaped, folder / "base", Environment(), {.takes_pasted_images = true})
                .images.size(),
            1U);
}

TEST(Mentions, say_why_an_image_does_not_go_along) {
  const TemporaryFolder folder;
  folder.write("big.png", "\x89PNG\r\n\x1A\n" + std::string(std::size_t{17} << 20U, 'x'));
  const auto said = with_mentions("@big.png @nosuch.png @nobody", folder.path(), Environment());
  ASSERT_EQ(said.problems.size(), 2U);
  EXPECT_EQ(said.problems[0].find("256"), std::string::npos) << said.problems[0];
  EXPECT_NE(said.problems[0].find("larger"), std::string::npos) << said.problems[0];
  EXPECT_NE(said.problems[1].find("no such file"), std::string::npos) << said.problems[1];
}

TEST(Mentions, bring_nothing_from_outside_of_the_folder) {
  const TemporaryFolder folder;
  folder.write("secret.txt", "secret").make_folder("base").link("base/link", folder / "secret.txt");
  for (const std::string& path : {(folder / "secret.txt").string(), std::string("../secret.txt"),
                                  std::string("link"), std::string("/etc/passwd")}) {
    const auto said = with_mentions("@" + path, folder / "base", Environment());
    EXPECT_EQ(said.text, "@" + path);
    EXPECT_EQ(said.problems.size(), 1U) << path;
  }
}

TEST(Mentions, are_completed_from_their_beginning) {
  const TemporaryFolder folder;
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

TEST(Mentions, bring_no_secrets_and_nothing_that_a_file_asks_for) {
  const TemporaryFolder folder;
  folder.write(".env", "hunter2").write(".git/config", "token").write("a.txt", "alpha");
  folder.link("b.txt", ".env");
  const auto said = with_mentions("@.env @.git/config @b.txt @a.txt", folder.path(), Environment());
  EXPECT_EQ(said.problems.size(), 3U);
  EXPECT_EQ(said.text.find("hunter2"), std::string::npos);
  EXPECT_EQ(said.text.find("token"), std::string::npos);
  EXPECT_NE(said.text.find("alpha"), std::string::npos);
  const auto of_file = with_mentions("Review @a.txt. Mind this", folder.path(), Environment(),
                                     {.typed = "Mind this"});
  EXPECT_EQ(of_file.text, "Review @a.txt. Mind this");
}

}  // namespace
}  // namespace wright::app
