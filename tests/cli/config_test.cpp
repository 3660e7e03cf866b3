// `wright config`, and what a bad configuration does to every command.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "process.h"

namespace wright::cli {
namespace {

Json value_of(const Home& home, std::string_view key, Arguments more = {}) {
  more.insert(more.begin(), {"config", "--json"});
  const Json json = home.wright(more).json();
  for (const Json& value : json.at("values").as_array()) {
    if (value.at("key").as_string() == key) return value;
  }
  ADD_FAILURE() << "no " << key;
  return {};
}

TEST(ConfigCommand, says_where_each_value_came_from) {
  Home home;
  const Json fallback = value_of(home, "agent.model");
  EXPECT_EQ(fallback.at("value").as_string(), "offline");
  EXPECT_EQ(fallback.at("source").as_string(), "default");

  home.write_config("[agent]\nmodel = \"from:file\"\n");
  const Json from_file = value_of(home, "agent.model");
  EXPECT_EQ(from_file.at("value").as_string(), "from:file");
  EXPECT_EQ(from_file.at("place").as_string(), home.config_file().string() + ":2");

  home.environment["WRIGHT_MODEL"] = "from:environment";
  EXPECT_EQ(value_of(home, "agent.model").at("place").as_string(), "WRIGHT_MODEL");
  const Json from_flag = value_of(home, "agent.model", {"--model", "from:flag"});
  EXPECT_EQ(from_flag.at("value").as_string(), "from:flag");
  EXPECT_EQ(from_flag.at("source").as_string(), "flag");

  const Finished text = home.wright({"config"});
  EXPECT_NE(text.output.find("environment WRIGHT_MODEL"), std::string::npos) << text.output;
}

TEST(ConfigCommand, never_prints_a_secret) {
  Home home;
  home.write_config(
      "[web]\nproxy = \"http://ann:pw-0123456789@proxy.example:3128\"\n"
      "[api_keys]\nopenai_api_key = \"sk-file-0123456789abcdef-c3f2\"\n");
  home.environment["XAI_API_KEY"] = "xai-0123456789abcdef0123456789-9999";
  for (const Arguments& arguments : {Arguments{"config"}, Arguments{"config", "--json"},
                                     Arguments{"doctor"}, Arguments{"doctor", "--json"}}) {
    const Finished shown = home.wright(arguments);
    EXPECT_EQ(shown.output.find("0123456789"), std::string::npos) << shown.output;
  }
  const std::string shown = home.wright({"config"}).output;
  EXPECT_NE(shown.find("sk-…c3f2"), std::string::npos) << shown;
  EXPECT_NE(shown.find("xai…9999"), std::string::npos) << shown;
}

TEST(ConfigCommand, hides_a_file_that_others_could_read_before_a_key_stands_in_it) {
  Home home;
  home.write_config("[agent]\nmodel = \"offline\"\n");
  ASSERT_EQ(chmod(home.config_file().c_str(), 0644), 0);
  const auto mode = [&] {
    struct stat status {};
    EXPECT_EQ(stat(home.config_file().c_str(), &status), 0);
    return status.st_mode & 0777U;
  };
  EXPECT_EQ(home.wright({"config", "set", "agent.max_iterations", "9"}).exit_code, 0);
  EXPECT_EQ(mode(), 0644U);
  const Finished set = home.wright({"config", "set", "api_keys.openai_api_key", "sk-0123456789"});
  EXPECT_EQ(set.exit_code, 0) << set.error;
  EXPECT_EQ(mode(), 0600U);
}

TEST(ConfigCommand, writes_no_model_that_there_cannot_be) {
  Home home;
  for (const char* model : {"nonsense", "a\xff", "nobody:x"}) {
    EXPECT_EQ(home.wright({"config", "set", "agent.model", model}).exit_code, 2) << model;
  }
  EXPECT_EQ(home.wright({"config", "set", "agent.model", "openai:gpt-5-mini"}).exit_code, 0);
  EXPECT_EQ(home.wright({"config", "set", "agent.model", "offline"}).exit_code, 0);
}

TEST(ConfigCommand, follows_the_xdg_folders) {
  Home home;
  EXPECT_EQ(home.wright({"config", "path"}).output, home.config_file().string() + "\n");
  home.environment["XDG_CONFIG_HOME"] = "/somewhere";
  EXPECT_EQ(home.wright({"config", "path"}).output, "/somewhere/wright/config.toml\n");
  home.environment["XDG_DATA_HOME"] = (home.path() / "data").string();
  EXPECT_EQ(home.wright({"run", "codebase-analysis", "hello"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(home.path() / "data/wright/agents.db"));
}

TEST(ConfigCommand, writes_a_private_file_to_start_from_and_never_overwrites) {
  const Home home;
  const Finished made = home.wright({"config", "init"});
  EXPECT_EQ(made.exit_code, 0) << made.error;
  struct stat status {};
  ASSERT_EQ(stat(home.config_file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(home.wright({"config"}).exit_code, 0) << "what it wrote is valid";

  home.write_config("# mine\n");
  const Finished again = home.wright({"config", "init"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.error.find("File exists"), std::string::npos) << again.error;
  std::string kept;
  std::ifstream file(home.config_file());
  std::getline(file, kept);
  EXPECT_EQ(kept, "# mine");
}

TEST(BadConfiguration, stops_every_command_that_needs_it_with_exit_code_2) {
  const Home home;
  home.write_config("[agent]\nmodle = \"x\"\n");
  for (const Arguments& arguments :
       {Arguments{"run", "codebase-analysis", "x"}, Arguments{"sessions"}, Arguments{"agents"},
        Arguments{"tools"}, Arguments{"config"}}) {
    const Finished refused = home.wright(arguments);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.output, "");
    EXPECT_TRUE(refused.error.starts_with("wright: " + home.config_file().string() +
                                          ":2: agent.modle: unknown key; did you mean "
                                          "'agent.model'?\n"))
        << refused.error;
  }
}

TEST(BadConfiguration, may_also_be_a_missing_or_unreadable_file_or_a_bad_variable) {
  Home home;
  const Finished missing = home.wright({"sessions", "-c", "missing.toml"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(missing.error.starts_with("wright: missing.toml: cannot read the configuration: "))
      << missing.error;
  EXPECT_EQ(home.wright({"sessions", "-c", "."}).exit_code, 2);
  home.write_file("broken.toml", "[agent\n");
  EXPECT_TRUE(home.wright({"sessions", "-c", "broken.toml"})
                  .error.starts_with("wright: broken.toml:1: not valid TOML: "));
  home.environment["WRIGHT_MAX_ITERATIONS"] = "ten";
  const Finished bad = home.wright({"config"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.error.find("WRIGHT_MAX_ITERATIONS must be a whole number, not 'ten'"),
            std::string::npos);
}

TEST(Configuration, is_what_a_run_uses) {
  Home home;
  home.environment["PROJECT"] = home.project().string();
  home.write_config(
      "[agent]\nbase_path = \"${PROJECT}\"\ndatabase_path = \"~/kept.db\"\n"
      "max_iterations = ${LIMIT}\n");
  EXPECT_EQ(home.wright({"config"}).exit_code, 2) << "only strings are expanded";
  home.write_config("[agent]\nbase_path = \"${PROJECT}\"\ndatabase_path = \"~/kept.db\"\n");
  Process process({"run", "codebase-analysis", "Where is alpha_function defined?"},
                  home.environment, "/", Streams::pipes);
  process.close_input();
  const Finished run = process.finish();
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_NE(run.output.find("alpha.cpp:2"), std::string::npos) << run.output;
  EXPECT_TRUE(std::filesystem::exists(home.path() / "kept.db"));
}

}  // namespace
}  // namespace wright::cli
