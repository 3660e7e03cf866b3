#include "app/wiring/session_store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "app/settings/store_place.h"
#include "core/temporary_folder_testing.h"

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

TEST(SessionStore, leaves_databases_of_other_programs_alone) {
  const TemporaryFolder folder;
  const std::string path = folder / "shop.db";
  sqlite3* shop = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &shop), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(shop, "CREATE TABLE orders (id)", nullptr, nullptr, nullptr), SQLITE_OK);
  SettingFlags flags;
  flags.database_path = path;
  const auto settings = load_settings(flags, Environment());
  ASSERT_TRUE(settings) << settings.error().message;
  const auto refused = open_store(*settings);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("another program"), std::string::npos);
  EXPECT_FALSE(open_existing_store(*settings));
  EXPECT_FALSE(has_agent_schema(shop).value());
  // Whoever has put Wright's tables there wants them there.
  ASSERT_TRUE(run_agent_migrations(shop));
  sqlite3_close(shop);
  EXPECT_TRUE(open_store(*settings));
}

TEST(SessionStore, is_no_postgres_in_the_form_that_shows_passwords) {
  for (const char* place : {"host=db user=w password=secret", " dbname = w", "password=secret",
                            "application_name=x password=secret"}) {
    const auto refused = store_place_from(place, Environment());
    ASSERT_FALSE(refused) << place;
    EXPECT_EQ(refused.error().message.find("secret"), std::string::npos);
    SettingFlags flags;
    flags.store = place;
    const auto settings = load_settings(flags, Environment());
    if (settings) continue;
    EXPECT_EQ(settings.error().message.find("secret"), std::string::npos)
        << settings.error().message;
  }
  EXPECT_TRUE(store_place_from("/tmp/a=b.db", Environment()));
  EXPECT_TRUE(store_place_from("sqlite:host=db", Environment()));
}

}  // namespace
}  // namespace wright::app
