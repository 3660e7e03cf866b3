#include "app/wiring/mcp_offering.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tools/temporary_folder_testing.h"

namespace wright::app {
namespace {

// Tools that are offered to MCP clients, in a home with hooks of its person.
class McpOfferedTools : public ::testing::Test {
 protected:
  McpOfferedTools() { home_.make_folder("project").make_folder(".config/wright"); }

  void hook(std::string_view matcher, std::string_view command) {
    home_.write(".config/wright/hooks.json",
                fmt::format(R"({{"hooks": {{"PreToolUse": [{{"matcher": "{}", "hooks":
                    [{{"type": "command", "command": "{}"}}]}}]}}}})",
                            matcher, command));
  }
  ToolOutcome writes(WaitAnswers answers = {}) {
    const Environment environment(Environment::Variables{{"HOME", home_.path().string()}});
    SettingFlags flags;
    flags.base_path = (home_ / "project").string();
    flags.set = {"agent.writable=."};
    const Settings settings = load_settings(flags, environment).value();
    Console console(STDOUT_FILENO, STDERR_FILENO, environment);
    const auto store = open_memory_store();
    const auto offering =
        make_offering({.tools = {{"write_file"}}, .agents = std::vector<std::string>{}}, settings,
                      {console, environment}, {}, *store);
    EXPECT_TRUE(offering) << offering.error().message;
    if (!offering) return {};
    return execute(*offering->caller, {"c1", "write_file", R"({"path":"made","content":"x"})"},
                   {.call_id = "c1", .answers = std::move(answers)});
  }
  // Their own names, or why they cannot be offered.
  std::string offered(std::vector<std::string> wanted) const {
    const Environment environment(Environment::Variables{{"HOME", home_.path().string()}});
    SettingFlags flags;
    flags.base_path = (home_ / "project").string();
    const Settings settings = load_settings(flags, environment).value();
    Console console(STDOUT_FILENO, STDERR_FILENO, environment);
    const auto store = open_memory_store();
    const auto offering =
        make_offering({.tools = std::move(wanted), .agents = std::vector<std::string>{}}, settings,
                      {console, environment}, {}, *store);
    if (!offering) return offering.error().message;
    std::string names;
    for (const Tool& tool : offering->caller->tools) names += tool.spec.name + " ";
    return names;
  }
  bool is_made() const { return std::filesystem::exists(home_ / "project/made"); }

  TemporaryFolder home_;
};

TEST_F(McpOfferedTools, are_offered_by_any_of_their_names) {
  EXPECT_EQ(offered({"sqlite3_reader"}), "sqlite_reader ");
  EXPECT_NE(offered({"web_fetch"}).find("web.fetch=true"), std::string::npos)
      << offered({"web_fetch"});
}

TEST_F(McpOfferedTools, run_where_no_hook_is_about_them) {
  hook("bash", "exit 2");
  EXPECT_FALSE(writes().result.is_error);
  EXPECT_TRUE(is_made());
}

TEST_F(McpOfferedTools, are_guarded_by_hooks) {
  hook("write_*", "echo not here >&2; exit 2");
  const auto refused = writes();
  EXPECT_TRUE(refused.result.is_error);
  EXPECT_NE(refused.result.content.find("not here"), std::string::npos) << refused.result.content;
  EXPECT_FALSE(is_made());
}

TEST_F(McpOfferedTools, wait_for_a_person_where_a_hook_wants_one) {
  hook("write_*", "exit 1");  // one that fails is one that asks
  const auto asked = writes();
  ASSERT_TRUE(asked.waiting) << asked.result.content;
  EXPECT_EQ(asked.waiting->kind, WaitKind::approval);
  EXPECT_FALSE(is_made());
  EXPECT_FALSE(writes({.approval = Approval{Decision::once, ""}, .approved = asked.waiting->shown})
                   .result.is_error);
  EXPECT_TRUE(is_made());
}

TEST_F(McpOfferedTools, do_not_write_where_hooks_cannot_be_read) {
  home_.write(".config/wright/hooks.json", "{");
  EXPECT_TRUE(writes().result.is_error);
  EXPECT_FALSE(is_made());
}

}  // namespace
}  // namespace wright::app
