#include "project/skills.h"

#include <gtest/gtest.h>

#include "tools/temporary_folder.h"
#include "wright/testing.h"

namespace wright::project {
namespace {

using tools::TemporaryFolder;

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
