#include "app/wiring/bash_settings.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace wright::app
