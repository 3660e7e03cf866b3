#include "app/wiring/session_store.h"

#include <gtest/gtest.h>

#include <filesystem>

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

TEST(SessionStore, leaves_nothing_behind_when_sessions_are_kept_in_memory) {
  SettingFlags flags;
  flags.database_path = ":memory:";
  const auto settings = load_settings(flags, Environment());
  ASSERT_TRUE(settings) << settings.error().message;
  const auto store = open_store(*settings);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_TRUE((*store)->create_session({.agent_name = "a", .user_prompt = "Hi"}));
  const auto another = open_existing_store(*settings);
  ASSERT_TRUE(another) << another.error().message;
  EXPECT_EQ(*another, nullptr);
  EXPECT_TRUE(settings->entity_folder().empty());
  EXPECT_FALSE(std::filesystem::exists(":memory:"));
}

}  // namespace
}  // namespace wright::app
