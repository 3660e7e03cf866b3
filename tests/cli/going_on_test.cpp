// Going on with what one began: with the model, the settings and the tools of then, in the folder
// of then.
#include <gtest/gtest.h>
#include <boost/json/array.hpp>

#include <fstream>

#include "process.h"
#include "state.h"

namespace wright::cli {
namespace {

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// An agent of one's own whose file names a model, in a home whose settings name another. Nobody
// listens where `gw` is said to be.
class GoingOn : public testing::Test {
 protected:
  GoingOn() {
    home_.write_config(
        "[agent]\nmodel = 'gw:m'\n[http]\nretries = 0\n[vendors.gw]\nprotocol = 'openai-chat'\n"
        "base_url = 'http://127.0.0.1:1/v1'\n");
    write_agent("Be brief.", "offline", "'list_files', 'read_file'");
  }

  void write_agent(const std::string& instructions, const std::string& model,
                   const std::string& tools, const std::string& more = {}) const {
    const auto folder = home_.path() / ".config/wright/agents";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "helper.toml") << "instructions = '" << instructions << "'\nmodel = '"
                                          << model << "'\ntools = [" << tools << "]\n"
                                          << more;
  }

  // Session 1.
  void begin(Arguments more = {}) const {
    Arguments arguments{"run", "helper", "Show alpha.cpp"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished begun = home_.wright(arguments);
    ASSERT_EQ(begun.exit_code, 0) << begun.error;
    ASSERT_TRUE(says(begun.output, "alpha_function")) << begun.output;
  }

  Finished in(const std::filesystem::path& folder, const Arguments& arguments,
              std::string_view input) const {
    std::filesystem::create_directories(folder);
    Process process(arguments, home_.environment, folder, Streams::pipes);
    process.write(input);
    process.close_input();
    return process.finish();
  }

  // As if the process had ended before the last answer.
  void interrupt() const {
    change(home_.database(),
           "DELETE FROM agent_messages WHERE id = (SELECT max(id) FROM agent_messages);"
           "UPDATE agent_sessions SET status = 'running', result = NULL, ended_at = NULL");
  }

  Home home_;
};

TEST_F(GoingOn, keeps_the_model_of_the_agents_file) {
  begin();
  for (const Arguments& how : {Arguments{"chat", "--continue"}, Arguments{"chat", "--session", "1"},
                               Arguments{"chat", "helper", "--continue"}}) {
    const Finished again = home_.wright(how, "Show alpha.cpp\n");
    EXPECT_EQ(again.exit_code, 0) << again.error;
    EXPECT_TRUE(says(again.output, "alpha_function")) << again.output << again.error;
    EXPECT_TRUE(says(again.error, "helper  offline")) << again.error;
  }
  interrupt();
  const Finished resumed = home_.wright({"resume", "1"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error;
  EXPECT_TRUE(says(resumed.error, "helper  offline")) << resumed.error;
}

TEST_F(GoingOn, never_falls_back_to_the_model_of_the_settings) {
  home_.write_config(
      "[http]\nretries = 0\n[vendors.gw]\nprotocol = 'openai-chat'\n"
      "base_url = 'http://127.0.0.1:1/v1'\n");
  write_agent("Be brief.", "gw:m", "'list_files'");
  EXPECT_EQ(home_.wright({"run", "helper", "hello"}).exit_code, 1);
  for (const auto& [how, input] : std::vector<std::pair<Arguments, std::string>>{
           {{"resume", "1"}, ""}, {{"chat", "--continue"}, "again\n"}}) {
    const Finished again = home_.wright(how, input);
    EXPECT_EQ(again.exit_code, 1) << again.output << again.error;
    EXPECT_EQ(again.output, "");
    EXPECT_TRUE(says(again.error, "helper  gw:m")) << again.error;
  }
}

TEST_F(GoingOn, says_what_has_changed_and_keeps_what_was) {
  begin();
  write_agent("Be long.", "gw:m", "'list_files', 'grep'");
  const Finished kept = home_.wright({"chat", "--continue"}, "Which files are here?\n");
  EXPECT_EQ(kept.exit_code, 0) << kept.error;
  EXPECT_TRUE(says(kept.error,
                   "helper has changed since this session began: model of helper (gw:m), "
                   "instructions of helper, also grep. The session goes on as it began"))
      << kept.error;
  EXPECT_TRUE(says(kept.error, "goes on without read_file")) << kept.error;
  const Finished tools = home_.wright({"chat", "--continue"}, "/tools\n");
  EXPECT_TRUE(says(tools.output, "list_files")) << tools.output;
  EXPECT_FALSE(says(tools.output, "grep")) << tools.output;

  const Finished now = home_.wright({"chat", "--continue", "--refresh"}, "/tools\n");
  EXPECT_TRUE(says(now.error, "helper  gw:m")) << now.error;
  EXPECT_FALSE(says(now.error, "has changed")) << now.error;
  EXPECT_TRUE(says(now.output, "grep")) << now.output;
}

TEST_F(GoingOn, lets_the_command_line_name_another_model) {
  begin();
  for (const Arguments& said : {Arguments{"--model", "gw:n"}, {"--set", "agent.model=gw:n"}}) {
    Arguments arguments{"chat", "--continue"};
    arguments.insert(arguments.end(), said.begin(), said.end());
    const Finished other = home_.wright(arguments, "/model\n");
    EXPECT_EQ(other.output, "  gw:n\n");
    EXPECT_TRUE(says(other.error, "wright chat --session 1 --model gw:n")) << other.error;
  }
}

TEST_F(GoingOn, keeps_what_was_said_on_the_command_line) {
  home_.write_file("other.toml", "[agent]\nmodel = 'gw:m'\nwritable = ['.']\n");
  write_agent("Be brief.", "offline", "'list_files', 'read_file', 'write_file'");
  begin({"--config", "other.toml", "--set", "permissions.write_file=deny"});
  const Finished again = home_.wright({"chat", "--session", "1"}, "/tools\n");
  EXPECT_EQ(again.exit_code, 0) << again.error;
  EXPECT_TRUE(says(again.output, "write_file")) << again.output << again.error;
  const Json config =
      home_.wright({"sessions", "show", "1", "--json"}).json().at("session").at("config");
  EXPECT_EQ(config.at("set").at(0), Json("permissions.write_file=deny"));
}

TEST_F(GoingOn, goes_without_a_specialist_that_was_turned_off) {
  std::ofstream(home_.path() / ".config/wright/agents/idle.toml")
      << "instructions = 'x'\nenabled = false\n";
  write_agent("Be brief.", "offline", "'list_files', 'read_file'", "specialists = ['idle']\n");
  const Finished run = home_.wright({"run", "helper", "Show alpha.cpp"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_TRUE(says(run.error,
                   "helper goes without its specialist idle: the agent idle does not "
                   "run: it is not enabled"))
      << run.error;
}

TEST_F(GoingOn, replays_agents_of_files_as_they_are_now) {
  begin();
  const Finished same = home_.wright({"replay", "1"});
  EXPECT_EQ(same.exit_code, 0) << same.output << same.error;
  EXPECT_FALSE(says(same.error, "is not known here")) << same.error;
  EXPECT_EQ(home_.wright({"replay", "1", "--live-tools"}).exit_code, 0);
  write_agent("Be long.", "offline", "'list_files', 'read_file'");
  const Finished changed = home_.wright({"replay", "1"});
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_TRUE(says(changed.output, "the instructions of helper")) << changed.output;
  EXPECT_TRUE(says(changed.output, "-Be brief.")) << changed.output;
}

TEST_F(GoingOn, replays_with_what_set_says) {
  begin();
  EXPECT_EQ(home_.wright({"replay", "1"}).exit_code, 0);
  const Finished fewer = home_.wright({"replay", "1", "--set", "agent.max_iterations=1"});
  EXPECT_EQ(fewer.exit_code, 1) << fewer.output;
  EXPECT_TRUE(says(fewer.output, "Session 1 differs")) << fewer.output;
}

TEST_F(GoingOn, belongs_to_the_folder_one_stands_in) {
  begin();
  const auto other = home_.path() / "other";
  const Finished offered = in(other, {"chat", "--continue"}, "Show alpha.cpp\n");
  EXPECT_EQ(offered.exit_code, 1);
  EXPECT_EQ(offered.output, "");
  EXPECT_TRUE(says(offered.error,
                   "there is no session of this folder yet. The newest is session 1 "
                   "of ~/project: `wright chat --session 1` goes on with it"))
      << offered.error;
  EXPECT_EQ(in(other, {"chat", "--session", "1"}, "Show alpha.cpp\n").exit_code, 0);
  // A newer one elsewhere does not come between.
  EXPECT_EQ(in(other, {"run", "helper", "Which files are here?"}, "").exit_code, 0);
  const Finished here = home_.wright({"chat", "--continue"}, "Show alpha.cpp\n");
  EXPECT_TRUE(says(here.error, "session 1")) << here.error;
}

TEST_F(GoingOn, leaves_interrupted_sessions_of_other_folders_alone) {
  begin();
  interrupt();
  const auto other = home_.path() / "other";
  const Finished elsewhere = in(other, {"run", "helper", "Which files are here?"}, "");
  EXPECT_EQ(elsewhere.exit_code, 0) << elsewhere.error;
  EXPECT_TRUE(says(elsewhere.error,
                   "Session 1 of ~/project was interrupted: `wright resume 1` goes on with it."))
      << elsewhere.error;
  const Finished here = home_.wright({"run", "helper", "Which files are here?"});
  EXPECT_TRUE(says(here.error, "Session 1 was interrupted, and goes on now.")) << here.error;
}

}  // namespace
}  // namespace wright::cli
