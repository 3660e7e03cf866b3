// Agents of files: listed, shown, written, trusted and run by the real program.
#include <gtest/gtest.h>

#include <fstream>

#include "process.h"

namespace wright::cli {
namespace {

void write_agent(const std::filesystem::path& folder, const std::string& name,
                 std::string_view text) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name) << text;
}

std::filesystem::path user_agents(const Home& home) {
  return home.path() / ".config/wright/agents";
}
std::filesystem::path project_agents(const Home& home) {
  return home.project() / ".wright/agents";
}

const Json* find(const Json& list, std::string_view name) {
  for (const Json& each : list.as_array()) {
    if (each.at("name").as_string() == name) return &each;
  }
  return nullptr;
}

constexpr const char* kReader =
    "description = \"Reads.\"\ninstructions = \"Answer briefly.\"\n"
    "tools = [\"list_files\", \"read_file\", \"grep\"]\n";

TEST(AgentsCommand, writes_a_file_that_loads_and_runs) {
  const Home home;
  const Finished made = home.wright({"agents", "new", "My_Helper"});
  EXPECT_EQ(made.exit_code, 0) << made.error;
  EXPECT_EQ(made.output, (user_agents(home) / "my-helper.toml").string() + "\n");
  const Json list = home.wright({"agents", "--json"}).json();
  const Json* helper = find(list, "my-helper");
  ASSERT_NE(helper, nullptr);
  EXPECT_FALSE(helper->as_object().contains("error"));
  EXPECT_EQ(helper->at("source").as_string(), (user_agents(home) / "my-helper.toml").string());
  const Finished run =
      home.wright({"run", "my-helper", "Where is alpha_function defined?", "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_NE(run.output.find("alpha.cpp:2"), std::string::npos) << run.output;
}

TEST(AgentsCommand, never_overwrites_and_refuses_odd_names) {
  const Home home;
  ASSERT_EQ(home.wright({"agents", "new", "mine"}).exit_code, 0);
  for (const char* name : {"mine", "MINE", "codebase-analysis", "../x", "", "a b"}) {
    const Finished refused = home.wright({"agents", "new", name});
    EXPECT_EQ(refused.exit_code, 2) << name << refused.error;
    EXPECT_TRUE(refused.error.starts_with("wright: ")) << refused.error;
  }
  write_agent(user_agents(home), "broken.toml", "[[[");
  EXPECT_EQ(home.wright({"agents", "new", "broken"}).exit_code, 2);
}

TEST(AgentsCommand, lists_bad_files_with_line_and_key_beside_the_good_ones) {
  const Home home;
  write_agent(user_agents(home), "good.toml", kReader);
  write_agent(user_agents(home), "bad.toml", "instructions = \"x\"\ntols = []\n");
  const Finished list = home.wright({"agents"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_NE(list.output.find("bad.toml:2: tols: unknown key; did you mean 'tools'?"),
            std::string::npos)
      << list.output;
  EXPECT_NE(list.output.find("good"), std::string::npos);
  EXPECT_EQ(home.wright({"run", "good", "How many files are there?", "-q"}).exit_code, 0);
  const Finished refused = home.wright({"run", "bad", "x", "-q"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("bad.toml:2"), std::string::npos) << refused.error;
}

TEST(AgentsCommand, lets_no_agent_of_a_project_run_that_nobody_trusts) {
  const Home home;
  write_agent(project_agents(home), "theirs.toml", kReader);
  const Finished refused = home.wright({"run", "theirs", "How many files are there?", "-q"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("wright agents trust theirs"), std::string::npos) << refused.error;
  const Finished shown = home.wright({"agents", "show", "theirs"});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_NE(shown.output.find("Answer briefly."), std::string::npos) << shown.output;
  EXPECT_EQ(home.wright({"agents", "trust", "theirs"}).exit_code, 0);
  EXPECT_EQ(home.wright({"run", "theirs", "How many files are there?", "-q"}).exit_code, 0);
  write_agent(project_agents(home), "theirs.toml", std::string(kReader) + "# changed\n");
  EXPECT_EQ(home.wright({"run", "theirs", "How many files are there?", "-q"}).exit_code, 2);
}

TEST(AgentsCommand, trusts_only_what_needs_it) {
  const Home home;
  write_agent(user_agents(home), "mine.toml", kReader);
  for (const char* name : {"mine", "codebase-analysis", "nobody"}) {
    EXPECT_EQ(home.wright({"agents", "trust", name}).exit_code, 2) << name;
  }
}

TEST(AgentsCommand, permissions_of_a_file_only_tighten) {
  const Home home;
  home.write_config("[permissions]\n\"grep\" = \"deny\"\n");
  write_agent(
      user_agents(home), "mine.toml",
      std::string(kReader) + "[permissions]\n\"grep\" = \"allow\"\n\"read_file\" = \"deny\"\n");
  const Json run =
      home.wright({"run", "mine", "Where is alpha_function defined?", "--json", "-q"}).json();
  bool was_refused = false;
  for (const Json& call : run.at("tool_calls").as_array()) {
    if (call.at("name").as_string() != "grep") continue;
    EXPECT_EQ(call.at("status").as_string(), "failed");
    was_refused = true;
  }
  EXPECT_TRUE(was_refused) << to_text(run);
}

TEST(AgentsCommand, shows_one_as_json) {
  const Home home;
  EXPECT_EQ(home.wright({"agents", "show", "user-clarification", "--json"}).output,
            home.wright({"agents", "show", "requirements-gathering", "--json"}).output);
  const Json shown = home.wright({"agents", "show", "requirements_gathering", "--json"}).json();
  EXPECT_EQ(shown.at("name").as_string(), "requirements-gathering");
  EXPECT_EQ(shown.at("source").as_string(), "shipped");
  EXPECT_EQ(shown.at("parameters").at("max_tokens").as_int64(), 2000);
  EXPECT_EQ(home.wright({"agents", "show", "nobody"}).exit_code, 2);
}

TEST(RequirementsGathering, waits_at_its_questions) {
  const Home home;
  const Finished run = home.wright({"run", "requirements-gathering", "Build me a website"});
  EXPECT_EQ(run.exit_code, 3) << run.error;
  EXPECT_NE(run.error.find("What is the primary purpose of the website?"), std::string::npos)
      << run.error;
}

TEST(RequirementsGathering, takes_one_option_for_a_list_of_one_and_names_the_options_otherwise) {
  const Home home;
  ASSERT_EQ(home.wright({"run", "requirements-gathering", "Build me a website"}).exit_code, 3);
  const auto answer = [&](const std::string& sources) {
    return home.wright({"answer", "1", "--set", "purpose=A shop", "--set", "actors=Customers",
                        "--set", "data_sources=" + sources, "--set", "outcome=Order bicycles"});
  };
  const Finished wrong = answer("Mars");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.error.find("Choose from Database, "), std::string::npos) << wrong.error;
  ASSERT_EQ(answer("Database").exit_code, 0);
  const Finished resumed = home.wright({"resume", "1", "-q"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error;
  EXPECT_NE(resumed.output.find("Database"), std::string::npos) << resumed.output;
}

TEST(RequirementsGathering, writes_the_document_of_a_clear_request_at_once) {
  const Home home;
  const Finished run =
      home.wright({"run", "requirements-gathering", "-q",
                   "Every morning, read the new orders from our PostgreSQL database and e-mail a "
                   "summary to the sales team."});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_NE(run.output.find("## Data sources\n\n- Database (PostgreSQL): read"), std::string::npos)
      << run.output;
}

TEST(AgentFiles, name_tools_that_are_off_until_they_are_turned_on) {
  const Home home;
  std::filesystem::create_directories(home.path() / ".config/wright/agents");
  std::ofstream(home.path() / ".config/wright/agents/surfer.toml")
      << "instructions = 'Look it up.'\ntools = ['fetch_url', 'web_search']\n";
  const Finished off = home.wright({"run", "surfer", "hello"});
  EXPECT_EQ(off.exit_code, 2) << off.error;
  EXPECT_NE(off.error.find("uses fetch_url. It is off."), std::string::npos) << off.error;
  EXPECT_NE(off.error.find("--set web.fetch=true"), std::string::npos) << off.error;
  const Finished on = home.wright({"agents", "show", "surfer", "--json", "--set", "web.fetch=true",
                                   "--set", "web.search=https://search.example"});
  EXPECT_EQ(on.exit_code, 0) << on.error;
  EXPECT_EQ(on.json().at("tools"), (Json{"fetch_url", "web_search"})) << on.output;
}

}  // namespace
}  // namespace wright::cli
