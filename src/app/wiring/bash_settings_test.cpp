#include "app/wiring/bash_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/wiring/coding_settings.h"
#include "app/wiring/mcp_wiring.h"

namespace wright::app {
namespace {

TEST(BashSettings, protect_and_hide_what_is_usual_unless_they_say_otherwise) {
  const auto usual = load_settings({}, Environment());
  ASSERT_TRUE(usual) << usual.error().message;
  const auto options = bash_options(*usual);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->policy.protected_paths, (std::vector<std::string>{".git", ".wright"}));
  EXPECT_EQ(options->policy.unreadable, usual_secrets());
  SettingFlags flags;
  flags.set = {"bash.protected=none", "bash.unreadable=*.key"};
  const auto own = load_settings(flags, Environment());
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_EQ(bash_options(*own)->policy.protected_paths, std::vector<std::string>{});
  EXPECT_EQ(bash_options(*own)->policy.unreadable, std::vector<std::string>{"*.key"});
}

// Who could rewrite the rules would be bound by none.
TEST(BashSettings, keep_every_command_from_files_of_wright_itself) {
  SettingFlags flags;
  flags.set = {"bash.protected=none", "bash.unreadable=none"};
  const auto settings = load_settings(
      flags, Environment(Environment::Variables{{"HOME", "/home/nobody-here"},
                                                {"WRIGHT_DATABASE_PATH", "/srv/sessions.db"}}));
  ASSERT_TRUE(settings) << settings.error().message;
  const auto policy = bash_options(*settings)->policy;
  const auto has = [](const std::vector<std::string>& paths, std::string_view path) {
    return std::ranges::find(paths, path) != paths.end();
  };
  for (const char* folder :
       {"/home/nobody-here/.config/wright", "/home/nobody-here/.local/state/wright"}) {
    EXPECT_TRUE(has(policy.unreadable, folder)) << folder;
    EXPECT_TRUE(has(policy.protected_paths, folder)) << folder;
  }
  EXPECT_TRUE(has(policy.unreadable, "/srv/sessions.db"));
  EXPECT_TRUE(has(policy.unreadable, "/srv/sessions.db-wal"));
  const std::string changes = changes_folder(*settings).string();
  EXPECT_TRUE(changes.starts_with("/srv/changes/")) << changes;
  EXPECT_TRUE(has(policy.unreadable, changes));
  EXPECT_TRUE(has(policy.protected_paths, changes));
}

TEST(BashSettings, hold_for_servers_of_mcp_that_are_confined) {
  SettingFlags flags;
  flags.set = {"bash.protected=generated", "bash.unreadable=**/.env"};
  const Environment environment(Environment::Variables{{"HOME", "/home/nobody-here"}});
  const auto settings = load_settings(flags, environment);
  ASSERT_TRUE(settings) << settings.error().message;
  McpServer server;
  server.command = {"server"};
  server.sandbox = SandboxMode::best_effort;
  const auto policy = program_of(server, *settings, environment).policy;
  const auto guarded = guarded_files(*settings);
  EXPECT_EQ(policy.unreadable, guarded.unreadable);
  EXPECT_EQ(policy.unreadable.front(), "**/.env");
  for (const char* name : {".git", ".wright", "generated"}) {
    EXPECT_NE(std::ranges::find(policy.protected_paths, name), policy.protected_paths.end())
        << name;
  }
}

}  // namespace
}  // namespace wright::app
