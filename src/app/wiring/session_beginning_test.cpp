#include "app/wiring/session_beginning.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace wright::app {
namespace {

Settings settings_with(const SettingFlags& flags) {
  return load_settings(flags, Environment()).value();
}

ReadyAgent reviewer() {
  ReadyAgent ready;
  ready.chosen.model = "gw:m";
  ready.chosen.agent.name = "reviewer";
  ready.chosen.agent.sampling.temperature = 0.5;
  ready.chosen.agent.sampling.reasoning = ReasoningEffort::low;
  ready.chosen.agent.sampling.stop_sequences = {"END"};
  ready.chosen.agent.sampling.tool_choice = ToolChoice::one("grep");
  ready.chosen.agent.sampling.response_format = {
      .kind = ResponseFormat::Kind::json_schema, .name = "review", .schema = {{"type", "object"}}};
  ready.chosen.agent.sampling.vendor_tools = {"web_search", {{"type", "x"}}};
  ready.chosen.agent.limits.max_iterations = 4;
  ready.chosen.agent.tools.emplace_back().spec.name = "grep";
  ReadyAgent specialist;
  specialist.chosen.model = "gw:small";
  specialist.chosen.agent.name = "reader";
  specialist.chosen.agent.instructions = "Read.";
  ready.specialists.push_back(std::move(specialist));
  return ready;
}

TEST(SessionConfig, tells_what_its_agent_ran_with) {
  SettingFlags flags;
  flags.base_path = "/tmp/.";
  const Session session{.agent_name = "reviewer",
                        .provider = "gw",
                        .model = "m",
                        .system_prompt = "Be brief.",
                        .config = session_config(reviewer(), settings_with(flags))};
  const AgentAtBeginning agent = agent_at_beginning(session);
  EXPECT_EQ(agent.name, "reviewer");
  EXPECT_EQ(agent.model, "gw:m");
  EXPECT_EQ(agent.instructions, "Be brief.");
  EXPECT_EQ(agent.tools, (std::vector<std::string>{"grep"}));
  EXPECT_EQ(agent.max_iterations, 4);
  EXPECT_EQ(agent.sampling, reviewer().chosen.agent.sampling);
  ASSERT_EQ(agent.specialists.size(), 1U);
  EXPECT_EQ(agent.specialists.front().model, "gw:small");
  EXPECT_EQ(agent.specialists.front().instructions, "Read.");
  EXPECT_EQ(folder_of(session), "/tmp");
}

TEST(SessionConfig, gives_back_what_was_said_and_no_more) {
  SettingFlags flags;
  flags.model = "gw:m";
  flags.log_level = "debug";
  flags.set = {"limits.tool_calls=3", "log.format=json", "permissions.bash=deny"};
  const Settings settings = settings_with(flags);
  const Json config = session_config(reviewer(), settings);
  SettingFlags now;
  now.set = {"limits.tool_calls=9", "permissions.bash=ask"};
  const SettingFlags again = flags_as_begun(config, now, settings);
  EXPECT_FALSE(again.model);
  EXPECT_FALSE(again.log_level);
  const Settings resolved = settings_with(again);
  EXPECT_EQ(resolved.model(), "gw:m");
  EXPECT_EQ(resolved.text(keys::kLogFormat), "text");
  EXPECT_EQ(resolved.count(keys::kLimitToolCalls), 9) << "what is said now counts";
  ASSERT_EQ(resolved.permissions().size(), 2U);
  EXPECT_EQ(resolved.permissions().front().permission, intercept::Permission::ask);
}

TEST(SessionConfig, holds_no_password) {
  SettingFlags flags;
  flags.set = {"web.proxy=http://ann:pw@proxy.example:3128", "limits.tool_calls=3"};
  const Json config = session_config(reviewer(), settings_with(flags));
  EXPECT_EQ(config.at("set"), Json(JsonArray{"limits.tool_calls=3"}));
}

TEST(SessionConfig, of_older_versions_named_another_model_than_the_one_that_ran) {
  Session session{.agent_name = "reviewer",
                  .provider = "gw",
                  .model = "m",
                  .config = JsonObject{{"agent", "reviewer"}, {"model", "offline"}}};
  EXPECT_EQ(agent_at_beginning(session).model, "gw:m");
  session.provider = "offline";
  session.model = "planner";
  EXPECT_EQ(agent_at_beginning(session).model, "offline");
}

TEST(SessionConfig, that_is_damaged_says_nothing) {
  for (const Json& config : {Json(nullptr), Json("x"), Json(JsonArray{1}),
                             Json(JsonObject{{"tools", 1}, {"set", 1}, {"specialists", 1}})}) {
    const Session session{.agent_name = "a", .config = config};
    EXPECT_EQ(agent_at_beginning(session).name, "a");
    EXPECT_FALSE(agent_at_beginning(session).tools);
    EXPECT_TRUE(folder_of(session).empty());
  }
}

TEST(PortableConfig, names_nothing_of_one_machine) {
  const Json config{{"base_path", "/somewhere"},
                    {"database", "/x.db"},
                    {"set", {"a=b"}},
                    {"config", "/y.toml"},
                    {"max_iterations", 7}};
  EXPECT_EQ(portable_config(config), (Json{{"max_iterations", 7}}));
  EXPECT_EQ(portable_config(nullptr), Json(nullptr));
}

TEST(PortableConfig, tells_whether_files_could_be_changed) {
  const Json reader{{"tools", {"grep"}}};
  const Json writer{{"tools", {"grep", "write_file"}}};
  const Json above{{"tools", {"grep"}}, {"specialists", JsonArray{reader, writer}}};
  EXPECT_EQ(portable_config(reader), (Json{{"may_write", false}}));
  EXPECT_EQ(portable_config(writer), (Json{{"may_write", true}}));
  EXPECT_EQ(portable_config(above), (Json{{"may_write", true}}));
  EXPECT_EQ(portable_config(portable_config(above)), portable_config(above));
}

}  // namespace
}  // namespace wright::app
