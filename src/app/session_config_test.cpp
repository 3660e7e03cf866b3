#include "app/session_config.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>

namespace wright::app {
namespace {

const RecordedSession kRecorded{
    .agent = "codebase-analysis",
    .config = JsonObject{
        {"base_path", "/somewhere"}, {"database", "/somewhere/data.db"}, {"max_iterations", 7}}};

TEST(FlagsForReplay, take_folders_from_our_own_sessions_for_live_tools_only) {
  const SettingFlags live = flags_for_replay({}, kRecorded, ToolSource::live, RecordTrust::own);
  EXPECT_EQ(live.base_path, "/somewhere");
  EXPECT_EQ(live.database, "/somewhere/data.db");
  EXPECT_EQ(live.max_iterations, 7);
  const SettingFlags recorded =
      flags_for_replay({}, kRecorded, ToolSource::record, RecordTrust::own);
  EXPECT_FALSE(recorded.base_path);
  EXPECT_EQ(recorded.max_iterations, 7);
}

TEST(FlagsForReplay, never_let_a_file_choose_what_tools_may_read) {
  const SettingFlags flags =
      flags_for_replay({}, kRecorded, ToolSource::live, RecordTrust::foreign);
  EXPECT_FALSE(flags.base_path);
  EXPECT_FALSE(flags.database);
  EXPECT_EQ(flags.max_iterations, 7);
}

TEST(FlagsForReplay, leave_what_the_person_said) {
  SettingFlags said;
  said.base_path = "here";
  said.max_iterations = 3;
  const SettingFlags flags = flags_for_replay(said, kRecorded, ToolSource::live, RecordTrust::own);
  EXPECT_EQ(flags.base_path, "here");
  EXPECT_EQ(flags.max_iterations, 3);
}

TEST(FlagsForReplay, ignore_what_makes_no_sense) {
  for (const Json& config :
       {Json(nullptr), Json("x"), Json(JsonObject{{"max_iterations", 0}, {"base_path", 7}}),
        Json(JsonObject{{"max_iterations", "many"}}), Json(JsonObject{{"max_iterations", 1e9}})}) {
    const SettingFlags flags =
        flags_for_replay({}, {.config = config}, ToolSource::live, RecordTrust::own);
    EXPECT_FALSE(flags.max_iterations);
    EXPECT_FALSE(flags.base_path);
  }
}

TEST(PortableConfig, names_nothing_of_one_machine) {
  EXPECT_EQ(portable_config(kRecorded.config), (Json{{"max_iterations", 7}}));
  EXPECT_EQ(portable_config(nullptr), Json(nullptr));
}

}  // namespace
}  // namespace wright::app
