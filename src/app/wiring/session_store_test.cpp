#include "app/wiring/session_store.h"

#include <gtest/gtest.h>

namespace wright::app {
namespace {

TEST(SessionStore, is_as_careful_as_the_settings_say) {
  const auto usual = load_settings({}, Environment());
  ASSERT_TRUE(usual) << usual.error().message;
  EXPECT_EQ(store_options(*usual).durability, Durability::normal);
  SettingFlags flags;
  flags.set = {"sessions.durability=full"};
  const auto careful = load_settings(flags, Environment());
  ASSERT_TRUE(careful) << careful.error().message;
  EXPECT_EQ(store_options(*careful).durability, Durability::full);
}

}  // namespace
}  // namespace wright::app
