#include "app/settings/agent_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "app/settings/agent_trust.h"
#include "app/settings/paths.h"
#include "app/wiring/known_agents.h"
#include "app/wiring/ready_agent.h"
#include "app/wiring/session_store.h"
#include "app/wiring/shipped.h"
#include "core/temporary_folder_testing.h"
#include "wright/driver.h"

namespace wright::app {
namespace {

class AgentFiles : public ::testing::Test {
 protected:
  AgentFiles() {
    project_ = home_ / "project";
    std::filesystem::create_directories(user_agents_folder(environment()));
    std::filesystem::create_directories(project_agents_folder(project_));
  }

  Environment environment(Environment::Variables more = {}) const {
    more["HOME"] = home_.path().string();
    return Environment(std::move(more));
  }
  void write_user(const std::string& name, std::string_view text) const {
    std::ofstream(user_agents_folder(environment()) / name) << text;
  }
  void write_project(const std::string& name, std::string_view text) const {
    std::ofstream(project_agents_folder(project_) / name) << text;
  }
  Settings settings(SettingFlags flags = {}) const {
    flags.base_path = project_.string();
    return load_settings(flags, environment()).value();
  }
  std::vector<AgentFile> files() const {
    return find_agent_files(settings(), environment(), tool_names(), agent_names());
  }
  void trust(const AgentFile& file) const {
    auto trusted = TrustedAgents::load(trusted_agents_file(environment()));
    ASSERT_TRUE(trusted);
    const auto added = trusted->add(file.path, file.content);
    ASSERT_TRUE(added) << added.error().message;
  }

  const TemporaryFolder home_;
  std::filesystem::path project_;
};

TEST_F(AgentFiles, a_bad_file_keeps_no_other_from_being_read) {
  write_user("b.toml", "instructions = 'x'\nnonsense = 1\n");
  write_user("a.toml", "instructions = 'x'\n");
  write_user("c.toml", "not toml at all");
  write_user("notes.md", "ignored");
  write_user(".hidden.toml", "ignored");
  mkfifo((user_agents_folder(environment()) / "pipe.toml").c_str(), 0600);
  const auto found = files();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].obstacle, "");
  EXPECT_NE(found[1].obstacle.find("b.toml:2: nonsense: unknown key"), std::string::npos);
  EXPECT_FALSE(found[2].definition);
}

TEST_F(AgentFiles, a_file_with_an_odd_name_is_no_agent_and_listed_plainly) {
  write_project("$(sh<a).toml", "instructions = 'x'\n");
  write_project("`id`.toml", "name = '$(touch x)'\ninstructions = 'x'\n");
  const auto found = files();
  ASSERT_EQ(found.size(), 2U);
  for (const AgentFile& file : found) {
    EXPECT_FALSE(file.definition);
    EXPECT_EQ(file.name.find_first_of("$`()<> "), std::string::npos) << file.name;
  }
}

TEST_F(AgentFiles, no_file_takes_the_name_of_another_agent) {
  write_user("codebase-analysis.toml", "instructions = 'x'\n");
  write_user("mine.toml", "instructions = 'x'\n");
  write_project("theirs.toml", "name = 'Mine'\ninstructions = 'evil'\n");
  const auto found = files();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NE(found[0].obstacle.find("another agent 'codebase-analysis'"), std::string::npos);
  EXPECT_EQ(found[1].obstacle, "");
  EXPECT_NE(found[2].obstacle.find("another agent 'mine'"), std::string::npos);
}

TEST_F(AgentFiles, an_agent_of_the_project_runs_only_when_it_is_trusted_and_unchanged) {
  write_project("helper.toml", "instructions_file = 'helper.md'\n");
  write_project("helper.md", "Be brief.");
  ASSERT_EQ(files().size(), 1U);
  EXPECT_NE(files()[0].obstacle.find("is not trusted"), std::string::npos);
  trust(files()[0]);
  EXPECT_EQ(files()[0].obstacle, "");
  write_project("helper.md", "Be evil.");
  EXPECT_NE(files()[0].obstacle.find("is not trusted"), std::string::npos);
  trust(files()[0]);
  EXPECT_EQ(files()[0].obstacle, "");
  write_project("helper.toml", "instructions_file = 'helper.md'\ntools = ['bash']\n");
  EXPECT_NE(files()[0].obstacle.find("is not trusted"), std::string::npos);
}

TEST_F(AgentFiles, a_damaged_record_trusts_nobody) {
  write_project("helper.toml", "instructions = 'x'\n");
  trust(files()[0]);
  struct stat status {};
  ASSERT_EQ(stat(trusted_agents_file(environment()).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  std::ofstream(trusted_agents_file(environment())) << "[broken";
  EXPECT_NE(files()[0].obstacle.find("is damaged"), std::string::npos);
}

TEST_F(AgentFiles, only_one_is_primary_and_disabled_ones_do_not_run) {
  write_user("a.toml", "instructions = 'x'\nprimary = true\n");
  write_user("b.toml", "instructions = 'x'\nprimary = true\n");
  write_user("c.toml", "instructions = 'x'\nenabled = false\n");
  const auto found = files();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].obstacle, "");
  EXPECT_NE(found[1].obstacle.find("'a' is primary already"), std::string::npos);
  EXPECT_NE(found[2].obstacle.find("not enabled"), std::string::npos);
}

TEST_F(AgentFiles, become_agents_and_what_is_said_for_this_run_wins) {
  write_user("a.toml", R"(
instructions = "Be brief."
model = "openai:gpt-5-mini"
tools = ["grep", "ask_user"]
specialists = ["sqlite_analysis"]
[parameters]
temperature = 0.25
max_tokens = 321
[limits]
max_iterations = 7
context_tokens = 9000
[permissions]
"grep" = "ask"
)");
  const Models models{ModelsOptions{}};
  const Settings usual = settings();
  const auto chosen = KnownAgents(usual, models, environment()).choose("A");
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(chosen->model, "openai:gpt-5-mini");
  EXPECT_EQ(chosen->agent.name, "a");
  EXPECT_EQ(chosen->agent.instructions, "Be brief.");
  ASSERT_EQ(chosen->agent.tools.size(), 3U);
  EXPECT_EQ(chosen->agent.tools[0].spec.name, "grep");
  EXPECT_EQ(chosen->agent.tools[2].spec.name, "search_session") << "its window is small";
  EXPECT_EQ(chosen->agent.sampling.temperature, 0.25);
  EXPECT_EQ(chosen->agent.sampling.max_tokens, 321);
  EXPECT_EQ(chosen->agent.limits.max_iterations, 7);
  EXPECT_EQ(chosen->agent.context_tokens, 9'000);
  EXPECT_EQ(chosen->own.permissions.size(), 1U);
  const auto ready = with_specialists(*chosen, KnownAgents(usual, models, environment()));
  ASSERT_TRUE(ready) << ready.error().message;
  EXPECT_EQ(ready->specialists.at(0).chosen.agent.name, "sqlite-analysis");

  SettingFlags flags;
  flags.model = "offline";
  flags.max_iterations = 2;
  const Settings said = settings(flags);
  const auto other = KnownAgents(said, models, environment()).choose("a");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->model, "offline");
  EXPECT_EQ(other->agent.limits.max_iterations, 2);
  EXPECT_EQ(other->agent.sampling.max_tokens, 321);
}

TEST_F(AgentFiles, name_the_one_to_talk_with) {
  EXPECT_EQ(default_agent(settings(), environment()), "codebase-analysis");
  write_user("b.toml", "instructions = 'x'\n");
  write_user("c.toml", "instructions = 'x'\nprimary = true\n");
  EXPECT_EQ(default_agent(settings(), environment()), "c");
  write_user("c.toml", "instructions = 'x'\nprimary = true\nenabled = false\n");
  EXPECT_EQ(default_agent(settings(), environment()), "codebase-analysis");
}

TEST_F(AgentFiles, say_what_they_lack) {
  write_user("a.toml", "instructions = 'x'\ntools = ['write_file']\n");
  write_user("b.toml", "instructions = 'x'\nspecialists = ['nobody']\n");
  const Models models{ModelsOptions{}};
  const Settings usual = settings();
  const KnownAgents agents(usual, models, environment());
  const auto unwritable = agents.choose("a");
  ASSERT_FALSE(unwritable);
  EXPECT_NE(unwritable.error().message.find("agent.writable"), std::string::npos);
  const auto lonely = agents.choose("b");
  ASSERT_TRUE(lonely);
  const auto ready = with_specialists(*lonely, agents);
  ASSERT_FALSE(ready);
  EXPECT_NE(ready.error().message.find("a specialist of b: unknown agent 'nobody'"),
            std::string::npos);
  EXPECT_NE(agents.choose("codebase-analysys").error().message.find("did you mean"),
            std::string::npos);
}

TEST_F(AgentFiles, that_are_named_by_their_path_are_told_where_they_belong) {
  const std::filesystem::path file =
      std::filesystem::path(::testing::TempDir()) / "painter-by-path.toml";
  std::ofstream(file) << "instructions = 'x'\n";
  const Models models{ModelsOptions{}};
  const Settings usual = settings();
  const KnownAgents agents(usual, models, environment());
  const auto refused = agents.choose(file.string());
  std::filesystem::remove(file);
  const auto gone = agents.choose(file.string());
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::not_found);
  EXPECT_NE(gone.error().message.find("there is no file '" + file.string() + "'"),
            std::string::npos)
      << gone.error().message;
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message.find(".wright/agents"), std::string::npos);
  EXPECT_NE(refused.error().message.find("name it: 'painter-by-path'"), std::string::npos);
}

TEST_F(AgentFiles, go_without_a_specialist_that_may_not_run_and_say_so) {
  write_user("a.toml", "instructions = 'x'\nspecialists = ['b', 'c', 'd']\n");
  write_user("b.toml", "instructions = 'x'\nenabled = false\n");
  write_user("c.toml", "instructions = 'x'\n");
  write_user("d.toml", "instructions = 'x'\ntools = ['write_file']\n");
  const Models models{ModelsOptions{}};
  const Settings usual = settings();
  const KnownAgents agents(usual, models, environment());
  const auto ready = with_specialists(agents.choose("a").value(), agents);
  ASSERT_TRUE(ready) << ready.error().message;
  ASSERT_EQ(ready->specialists.size(), 1U);
  EXPECT_EQ(ready->specialists.front().chosen.agent.name, "c");
  ASSERT_EQ(ready->notes.size(), 2U);
  EXPECT_EQ(ready->notes[0],
            "a goes without its specialist b: the agent b does not run: it is not enabled");
  EXPECT_NE(ready->notes[1].find("agent.writable"), std::string::npos) << ready->notes[1];
}

TEST_F(AgentFiles, search_their_sessions_where_a_cut_is_likely_or_the_settings_say_so) {
  write_user("small.toml", "instructions = 'x'\n[limits]\ncontext_tokens = 9000\n");
  write_user("large.toml", "instructions = 'x'\n[limits]\ncontext_tokens = 200000\n");
  const Models models{ModelsOptions{}};
  const auto searches = [&](const char* name, std::vector<std::string> set) {
    SettingFlags flags;
    flags.set = std::move(set);
    const Settings said = settings(flags);
    const auto chosen = KnownAgents(said, models, environment()).choose(name);
    EXPECT_TRUE(chosen) << chosen.error().message;
    return chosen && std::ranges::count_if(chosen->agent.tools, [](const Tool& tool) {
                       return tool.spec.name == "search_session";
                     }) == 1;
  };
  EXPECT_TRUE(searches("small", {}));
  EXPECT_FALSE(searches("large", {}));
  EXPECT_FALSE(searches("codebase-analysis", {}));
  EXPECT_TRUE(searches("codebase-analysis", {"agent.context_tokens=8000"}));
  EXPECT_TRUE(searches("large", {"sessions.search=on"}));
  EXPECT_FALSE(searches("small", {"sessions.search=off"}));
  EXPECT_FALSE(searches("small", {"sessions.store=:memory:"})) << "nothing could be searched";
}

TEST_F(AgentFiles, find_what_was_said_in_the_store_of_the_settings) {
  write_user("small.toml", "instructions = 'x'\n[limits]\ncontext_tokens = 9000\n");
  const Models models{ModelsOptions{}};
  const Settings usual = settings();
  Agent agent = KnownAgents(usual, models, environment()).choose("small").value().agent;
  const ToolCall call{"s", "search_session", R"({"query": "door code"})"};
  EXPECT_TRUE(execute(agent, call, {.session_id = 1}).result.is_error) << "there is no store yet";
  agent.model = model_from("test", "m", [](const Request&, const ModelCall&) -> Result<Response> {
    return Response{.content = {Text{"I see."}}};
  });
  const auto store = open_store(usual).value();
  const auto answer = run(*store, agent, "The code of the door is 4711");
  ASSERT_TRUE(answer) << answer.error().message;
  const ToolResult found = execute(agent, call, {.session_id = answer->session_id}).result;
  EXPECT_NE(found.content.find("4711"), std::string::npos) << found.content;
}

TEST_F(AgentFiles, have_tools_of_the_vendor_by_their_file_or_by_the_settings) {
  write_user(
      "own.toml",
      "instructions = 'x'\n[parameters]\nvendor_tools = ['web_search', {type = 'x', n = 1}]\n");
  write_user("plain.toml", "instructions = 'x'\n");
  const Models models{ModelsOptions{}};
  const auto tools_of = [&](const char* name, std::vector<std::string> set) {
    SettingFlags flags;
    flags.set = std::move(set);
    const Settings said = settings(flags);
    const auto chosen = KnownAgents(said, models, environment()).choose(name);
    EXPECT_TRUE(chosen) << chosen.error().message;
    std::string all;
    for (const Json& each : chosen->agent.sampling.vendor_tools) all += to_text(each);
    return all;
  };
  EXPECT_EQ(tools_of("own", {}), R"("web_search"{"n":1,"type":"x"})");
  EXPECT_EQ(tools_of("own", {"agent.vendor_tools=code_execution"}), R"("code_execution")");
  EXPECT_EQ(tools_of("plain", {}), "");
  EXPECT_EQ(tools_of("codebase-analysis", {"agent.vendor_tools=web_search"}), R"("web_search")");
}

TEST_F(AgentFiles, may_name_every_tool_that_can_be_made) {
  SettingFlags flags;
  flags.set = {"agent.writable=.", "web.fetch=true", "web.search=https://search.example"};
  const auto tools = make_tools(settings(flags));
  ASSERT_TRUE(tools) << tools.error().message;
  std::vector<std::string> names;
  for (const Tool& tool : *tools) names.push_back(tool.spec.name);
  EXPECT_EQ(names, tool_names());
}

TEST_F(AgentFiles, may_use_any_name_of_a_tool) {
  write_user("a.toml", "instructions = 'x'\ntools = ['sqlite3_reader', 'fetch']\n");
  const auto found = files();
  ASSERT_EQ(found.size(), 1U);
  ASSERT_TRUE(found[0].definition) << found[0].definition.error().message;
  EXPECT_EQ(found[0].definition->tools, (std::vector<std::string>{"sqlite_reader", "fetch_url"}));
}

}  // namespace
}  // namespace wright::app
