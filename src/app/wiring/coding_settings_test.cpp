#include "app/wiring/coding_settings.h"

#include <gtest/gtest.h>

#include "tools/temporary_folder_testing.h"

namespace wright::app {
namespace {

using Lines = std::vector<std::string>;

class CodingSettings : public ::testing::Test {
 protected:
  Settings loaded(const SettingFlags& flags) const {
    return load_settings(flags, Environment(Environment::Variables{{"HOME", home_.path()}}))
        .value();
  }
  Lines added(std::string_view agent, const std::filesystem::path& base, Lines set = {}) const {
    SettingFlags flags;
    flags.base_path = base.string();
    flags.set = std::move(set);
    return with_coding_defaults(agent, flags, loaded(flags)).set;
  }

  const TemporaryFolder home_;
};

TEST_F(CodingSettings, let_coding_write_in_the_folder_it_is_begun_in) {
  home_.make_folder("work");
  EXPECT_EQ(added("Coding", home_ / "work"), (Lines{"bash.preset=workspace", "agent.writable=."}));
  EXPECT_EQ(added("codebase-analysis", home_ / "work"), Lines{});
  EXPECT_EQ(added("coding", home_ / "work", {"agent.writable=src", "bash.preset=minimal"}),
            (Lines{"agent.writable=src", "bash.preset=minimal"}));
}

TEST_F(CodingSettings, let_nobody_write_in_a_whole_home_folder) {
  home_.make_folder("work").link("there", home_.path());
  EXPECT_EQ(added("coding", home_.path()), Lines{});
  EXPECT_EQ(added("coding", home_.path().parent_path()), Lines{});
  EXPECT_EQ(added("coding", home_ / "there"), Lines{});
  EXPECT_EQ(added("coding", "/"), Lines{});
  SettingFlags flags;
  flags.base_path = home_.path().string();
  const auto setup = coding_setup(loaded(flags), {.base = home_.path()}, {});
  ASSERT_TRUE(setup) << setup.error().message;
  ASSERT_EQ(setup->notes.size(), 1U);
  EXPECT_NE(setup->notes[0].find("whole home folder"), std::string::npos);
}

TEST_F(CodingSettings, ask_about_commands_that_no_rule_knows) {
  home_.make_folder("work");
  SettingFlags flags;
  flags.base_path = (home_ / "work").string();
  flags = with_coding_defaults("coding", flags, loaded(flags));
  const auto setup = coding_setup(loaded(flags), {.base = home_ / "work"}, {});
  ASSERT_TRUE(setup) << setup.error().message;
  const auto rules = CommandRules::make(setup->options.bash.rules).value();
  const auto judged = [&](std::string_view line) { return rules.judge(line).permission; };
  EXPECT_EQ(judged("make test"), Permission::allow);
  EXPECT_EQ(judged("ls -l && pytest -q"), Permission::allow);
  EXPECT_EQ(judged("rm -rf build"), Permission::ask);
  EXPECT_EQ(judged("git push"), Permission::ask);
  EXPECT_EQ(judged("terraform apply"), Permission::ask);
  EXPECT_EQ(judged("echo x > /etc/passwd"), Permission::ask);
}

// Whether it is asked is not for the server to say.
TEST_F(CodingSettings, ask_about_tools_of_others_that_no_rule_names) {
  std::vector<Tool> tools{
      tool("files__delete", "", [] {}), tool("files__list", "", [] {}, {.effect = Effect::read}),
      tool("files__look", "", [] {}, {.effect = Effect::read}), tool("mail__send", "", [] {})};
  home_.write("config.toml",
              "[mcp.servers.files]\ncommand = \"files\"\n"
              "effects = { \"look\" = \"read\", \"delete\" = \"write\" }\n");
  SettingFlags flags;
  flags.config = (home_ / "config.toml").string();
  flags.set = {"permissions.mail_*=allow"};
  ask_about_others(tools, loaded(flags));
  EXPECT_TRUE(tools[0].spec.options.needs_approval);
  EXPECT_TRUE(tools[1].spec.options.needs_approval) << "the server alone says that it reads";
  EXPECT_FALSE(tools[2].spec.options.needs_approval);
  EXPECT_FALSE(tools[3].spec.options.needs_approval);
}

}  // namespace
}  // namespace wright::app
