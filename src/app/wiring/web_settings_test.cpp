#include "app/wiring/web_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/wiring/shipped.h"

namespace wright::app {
namespace {

Settings settings_with(std::vector<std::string> set) {
  SettingFlags flags;
  flags.set = std::move(set);
  auto settings = load_settings(flags, Environment());
  EXPECT_TRUE(settings) << settings.error().message;
  return std::move(*settings);
}

Result<std::vector<Tool>> tools_with(std::vector<std::string> set) {
  return web_tools(settings_with(std::move(set)));
}

std::string problem_with(std::vector<std::string> set) {
  const auto tools = tools_with(std::move(set));
  return tools ? "accepted" : tools.error().message;
}

TEST(WebSettings, leave_both_tools_off_unless_they_are_turned_on) {
  EXPECT_TRUE(tools_with({})->empty());
  EXPECT_TRUE(tools_with({"web.allow=localhost", "web.fetch=false"})->empty());
  const auto fetch = tools_with({"web.fetch=true"});
  ASSERT_EQ(fetch->size(), 1U);
  EXPECT_EQ(fetch->at(0).spec.name, "fetch_url");
  const auto search = tools_with({"web.search=https://searx.example/search"});
  ASSERT_EQ(search->size(), 1U);
  EXPECT_EQ(search->at(0).spec.name, "web_search");
}

TEST(WebSettings, give_agents_what_is_turned_on) {
  const auto has_fetch = [](std::vector<std::string> set) {
    const auto agent = make_agent("codebase-analysis", settings_with(std::move(set)), {});
    return std::ranges::any_of(agent->agent.tools,
                               [](const Tool& tool) { return tool.spec.name == "fetch_url"; });
  };
  EXPECT_FALSE(has_fetch({}));
  EXPECT_TRUE(has_fetch({"web.fetch=true"}));
}

TEST(WebSettings, name_the_key_whose_value_is_wrong) {
  EXPECT_EQ(problem_with({"web.fetch=true", "web.ports=80, https"}),
            "web.ports must be numbers from 1 to 65535, or any, not 'https'");
  for (const char* ports :
       {"web.ports=0", "web.ports=65536", "web.ports=-1", "web.ports=80x", "web.ports=80, any"}) {
    EXPECT_NE(problem_with({"web.fetch=true", ports}), "accepted") << ports;
  }
  EXPECT_EQ(problem_with({"web.fetch=true", "web.ports=any"}), "accepted");
  EXPECT_TRUE(problem_with({"web.fetch=true", "web.allow=10.0.0.1/8"})
                  .starts_with("web.allow: '10.0.0.1/8' is neither"));
  EXPECT_TRUE(
      problem_with({"web.search=searx.example"}).starts_with("web.search: 'searx.example'"));
}

}  // namespace
}  // namespace wright::app
