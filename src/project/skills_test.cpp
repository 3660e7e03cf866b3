#include "project/skills.h"

#include <gtest/gtest.h>

#include "core/sha256.h"
#include "tools/temporary_folder_testing.h"
#include "wright/testing.h"

namespace wright::project {
namespace {

std::string skill_text(std::string_view name, std::string_view description,
                       std::string_view body = "Do it well.") {
  return fmt::format("---\nname: {}\ndescription: {}\n---\n{}\n", name, description, body);
}

TEST(Skills, are_told_by_name_and_read_when_they_are_needed) {
  const TemporaryFolder folder;
  folder.write("pdf/SKILL.md", skill_text("pdf", "Reads: PDF files", "Use scripts/read.py."))
      .write("pdf/scripts/read.py", "print()")
      .write("deep/er/tables/SKILL.md", skill_text("tables", "Draws tables"));
  const auto found = find_skills({{folder.path()}}, {});
  EXPECT_TRUE(found.problems.empty());
  ASSERT_EQ(found.skills.size(), 2U);
  const std::string catalogue = skill_catalogue(found.skills);
  EXPECT_NE(catalogue.find("- pdf: Reads: PDF files\n- tables: Draws tables\n"), std::string::npos);
  EXPECT_EQ(catalogue.find("scripts"), std::string::npos);
  const auto tool = skill_tool(found.skills);
  ASSERT_TRUE(tool) << tool.error().message;
  const auto read = testing::answer_of(*tool, {{"name", "pdf"}});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at("instructions").as_string(), "Use scripts/read.py.");
  EXPECT_EQ(read->at("files").as_array(), (JsonArray{"scripts/read.py"}));
  EXPECT_FALSE(testing::answer_of(*tool, {{"name", "other"}}));
}

TEST(Skills, of_a_project_count_only_with_the_exact_content_that_was_agreed_to) {
  const TemporaryFolder folder;
  folder.write("mine/pdf/SKILL.md", skill_text("pdf", "Mine"))
      .write("theirs/pdf/SKILL.md", skill_text("pdf", "Theirs"))
      .write("theirs/pdf/run.sh", "echo good");
  const std::vector<SkillFolder> folders{{folder / "mine"}, {folder / "theirs", true}};
  const auto before = find_skills(folders, [](const auto&, std::string_view) { return false; });
  ASSERT_EQ(before.skills.size(), 1U);
  EXPECT_EQ(before.skills[0].description, "Mine") << "one that does not count hides none";
  std::string agreed;
  (void)find_skills(folders, [&](const auto&, std::string_view content) {
    agreed = content;
    return true;
  });
  const auto trusts = [&](const auto&, std::string_view content) { return content == agreed; };
  EXPECT_EQ(find_skills(folders, trusts).skills[0].description, "Theirs");
  folder.write("theirs/pdf/run.sh", "echo evil");
  EXPECT_EQ(find_skills(folders, trusts).skills[0].description, "Mine") << "a script has changed";
  const auto alone = find_skills({{folder / "theirs", true}}, trusts);
  EXPECT_EQ(skill_catalogue(alone.skills), "");
}

// Counted in part, the rest could change and stay trusted.
TEST(Skills, of_a_project_are_refused_where_not_all_of_them_can_be_agreed_to) {
  const auto is_left_out = [](const auto& fill) {
    const TemporaryFolder folder;
    folder.write("s/SKILL.md", skill_text("s", "d")).write("s/run.sh", "echo good");
    EXPECT_EQ(find_skills({{folder.path(), true}}, {}).skills.size(), 1U);
    fill(folder);
    const auto found = find_skills({{folder.path(), true}}, {});
    EXPECT_EQ(find_skills({{folder.path()}}, {}).skills.size(), 1U) << "the person's own";
    return found.skills.empty() && found.problems.size() == 1 &&
           found.problems[0].find("more than can be agreed to") != std::string::npos;
  };
  EXPECT_TRUE(is_left_out([](const TemporaryFolder& folder) {
    folder.write("s/big.sh", std::string((std::size_t{4} << 20) + 1, '#'));
  }));
  EXPECT_TRUE(is_left_out(
      [](const TemporaryFolder& folder) { folder.write("s/a/b/c/d/e/f/deep.sh", "echo good"); }));
  EXPECT_TRUE(is_left_out([](const TemporaryFolder& folder) {
    folder.write("elsewhere", "echo good").link("s/link.sh", "../elsewhere");
  }));
  EXPECT_TRUE(is_left_out([](const TemporaryFolder& folder) {
    for (int i = 0; i < 201; ++i) folder.write(fmt::format("s/{}.sh", i), "");
  }));
}

TEST(Skills, change_with_any_byte_or_the_mode_of_a_file) {
  const TemporaryFolder folder;
  folder.write("s/SKILL.md", skill_text("s", "d")).write("s/run.sh", "echo good");
  const auto content = [&] {
    return find_skills({{folder.path(), true}}, {}).skills.at(0).content;
  };
  const std::string good = content();
  EXPECT_NE(good.find(sha256_hex("echo good")), std::string::npos) << good;
  folder.write("s/run.sh", "echo goof");
  EXPECT_NE(content(), good);
  folder.write("s/run.sh", "echo good");
  EXPECT_EQ(content(), good);
  std::filesystem::permissions(folder / "s/run.sh", std::filesystem::perms::owner_all);
  EXPECT_NE(content(), good);
}

TEST(Skills, with_a_text_that_looks_like_the_lines_of_files_are_other_skills) {
  const std::string text = skill_text("s", "d");
  const auto skill_of = [](const TemporaryFolder& folder) {
    return find_skills({{folder.path(), true}}, {}).skills.at(0);
  };
  const TemporaryFolder with_file;
  with_file.write("s/SKILL.md", text).write("s/run.sh", "echo good");
  const Skill whole = skill_of(with_file);
  const TemporaryFolder with_text;
  const std::string lines = whole.content.substr(whole.content.find('\n'));
  with_text.write("s/SKILL.md", text + lines);
  EXPECT_NE(skill_of(with_text).content, whole.content);
  EXPECT_FALSE(whole.content.starts_with(text)) << whole.content;
}

TEST(Skills, that_misbehave_are_left_out_and_told_of) {
  const TemporaryFolder folder;
  folder.write("huge/SKILL.md", skill_text("huge", "x", std::string(300 * 1024, 'x')))
      .write("binary/SKILL.md", std::string("---\nname\0", 9))
      .write("silent/SKILL.md", "---\nname: silent\n---\nbody")
      .write("open/SKILL.md", "---\nname: open\ndescription: never ends")
      .write("Bad Name/SKILL.md", skill_text("../../etc", "escapes"))
      .write("other/SKILL.md", skill_text("../../etc", "escapes"))
      .write("wordy/SKILL.md", skill_text("wordy", std::string(3000, 'w')))
      .link("linked", "/etc")
      .make_folder("escaping");
  folder.link("escaping/SKILL.md", "/etc/passwd");
  const auto found = find_skills({{folder.path()}}, {});
  ASSERT_EQ(found.skills.size(), 2U);
  EXPECT_EQ(found.skills[0].name, "other") << "known by its folder's name";
  EXPECT_EQ(found.skills[1].name, "wordy");
  EXPECT_LE(found.skills[1].description.size(), 1024U);
  EXPECT_EQ(found.problems.size(), 8U);
}

}  // namespace
}  // namespace wright::project
