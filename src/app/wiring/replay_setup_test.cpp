#include "app/wiring/replay_setup.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace wright::app {
namespace {

const RecordedSession kRecorded{.agent = "codebase-analysis",
                                .config = JsonObject{{"base_path", "/tmp"},
                                                     {"database", "/somewhere/data.db"},
                                                     {"set", {"limits.tool_calls=3"}},
                                                     {"max_iterations", 7}}};

// What a replay goes by when the command line said `flags`.
Settings replayed_with(SettingFlags flags, const RecordedSession& recorded, ToolSource tools,
                       RecordTrust trust) {
  const Environment none;
  const auto given = load_settings(flags, none);
  return load_settings(flags_for_replay(given.value(), recorded, tools, trust), none).value();
}

TEST(FlagsForReplay, take_what_our_own_sessions_began_with) {
  for (const ToolSource tools : {ToolSource::live, ToolSource::record}) {
    const Settings settings = replayed_with({}, kRecorded, tools, RecordTrust::own);
    EXPECT_EQ(settings.base_path(), "/tmp");
    EXPECT_EQ(settings.database(), "/somewhere/data.db");
    EXPECT_EQ(settings.max_iterations(), 7);
    EXPECT_EQ(settings.count(keys::kLimitToolCalls), 3);
  }
}

TEST(FlagsForReplay, need_no_folder_where_nothing_is_executed) {
  const RecordedSession gone{.config = JsonObject{{"base_path", "/not/there"}}};
  EXPECT_EQ(replayed_with({}, gone, ToolSource::record, RecordTrust::own).base_path(), ".");
  EXPECT_EQ(replayed_with({}, gone, ToolSource::live, RecordTrust::own).base_path(), "/not/there");
}

TEST(FlagsForReplay, never_let_a_file_choose_what_tools_may_read) {
  const Settings settings = replayed_with({}, kRecorded, ToolSource::live, RecordTrust::foreign);
  EXPECT_EQ(settings.base_path(), ".");
  EXPECT_EQ(settings.database(), "");
  EXPECT_EQ(settings.count(keys::kLimitToolCalls), 0);
  EXPECT_EQ(settings.max_iterations(), 7);
}

TEST(FlagsForReplay, note_no_changes_of_live_tools_for_sessions_that_are_kept) {
  SettingFlags flags;
  flags.set = {"agent.undo=true"};
  for (const RecordTrust trust : {RecordTrust::own, RecordTrust::foreign}) {
    EXPECT_FALSE(replayed_with(flags, kRecorded, ToolSource::live, trust).flag(keys::kUndo));
  }
}

TEST(FlagsForReplay, leave_what_the_person_said_in_either_way) {
  SettingFlags flags;
  flags.base_path = "here";
  flags.max_iterations = 3;
  SettingFlags sets;
  sets.set = {"agent.base_path=here", "agent.max_iterations=3"};
  for (const SettingFlags& said : {flags, sets}) {
    const Settings settings = replayed_with(said, kRecorded, ToolSource::live, RecordTrust::own);
    EXPECT_EQ(settings.base_path(), "here");
    EXPECT_EQ(settings.max_iterations(), 3);
    EXPECT_EQ(settings.count(keys::kLimitToolCalls), 3);
  }
}

TEST(FlagsForReplay, give_a_cassette_the_editing_tools_that_it_had) {
  const auto writable = [](const RecordedSession& recorded, ToolSource tools,
                           SettingFlags flags = {}) {
    return replayed_with(std::move(flags), recorded, tools, RecordTrust::foreign).writable();
  };
  const std::vector<std::filesystem::path> here{"."};
  const RecordedSession wrote{.agent = "team", .config = JsonObject{{"may_write", true}}};
  const RecordedSession read{.agent = "coding", .config = JsonObject{{"may_write", false}}};
  const RecordedSession old{.agent = "coding", .config = JsonObject{{"max_iterations", 7}}};
  EXPECT_EQ(writable(wrote, ToolSource::record), here);
  EXPECT_EQ(writable(old, ToolSource::record), here);
  EXPECT_TRUE(writable(read, ToolSource::record).empty());
  EXPECT_TRUE(writable(kRecorded, ToolSource::record).empty());
  // A file does not say what may be written in earnest.
  EXPECT_TRUE(writable(wrote, ToolSource::live).empty());
  EXPECT_TRUE(writable(old, ToolSource::live).empty());
  SettingFlags said;
  said.set = {"agent.writable=src"};
  EXPECT_EQ(writable(wrote, ToolSource::record, said), (std::vector<std::filesystem::path>{"src"}));
}

TEST(FlagsForReplay, ignore_what_makes_no_sense) {
  for (const Json& config :
       {Json(nullptr), Json("x"), Json(JsonObject{{"max_iterations", 0}, {"base_path", 7}}),
        Json(JsonObject{{"max_iterations", "many"}, {"set", "agent.model=x"}}),
        Json(JsonObject{{"max_iterations", 1e9}, {"set", {1, nullptr}}})}) {
    const Settings settings =
        replayed_with({}, {.config = config}, ToolSource::live, RecordTrust::own);
    EXPECT_EQ(settings.max_iterations(), std::nullopt);
    EXPECT_EQ(settings.base_path(), ".");
    EXPECT_EQ(settings.model(), "offline");
  }
}

}  // namespace
}  // namespace wright::app
